/* slots.c -- which addresses a block must record, and how few values that takes.
 *
 * A reference's address is a constant plus register values. Registers are followed symbolically
 * through the block (symbols.c), so that one recorded value serves every reference that is a known
 * distance from it.
 *
 * COUNTING RULES   see block.h: reads before writes inside one instruction.
 * NOT MODELLED     parts of an XSAVE area that the instruction's mask leaves out; repeated string
 *                  instructions with 16-bit addresses that wrap round at 64 KiB.
 * SOURCES          docs/decisions/002-record-pointer-register.md for the price of a stored value.
 */
#include "x86/plan.h"

#define XSAVE_LEAST 576u /* only XSAVE and its kin have operands of this size */
#define MAX_REFS    250u /* per block: x86_block.n_ref has 8 bits */

/* Make register r known: give it a slot unless it has a value already. */
static const struct symbol *need(struct planner *p, int r)
{
	struct symbol *s = &p->sym[r];

	if (s->kind == SYM_UNKNOWN) {
		s->kind = SYM_SLOT;
		s->slot = new_slot(p, X86_SLOT_REG, (uint8_t)r);
		s->delta = 0;
	}
	return s;
}

/* A slot that holds exactly register r, no constant added. */
static uint8_t need_plain(struct planner *p, int r)
{
	struct symbol *s = &p->sym[r];

	if (s->kind != SYM_SLOT || s->delta != 0) {
		s->kind = SYM_SLOT;
		s->slot = new_slot(p, X86_SLOT_REG, (uint8_t)r);
		s->delta = 0;
	}
	return s->slot;
}

static void add_register(struct planner *p, struct x86_ref *ref, int r, unsigned scale,
			 bool is_index)
{
	const struct symbol *s = need(p, r);

	ref->disp += s->delta * scale;
	if (s->kind == SYM_CONST)
		return;
	if (is_index) {
		ref->slot2 = s->slot;
		ref->scale = (uint8_t)scale;
	} else {
		ref->slot = s->slot;
	}
}

static struct x86_ref *new_ref(struct planner *p, uint16_t bytes, unsigned flags)
{
	struct x86_ref *ref;

	if (p->n_ref == MAX_REFS) {
		p->has_overflow = true;
		p->n_ref--;
	}
	ref = &p->b->ref[p->n_ref++];
	memset(ref, 0, sizeof(*ref));
	ref->bytes = bytes;
	ref->insn = (uint8_t)p->insn;
	ref->flags = (uint16_t)flags;
	ref->slot = ref->slot2 = X86_NO_SLOT;
	ref->scale = 1;
	return ref;
}

/* Is the address more than that of the operand? */
static bool is_computed(const struct x86_decoded *d)
{
	return x86_is_bit_string(d) || d->z.mnemonic == ZYDIS_MNEMONIC_XLAT;
}

/* Must the address be computed by the processor itself? */
static bool needs_address_slot(const struct x86_decoded *d, const ZydisDecodedOperand *op)
{
	const int base = x86_gpr_number(op->mem.base);
	/* LEAVE: stacks have addresses of 64 bits whatever prefix there is */
	const bool is_stack =
	    op->encoding == ZYDIS_OPERAND_ENCODING_NONE && (base == X86_RSP || base == X86_RBP);

	return is_computed(d) || (d->z.address_width == 32 && !is_stack);
}

/* Displacements with which base + displacement wraps round at 4 GiB only where nothing is ever
 * mapped: the lowest 64 KiB and the highest page. The model adds without wrapping. */
static bool is_safe_32(uint64_t disp)
{
	int32_t d = (int32_t)(uint32_t)disp;

	return d >= -4096 && d < 65536;
}

/* ref = base + ref->disp in 32-bit code, ref->disp safe: a slot that is near enough, or a new one.
 */
static void add_base_32(struct planner *p, struct x86_ref *ref, int base)
{
	struct symbol *s = &p->sym[base];
	uint64_t sum = ref->disp + s->delta;

	if (s->kind == SYM_CONST) {
		ref->disp = (uint32_t)sum;
		return;
	}
	if (s->kind == SYM_SLOT && is_safe_32(sum)) {
		ref->slot = s->slot;
		ref->disp = (uint64_t)(int64_t)(int32_t)(uint32_t)sum;
		return;
	}
	ref->slot = need_plain(p, base);
	ref->disp = (uint64_t)(int64_t)(int32_t)(uint32_t)ref->disp;
}

/* Slot of the address of op; strings may have two. */
static uint8_t address_slot(struct planner *p, const struct x86_decoded *d,
			    const ZydisDecodedOperand *op)
{
	return new_slot(p, X86_SLOT_ADDRESS,
			d->emulate == X86_EMU_STRING ? (uint8_t)(op - d->op + 1) : 0);
}

/* Addresses of 32-bit code are modulo 4 GiB: where that may matter the processor computes them. A
 * base of FS or GS is part of the recorded address. */
static void plan_address_32(struct planner *p, const struct x86_decoded *d,
			    const ZydisDecodedOperand *op, struct x86_ref *ref)
{
	int base = x86_gpr_number(op->mem.base);

	ref->disp = (uint64_t)op->mem.disp.value;
	if (d->z.mnemonic == ZYDIS_MNEMONIC_POP && base == X86_RSP &&
	    op->encoding == ZYDIS_OPERAND_ENCODING_MODRM_RM)
		ref->disp += op->size / 8;
	if (is_computed(d) || d->z.address_width == 16 || x86_is_fs_gs(op) ||
	    op->mem.index != ZYDIS_REGISTER_NONE || (base >= 0 && !is_safe_32(ref->disp))) {
		ref->disp = 0;
		ref->slot = address_slot(p, d, op);
	} else if (base >= 0) {
		add_base_32(p, ref, base);
	} else {
		ref->disp = (uint32_t)ref->disp;
	}
}

/* A reference to the stack: base + disp, disp small. */
static void plan_stack(struct planner *p, const struct x86_decoded *d, struct x86_ref *ref,
		       int base, uint64_t disp)
{
	if (p->has_addresses) {
		ref->slot = new_slot(p, X86_SLOT_ADDRESS, 0);
		return;
	}
	ref->disp = disp;
	if (d->is_32)
		add_base_32(p, ref, base);
	else
		add_register(p, ref, base, 1, false);
}

/* Far transfers and IRET: each word of the stack by itself. Their explicit operands are planned as
 * others are. */
static bool plan_far(struct planner *p, const struct x86_decoded *d, unsigned dir)
{
	const bool is_call = d->z.mnemonic == ZYDIS_MNEMONIC_CALL,
		   is_jump = d->z.mnemonic == ZYDIS_MNEMONIC_JMP;
	const bool is_return = d->z.mnemonic == ZYDIS_MNEMONIC_RET;
	const uint64_t width = d->z.operand_width / 8;

	if (is_jump || (is_call ? dir == X86_REF_READ : dir == X86_REF_WRITE))
		return !is_jump && !is_call;
	for (unsigned i = 0; i < (is_call || is_return ? 2u : d->is_32 ? 3u : 5u); i++) {
		struct x86_ref *ref = new_ref(p, (uint16_t)width, dir | X86_REF_STACK);

		plan_stack(p, d, ref, X86_RSP, is_call ? 0 - (i + 1) * width : i * width);
	}
	return true;
}

/* PUSHA, POPA: eight references. ENTER with a level: copies of the frame pointers, the new one
 * last. */
static bool plan_many(struct planner *p, const struct x86_decoded *d, unsigned dir)
{
	unsigned level = d->z.mnemonic == ZYDIS_MNEMONIC_ENTER ? d->op[1].imm.value.u & 31 : 0;
	uint64_t width = d->z.operand_width / 8;
	struct x86_ref *ref;

	if (d->emulate == X86_EMU_FAR)
		return plan_far(p, d, dir);
	switch (d->z.mnemonic) {
	case ZYDIS_MNEMONIC_PUSHA:
	case ZYDIS_MNEMONIC_PUSHAD:
		for (unsigned i = 1; i <= 8 && dir == X86_REF_WRITE; i++) {
			ref = new_ref(p, (uint16_t)width, X86_REF_WRITE | X86_REF_STACK);
			plan_stack(p, d, ref, X86_RSP, 0 - i * width);
		}
		return true;
	case ZYDIS_MNEMONIC_POPA:
	case ZYDIS_MNEMONIC_POPAD:
		for (unsigned i = 0; i < 8 && dir == X86_REF_READ; i++) {
			ref = new_ref(p, (uint16_t)width, X86_REF_READ | X86_REF_STACK);
			plan_stack(p, d, ref, X86_RSP, i * width);
		}
		return true;
	case ZYDIS_MNEMONIC_ENTER:
		if (!d->is_32 || level == 0)
			return false;
		for (unsigned i = 0; i <= level && dir == X86_REF_WRITE; i++) {
			if (i > 0 && i < level) {
				ref = new_ref(p, (uint16_t)width, X86_REF_READ | X86_REF_STACK);
				plan_stack(p, d, ref, X86_RBP, 0 - i * width);
			}
			ref = new_ref(p, (uint16_t)width, X86_REF_WRITE | X86_REF_STACK);
			plan_stack(p, d, ref, X86_RSP, 0 - (i + 1) * width);
		}
		return true;
	default: return false;
	}
}

static void plan_address(struct planner *p, const struct x86_decoded *d,
			 const ZydisDecodedOperand *op, struct x86_ref *ref)
{
	int base = x86_gpr_number(op->mem.base), index = x86_gpr_number(op->mem.index);

	if (p->has_addresses) {
		ref->slot = new_slot(p, X86_SLOT_ADDRESS, 0);
		return;
	}
	if (d->is_32) {
		plan_address_32(p, d, op, ref);
		return;
	}
	if (op->mem.segment == ZYDIS_REGISTER_FS)
		ref->flags |= X86_REF_FS;
	if (op->mem.segment == ZYDIS_REGISTER_GS)
		ref->flags |= X86_REF_GS;
	if (op->mem.base == ZYDIS_REGISTER_RIP) {
		ref->disp = d->pc + d->z.length + (uint64_t)op->mem.disp.value;
		return;
	}
	if (needs_address_slot(d, op)) {
		ref->slot = new_slot(p, X86_SLOT_ADDRESS, 0);
		return;
	}
	ref->disp = (uint64_t)op->mem.disp.value;
	if (d->z.mnemonic == ZYDIS_MNEMONIC_POP && base == X86_RSP &&
	    op->encoding == ZYDIS_OPERAND_ENCODING_MODRM_RM)
		ref->disp += op->size / 8; /* POP [rsp+x] uses the incremented RSP */
	if (base >= 0)
		add_register(p, ref, base, 1, false);
	if (index >= 0)
		add_register(p, ref, index, op->mem.scale ? op->mem.scale : 1, true);
}

static bool is_prefetch(const struct x86_decoded *d, uint8_t *hint)
{
	switch (d->z.mnemonic) {
	case ZYDIS_MNEMONIC_PREFETCHNTA: *hint = 0; return true;
	case ZYDIS_MNEMONIC_PREFETCHT0: *hint = 1; return true;
	case ZYDIS_MNEMONIC_PREFETCHT1: *hint = 2; return true;
	case ZYDIS_MNEMONIC_PREFETCHT2: *hint = 3; return true;
	case ZYDIS_MNEMONIC_PREFETCH:
	case ZYDIS_MNEMONIC_PREFETCHW:
	case ZYDIS_MNEMONIC_PREFETCHWT1: *hint = 4; return true;
	default: return false;
	}
}

/* Forms that name memory without touching it. */
static bool is_address_only(const struct x86_decoded *d)
{
	switch (d->z.mnemonic) {
	case ZYDIS_MNEMONIC_NOP:
	case ZYDIS_MNEMONIC_LEA:
	case ZYDIS_MNEMONIC_CLFLUSH:
	case ZYDIS_MNEMONIC_CLFLUSHOPT:
	case ZYDIS_MNEMONIC_CLWB:
	case ZYDIS_MNEMONIC_CLDEMOTE: return true;
	default: return false;
	}
}

static bool is_nontemporal(const struct x86_decoded *d)
{
	switch (d->z.mnemonic) {
	case ZYDIS_MNEMONIC_MOVNTI:
	case ZYDIS_MNEMONIC_MOVNTQ:
	case ZYDIS_MNEMONIC_MOVNTPS:
	case ZYDIS_MNEMONIC_MOVNTPD:
	case ZYDIS_MNEMONIC_MOVNTDQ:
	case ZYDIS_MNEMONIC_VMOVNTPS:
	case ZYDIS_MNEMONIC_VMOVNTPD:
	case ZYDIS_MNEMONIC_VMOVNTDQ:
	case ZYDIS_MNEMONIC_MASKMOVQ:
	case ZYDIS_MNEMONIC_MASKMOVDQU:
	case ZYDIS_MNEMONIC_VMASKMOVDQU:
	case ZYDIS_MNEMONIC_MOVNTSD:
	case ZYDIS_MNEMONIC_MOVNTSS: return true;
	default: return false;
	}
}

/* References of operand i in direction `dir`; the two passes put reads before writes. */
static void plan_operand(struct planner *p, const struct x86_decoded *d, unsigned i, unsigned dir)
{
	const ZydisDecodedOperand *op = &d->op[i];
	bool reads = op->actions & ZYDIS_OPERAND_ACTION_MASK_READ;
	bool writes = op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
	bool is_stack = op->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN &&
			x86_gpr_number(op->mem.base) == X86_RSP;
	uint16_t bytes = op->size / 8;
	struct x86_ref *ref;
	uint8_t hint = 0;

	if (op->type != ZYDIS_OPERAND_TYPE_MEMORY ||
	    (op->mem.type != ZYDIS_MEMOP_TYPE_MEM && op->mem.type != ZYDIS_MEMOP_TYPE_VSIB) ||
	    is_address_only(d))
		return;
	if (is_prefetch(d, &hint)) {
		if (dir != X86_REF_READ)
			return;
		ref = new_ref(p, 1, X86_REF_PREFETCH);
		ref->hint = hint;
		plan_address(p, d, op, ref);
		return;
	}
	if (dir == X86_REF_READ ? !reads : reads || !writes)
		return;
	if (bytes == XSAVE_LEAST && p->xsave_bytes)
		bytes = p->xsave_bytes;
	ref = new_ref(p, bytes, (reads ? X86_REF_READ : 0u) | (writes ? X86_REF_WRITE : 0u));
	if (is_nontemporal(d))
		ref->flags |= X86_REF_NONTEMPORAL;
	if (is_stack) {
		ref->flags |= X86_REF_STACK;
		if (d->z.mnemonic == ZYDIS_MNEMONIC_LEAVE && !p->has_addresses) {
			add_register(p, ref, X86_RBP, 1, false);
			return;
		}
		plan_stack(p, d, ref, X86_RSP, writes ? 0 - (uint64_t)(op->size / 8) : 0);
		return;
	}
	plan_address(p, d, op, ref);
	if (!p->has_addresses)
		x86_plan_parts(p, d, op, ref);
}

static uint8_t string_slot(struct planner *p, const struct x86_decoded *d, int reg)
{
	for (unsigned i = 0; i < d->z.operand_count; i++)
		if (d->op[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
		    x86_gpr_number(d->op[i].mem.base) == reg)
			return d->emulate == X86_EMU_STRING || p->has_addresses
				   ? address_slot(p, d, &d->op[i])
				   : need_plain(p, reg);
	return X86_NO_SLOT;
}

static void plan_rep(struct planner *p, const struct x86_decoded *d)
{
	struct x86_insn *n = &p->b->insn[p->insn];
	struct x86_rep *rep = &p->b->rep[p->n_rep];
	bool may_end_early = d->z.attributes & (ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE);
	unsigned first = p->n_ref;

	n->rep = (uint8_t)p->n_rep++;
	memset(rep, 0, sizeof(*rep));
	rep->insn = (uint8_t)p->insn;
	rep->is_address32 = d->z.address_width == 32;
	rep->is_address16 = d->z.address_width == 16;
	rep->slot_count =
	    p->has_addresses ? new_slot(p, X86_SLOT_REG, X86_RCX) : need_plain(p, X86_RCX);
	rep->slot_src = string_slot(p, d, X86_RSI);
	rep->slot_dst = string_slot(p, d, X86_RDI);
	rep->slot_after = X86_NO_SLOT;
	for (unsigned dir = X86_REF_READ; dir <= X86_REF_WRITE; dir++) {
		for (unsigned i = 0; i < d->z.operand_count; i++) {
			const ZydisDecodedOperand *op = &d->op[i];
			bool writes = op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
			struct x86_ref *ref;

			if (op->type != ZYDIS_OPERAND_TYPE_MEMORY ||
			    writes != (dir == X86_REF_WRITE))
				continue;
			ref = new_ref(p, op->size / 8, dir | X86_REF_REP);
			ref->slot =
			    x86_gpr_number(op->mem.base) == X86_RSI ? rep->slot_src : rep->slot_dst;
			if (op->mem.segment == ZYDIS_REGISTER_FS && !d->is_32)
				ref->flags |= X86_REF_FS;
		}
	}
	if (p->n_ref > first)
		rep->element_bytes = (uint8_t)p->b->ref[first].bytes;
	if (p->has_addresses) { /* linear, and a count of what was done */
		rep->is_address16 = 0;
		rep->is_address32 = 1;
	} else if (may_end_early)
		rep->slot_after = new_slot(p, X86_SLOT_REG_AFTER, X86_RCX);
}

unsigned x86_plan_slots(struct x86_builder *b, const struct x86_build_limits *lim)
{
	struct planner p = {
	    .b = b, .xsave_bytes = lim->xsave_bytes, .has_addresses = lim->has_addresses};
	unsigned n = b->block.n_insn, done = 0;

	for (p.insn = 0; p.insn < n; p.insn++) {
		const struct x86_decoded *d = &b->dec[p.insn];
		unsigned n_ref = p.n_ref, n_slot = p.n_slot, n_rep = p.n_rep, n_parts = p.n_parts;

		if (b->insn[p.insn].flags & X86_I_REP) {
			plan_rep(&p, d);
		} else if (!d->is_unknown && !d->is_null) {
			for (unsigned dir = X86_REF_READ; dir <= X86_REF_WRITE; dir++) {
				if (plan_many(&p, d, dir))
					continue;
				for (unsigned i = 0; i < d->z.operand_count; i++)
					plan_operand(&p, d, i, dir);
			}
			if (lim->has_x87_operands)
				x86_plan_x87_operands(&p, d);
			else if (lim->has_x87_control)
				x86_plan_x87_control(&p, d);
			if (lim->has_mmx_operands)
				x86_plan_mmx_operands(&p, d);
			if (lim->has_assists)
				x86_plan_assist(&p, d);
		}
		if (p.has_overflow) {
			p.n_ref = n_ref;
			p.n_slot = n_slot;
			p.n_rep = n_rep;
			p.n_parts = n_parts;
			break;
		}
		done++;
		x86_plan_follow(&p, d);
	}
	b->block.n_ref = (uint8_t)p.n_ref;
	b->block.n_slot = (uint8_t)p.n_slot;
	b->block.n_rep = (uint8_t)p.n_rep;
	b->block.n_parts = (uint8_t)p.n_parts;
	return done;
}
