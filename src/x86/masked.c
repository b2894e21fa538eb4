/* masked.c -- memory operands of which only parts are touched: masked moves, gathers, scatters.
 *
 * The mask, and a gather's vector of indices, are recorded before the instruction (it may clear
 * them); the reader works out what was touched (struct x86_parts).
 *
 * MODELLED         MASKMOVQ, MASKMOVDQU, VMASKMOVPx, VPMASKMOVx; AVX-512 operands with a mask,
 *                  broadcast, expanding, compressing and converting ones included; VPGATHERxx,
 *                  VGATHERxx, scatters.
 * NOT MODELLED     AVX-512 instructions that read the whole operand whatever the mask says
 *                  (exception classes with NF): they do so here too.
 * SOURCES          Intel SDM vol. 2, sections 2.4 to 2.8 and the operation sections.
 */
#include "x86/plan.h"

static bool is_legacy(ZydisMnemonic m)
{
	return m == ZYDIS_MNEMONIC_MASKMOVQ || m == ZYDIS_MNEMONIC_MASKMOVDQU ||
	       m == ZYDIS_MNEMONIC_VMASKMOVDQU;
}

/* Operand that holds the mask of a VEX-encoded masked move, or -1. */
static int vex_mask(const struct x86_decoded *d)
{
	switch (d->z.mnemonic) {
	case ZYDIS_MNEMONIC_VMASKMOVPS:
	case ZYDIS_MNEMONIC_VMASKMOVPD:
	case ZYDIS_MNEMONIC_VPMASKMOVD:
	case ZYDIS_MNEMONIC_VPMASKMOVQ: return 1;
	default: return -1;
	}
}

static bool is_packing(ZydisMnemonic m)
{
	switch (m) {
	case ZYDIS_MNEMONIC_VPCOMPRESSB:
	case ZYDIS_MNEMONIC_VPCOMPRESSW:
	case ZYDIS_MNEMONIC_VPCOMPRESSD:
	case ZYDIS_MNEMONIC_VPCOMPRESSQ:
	case ZYDIS_MNEMONIC_VCOMPRESSPS:
	case ZYDIS_MNEMONIC_VCOMPRESSPD:
	case ZYDIS_MNEMONIC_VPEXPANDB:
	case ZYDIS_MNEMONIC_VPEXPANDW:
	case ZYDIS_MNEMONIC_VPEXPANDD:
	case ZYDIS_MNEMONIC_VPEXPANDQ:
	case ZYDIS_MNEMONIC_VEXPANDPS:
	case ZYDIS_MNEMONIC_VEXPANDPD: return true;
	default: return false;
	}
}

static bool is_whole(ZydisExceptionClass c)
{
	switch (c) {
	case ZYDIS_EXCEPTION_CLASS_E4NF:
	case ZYDIS_EXCEPTION_CLASS_E5NF:
	case ZYDIS_EXCEPTION_CLASS_E6NF:
	case ZYDIS_EXCEPTION_CLASS_E9NF:
	case ZYDIS_EXCEPTION_CLASS_E10NF: return true;
	default: return false;
	}
}

/* Bytes of an index of a gather or scatter: the letter behind its name is D or Q. */
static unsigned index_bytes(ZydisMnemonic m)
{
	switch (m) {
	case ZYDIS_MNEMONIC_VPGATHERDD:
	case ZYDIS_MNEMONIC_VPGATHERDQ:
	case ZYDIS_MNEMONIC_VGATHERDPS:
	case ZYDIS_MNEMONIC_VGATHERDPD:
	case ZYDIS_MNEMONIC_VPSCATTERDD:
	case ZYDIS_MNEMONIC_VPSCATTERDQ:
	case ZYDIS_MNEMONIC_VSCATTERDPS:
	case ZYDIS_MNEMONIC_VSCATTERDPD: return 4;
	default: return 8;
	}
}

static unsigned mask_register(const struct x86_decoded *d)
{
	return d->z.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX
		   ? (unsigned)(d->z.avx.mask.reg - ZYDIS_REGISTER_K0)
		   : 0;
}

/* Slot for mask register k, of which the lowest n bits count. */
static uint8_t k_slot(struct planner *p, unsigned k, unsigned n)
{
	uint8_t slot = new_slot(p, X86_SLOT_MASK_K, (uint8_t)k);

	p->b->slot[slot].element = n > 16 ? 8 : 2;
	return slot;
}

/* Slot for the sign bits of the elements of a vector register. */
static uint8_t sign_slot(struct planner *p, const ZydisDecodedOperand *op, unsigned element)
{
	uint8_t slot = new_slot(p, X86_SLOT_MASK_SIGN, (uint8_t)ZydisRegisterGetId(op->reg.value));

	p->b->slot[slot].element = (uint8_t)element;
	p->b->slot[slot].vector = (uint8_t)(op->size / 8);
	return slot;
}

/* Slots for a whole vector register; the first of them. */
static uint8_t vector_slots(struct planner *p, ZydisRegister reg)
{
	unsigned bytes = ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, reg) / 8;
	uint8_t first = 0;

	for (unsigned i = 0; i < bytes / 8; i++) {
		uint8_t slot = new_slot(p, X86_SLOT_VECTOR, (uint8_t)ZydisRegisterGetId(reg));

		if (i == 0)
			first = slot;
		p->b->slot[slot].element = (uint8_t)i;
		p->b->slot[slot].vector = (uint8_t)bytes;
	}
	return first;
}

static void plan_gather(struct planner *p, const struct x86_decoded *d,
			const ZydisDecodedOperand *mem, struct x86_parts *parts)
{
	const ZydisDecodedOperand *mask = &d->op[d->z.operand_count_visible - 1];
	unsigned n = 64;

	parts->kind = X86_PARTS_EACH;
	parts->element_bytes = (uint8_t)(mem->size / 8);
	parts->index_bytes = (uint8_t)index_bytes(d->z.mnemonic);
	parts->scale = mem->mem.scale ? mem->mem.scale : 1;
	parts->is_address32 = d->z.address_width == 32;
	parts->slot_index = vector_slots(p, mem->mem.index);
	/* as many as the shorter of data and indices has */
	for (unsigned i = 0; i < d->z.operand_count_visible; i++) {
		const ZydisDecodedOperand *op = &d->op[i];

		if (op->type == ZYDIS_OPERAND_TYPE_REGISTER && op->element_size > 1 &&
		    op->element_count < n)
			n = op->element_count;
	}
	if (n > ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, mem->mem.index) / 8u /
		    parts->index_bytes)
		n = ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, mem->mem.index) / 8u /
		    parts->index_bytes;
	parts->n = (uint8_t)n;
	if (mask_register(d))
		parts->slot_mask = k_slot(p, mask_register(d), n);
	else
		parts->slot_mask = sign_slot(p, mask, parts->element_bytes);
}

void x86_plan_parts(struct planner *p, const struct x86_decoded *d, const ZydisDecodedOperand *mem,
		    struct x86_ref *ref)
{
	struct x86_parts *parts = &p->b->parts[p->n_parts];
	unsigned k = mask_register(d), bytes = mem->size / 8;
	int vex = vex_mask(d);

	if (mem->mem.type != ZYDIS_MEMOP_TYPE_VSIB && !is_legacy(d->z.mnemonic) && vex < 0 &&
	    (!k || is_whole(d->z.meta.exception_class)))
		return;
	memset(parts, 0, sizeof(*parts));
	parts->kind = X86_PARTS_RANGE;
	if (mem->mem.type == ZYDIS_MEMOP_TYPE_VSIB) {
		plan_gather(p, d, mem, parts);
	} else if (is_legacy(d->z.mnemonic)) {
		parts->n = (uint8_t)bytes;
		parts->slot_mask = sign_slot(p, &d->op[1], 1);
	} else if (vex >= 0) {
		parts->n = (uint8_t)mem->element_count;
		parts->slot_mask = sign_slot(p, &d->op[vex], mem->element_size / 8);
	} else {
		parts->n = (uint8_t)mem->element_count;
		if (is_packing(d->z.mnemonic)) {
			parts->kind = X86_PARTS_PACKED;
		} else if (d->z.avx.broadcast.mode != ZYDIS_BROADCAST_MODE_INVALID) {
			const ZydisDecodedOperand *to =
			    &d->op[0]; /* a comparison writes a mask: then its source */

			if (to->element_size == 1)
				to = &d->op[2];
			parts->kind = X86_PARTS_ANY;
			parts->n = (uint8_t)to->element_count;
		}
		parts->slot_mask = k_slot(p, k, parts->n);
	}
	if (parts->kind != X86_PARTS_EACH)
		parts->element_bytes =
		    (uint8_t)(parts->kind == X86_PARTS_ANY ? bytes : bytes / parts->n);
	ref->flags |= X86_REF_PARTS;
	ref->hint = (uint8_t)p->n_parts++;
}
