/* copy.c -- re-encoding of guest instructions; see copy.h.
 *
 * MODELLED         legacy, VEX and EVEX encodings; every field that can name r15.
 * NOT MODELLED     XOP and 3DNow! forms that name r15 or need a far address (refused by the
 *                  caller).
 * SOURCES          Intel SDM vol. 2 section 2.2-2.7 for REX, VEX and EVEX fields.
 */
#include "translate/copy.h"

#include "trace/share.h"

/* A memory operand to be encoded, after r15, rip and GS were dealt with. */
struct place {
	int base, index; /* hardware numbers, -1 none */
	unsigned scale;
	int32_t disp;
	bool is_vector_index; /* keep the index field of the original */
};

static const ZydisDecodedOperand *memory(const struct x86_decoded *d)
{
	return d->mem >= 0 ? &d->op[d->mem] : NULL;
}

static bool is_rip(const struct x86_decoded *d)
{
	const ZydisDecodedOperand *m = memory(d);

	return m && m->mem.base == ZYDIS_REGISTER_RIP;
}

static bool uses_gs(const struct x86_decoded *d)
{
	const ZydisDecodedOperand *m = memory(d);

	return m && m->mem.segment == ZYDIS_REGISTER_GS && m->mem.type == ZYDIS_MEMOP_TYPE_MEM;
}

#define REACH 0x7fff0000ull /* of a 32-bit displacement, and some less */

static uint64_t rip_target(const struct x86_decoded *d)
{
	return d->pc + d->z.length + (uint64_t)memory(d)->mem.disp.value;
}

/* Wherever in the code area the instruction comes to lie. */
static bool is_near(const struct x86_out *o, uint64_t addr)
{
	return addr < o->at + REACH && addr + REACH >= o->at + SHR_CODE_BYTES;
}

bool xlt_copy_needs_y(const struct x86_out *o, const struct x86_decoded *d)
{
	if (uses_gs(d))
		return true;
	return is_rip(d) && !is_near(o, rip_target(d));
}

/* Offset of the first opcode byte after all prefixes, REX included; VEX and EVEX payload skipped.
 */
static unsigned opcode_offset(const struct x86_decoded *d)
{
	switch (d->z.encoding) {
	case ZYDIS_INSTRUCTION_ENCODING_VEX: return d->z.raw.vex.offset + d->z.raw.vex.size;
	case ZYDIS_INSTRUCTION_ENCODING_EVEX: return d->z.raw.evex.offset + 4u;
	case ZYDIS_INSTRUCTION_ENCODING_XOP: return d->z.raw.xop.offset + 3u;
	default: return d->z.raw.prefix_count; /* REX counts as a prefix */
	}
}

static void set_bit(uint8_t *byte, unsigned bit, unsigned value)
{
	*byte = (uint8_t)((*byte & ~(1u << bit)) | value << bit);
}

/* Set the extension bit (R, X or B) of a register field to that of register r. `which`: 2 R, 1 X, 0
 * B. */
static void set_extension(const struct x86_decoded *d, uint8_t *bytes, unsigned which, unsigned r)
{
	unsigned high = r >> 3;

	switch (d->z.encoding) {
	case ZYDIS_INSTRUCTION_ENCODING_VEX:
		/* Two-byte form: only R, in bit 7 of the payload. Inverted. */
		set_bit(&bytes[d->z.raw.vex.offset + 1], 5 + which, !high);
		break;
	case ZYDIS_INSTRUCTION_ENCODING_EVEX:
		set_bit(&bytes[d->z.raw.evex.offset + 1], 5 + which, !high);
		break;
	case ZYDIS_INSTRUCTION_ENCODING_XOP:
		set_bit(&bytes[d->z.raw.xop.offset + 1], 5 + which, !high);
		break;
	default:
		if (d->z.raw.rex.offset || d->z.attributes & ZYDIS_ATTRIB_HAS_REX)
			set_bit(&bytes[d->z.raw.rex.offset], which, high);
		break;
	}
}

static void set_vvvv(const struct x86_decoded *d, uint8_t *bytes, unsigned r)
{
	unsigned inverted = ~r & 15;
	uint8_t *b;

	if (d->z.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX)
		b = &bytes[d->z.raw.evex.offset + 2];
	else if (d->z.encoding == ZYDIS_INSTRUCTION_ENCODING_XOP)
		b = &bytes[d->z.raw.xop.offset + 2];
	else
		b = &bytes[d->z.raw.vex.offset + d->z.raw.vex.size - 1];
	*b = (uint8_t)((*b & 0x87) | inverted << 3);
}

static void set_field(uint8_t *byte, unsigned shift, unsigned r)
{
	*byte = (uint8_t)((*byte & ~(7u << shift)) | (r & 7) << shift);
}

/* Replace r15 by x in every register operand of the copied bytes. */
static void rename_registers(const struct x86_decoded *d, uint8_t *bytes, unsigned x)
{
	for (unsigned i = 0; i < d->z.operand_count; i++) {
		const ZydisDecodedOperand *op = &d->op[i];

		if (op->type != ZYDIS_OPERAND_TYPE_REGISTER ||
		    x86_gpr_number(op->reg.value) != X86_R15)
			continue;
		switch (op->encoding) {
		case ZYDIS_OPERAND_ENCODING_MODRM_REG:
			set_field(&bytes[d->z.raw.modrm.offset], 3, x);
			set_extension(d, bytes, 2, x);
			break;
		case ZYDIS_OPERAND_ENCODING_MODRM_RM:
			set_field(&bytes[d->z.raw.modrm.offset], 0, x);
			set_extension(d, bytes, 0, x);
			break;
		case ZYDIS_OPERAND_ENCODING_OPCODE: {
			/* The opcode byte that holds the register is the last one before the
			 * immediate. */
			unsigned last =
			    d->z.raw.imm[0].size ? d->z.raw.imm[0].offset - 1u : d->z.length - 1u;

			set_field(&bytes[last], 0, x);
			set_extension(d, bytes, 0, x);
			break;
		}
		case ZYDIS_OPERAND_ENCODING_NDSNDD: set_vvvv(d, bytes, x); break;
		default: break;
		}
	}
}

/* Replace r15 by x as base and index of the memory operand, in place: x needs no SIB and no
 * displacement of its own (X86_STAND_IN). */
static void rename_address(const struct x86_decoded *d, uint8_t *bytes, unsigned x)
{
	const ZydisDecodedOperand *m = memory(d);

	if (!m)
		return;
	if (x86_gpr_number(m->mem.base) == X86_R15) {
		unsigned at = d->z.raw.modrm.rm == 4 ? d->z.raw.sib.offset : d->z.raw.modrm.offset;

		set_field(&bytes[at], 0, x);
		set_extension(d, bytes, 0, x);
	}
	if (x86_gpr_number(m->mem.index) == X86_R15) {
		set_field(&bytes[d->z.raw.sib.offset], 3, x);
		set_extension(d, bytes, 1, x);
	}
}

static void emit_place(struct x86_out *o, unsigned reg_field, const struct place *p)
{
	unsigned scale = p->scale == 8 ? 3 : p->scale == 4 ? 2 : p->scale == 2 ? 1 : 0;

	if (p->index < 0 && (p->base & 7) != 4) {
		emit8(o, 0x80 | reg_field << 3 | (p->base & 7));
	} else {
		emit8(o, 0x84 | reg_field << 3);
		emit8(o, scale << 6 | (p->index < 0 ? 4u : (unsigned)p->index & 7) << 3 |
			     (p->base & 7));
	}
	emit32(o, (uint32_t)p->disp);
}

/* Put the address of d's memory operand into y as far as it cannot be encoded, and say how to
 * encode the rest: always base + disp32 (+ index). */
static void prepare_place(struct x86_out *o, const struct x86_decoded *d, const struct xlt_regs *r,
			  struct place *p)
{
	const ZydisDecodedOperand *m = memory(d);
	int base = x86_gpr_number(m->mem.base);

	p->index = x86_gpr_number(m->mem.index);
	p->is_vector_index = m->mem.type == ZYDIS_MEMOP_TYPE_VSIB;
	p->scale = m->mem.scale;
	p->disp = (int32_t)m->mem.disp.value;
	if (base == X86_R15)
		base = r->x;
	if (p->index == X86_R15)
		p->index = r->x;
	if (is_rip(d)) {
		emit_mov_imm64(o, r->y, rip_target(d));
		p->disp = 0;
		if (uses_gs(d)) {
			/* y = address; add the GS base through x-free arithmetic: xchg-free, so
			 * push the sum through memory. rip-relative GS operands address the base by
			 * 32 bits. */
			emit_load_gs(o, r->y, SHR_GS_GS_BASE);
			p->disp = (int32_t)rip_target(d);
		}
		p->base = r->y;
		return;
	}
	if (uses_gs(d)) {
		emit_load_gs(o, r->y, SHR_GS_GS_BASE);
		if (base == X86_RSP) /* which is no index */
			emit_lea_index(o, r->y, X86_RSP, r->y);
		else if (base >= 0)
			emit_lea_index(o, r->y, r->y, (unsigned)base);
		p->base = r->y;
		return;
	}
	p->base = base;
}

/* Copy with the memory operand re-encoded as [base + index*scale + disp32]; base is y. */
static void copy_with_place(struct x86_out *o, const struct x86_decoded *d,
			    const struct xlt_regs *r)
{
	uint8_t bytes[16];
	struct place p;
	unsigned op_at = opcode_offset(d), modrm = d->z.raw.modrm.offset;
	unsigned tail = d->z.raw.imm[0].size ? d->z.raw.imm[0].offset : d->z.length;

	prepare_place(o, d, r, &p);
	memcpy(bytes, d->byte, sizeof(bytes));
	if (r->x != X86_R15)
		rename_registers(d, bytes, r->x);
	if (d->z.encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY) {
		unsigned rex = 0;

		for (unsigned i = 0; i < op_at; i++) {
			if (d->z.attributes & ZYDIS_ATTRIB_HAS_REX && i == d->z.raw.rex.offset)
				rex = bytes[i];
			else if (bytes[i] != 0x65) /* GS is added by hand */
				emit8(o, bytes[i]);
		}
		rex = (rex & 0x4c) | (p.base >= 8) | (p.index >= 8 ? 2u : 0u);
		if (rex || d->z.attributes & ZYDIS_ATTRIB_HAS_REX)
			emit8(o, 0x40 | rex);
	} else {
		unsigned start =
		    d->z.encoding == ZYDIS_INSTRUCTION_ENCODING_VEX    ? d->z.raw.vex.offset
		    : d->z.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX ? d->z.raw.evex.offset
								       : d->z.raw.xop.offset;

		for (unsigned i = 0; i < start; i++)
			if (bytes[i] != 0x65)
				emit8(o, bytes[i]);
		if (d->z.encoding == ZYDIS_INSTRUCTION_ENCODING_VEX && d->z.raw.vex.size == 2) {
			/* C5 RvvvvLpp -> C4 R11_00001 Wvvvv_Lpp with W = 0 */
			unsigned b = bytes[start + 1];

			emit8(o, 0xc4);
			emit8(o, (b & 0x80) | (p.index >= 8 ? 0u : 0x40u) |
				     (p.base >= 8 ? 0u : 0x20u) | 1);
			emit8(o, b & 0x7f);
		} else {
			set_bit(&bytes[start + 1], 5, p.base < 8);
			if (!p.is_vector_index)
				set_bit(&bytes[start + 1], 6, p.index < 8);
			emit_bytes(o, bytes + start, op_at - start);
		}
	}
	emit_bytes(o, bytes + op_at, modrm - op_at);
	if (p.is_vector_index) {
		emit8(o, 0x84 | d->z.raw.modrm.reg << 3);
		emit8(o,
		      (unsigned)d->z.raw.sib.scale << 6 | d->z.raw.sib.index << 3 | (p.base & 7));
		emit32(o, (uint32_t)p.disp);
	} else {
		emit_place(o, bytes[modrm] >> 3 & 7, &p);
	}
	emit_bytes(o, bytes + tail, d->z.length - tail);
}

uint32_t xlt_copy(struct x86_out *o, const struct x86_decoded *d, const struct xlt_regs *r)
{
	uint32_t at = 0;
	uint8_t bytes[16];

	if (xlt_copy_needs_y(o, d)) {
		copy_with_place(o, d, r);
		return 0;
	}
	if (r->x == X86_R15 && !is_rip(d)) {
		emit_bytes(o, d->byte, d->z.length);
		return 0;
	}
	memcpy(bytes, d->byte, sizeof(bytes));
	if (r->x != X86_R15) {
		rename_registers(d, bytes, r->x);
		rename_address(d, bytes, r->x);
	}
	if (is_rip(d)) {
		int32_t rel = (int32_t)(rip_target(d) - (o->at + o->off + d->z.length));

		memcpy(bytes + d->z.raw.disp.offset, &rel, 4);
		at = o->off + d->z.raw.disp.offset;
	}
	emit_bytes(o, bytes, d->z.length);
	return at;
}

/* Of one byte, or two: 0fxxH. */
static void emit_opcode(struct x86_out *o, unsigned opcode)
{
	if (opcode > 0xff)
		emit8(o, opcode >> 8);
	emit8(o, opcode & 0xff);
}

uint32_t xlt_memory_op(struct x86_out *o, const struct x86_decoded *d, const struct xlt_regs *r,
		       unsigned opcode, unsigned reg)
{
	const ZydisDecodedOperand *m = memory(d);
	struct place p;

	bool is_fs = m->mem.segment == ZYDIS_REGISTER_FS && opcode != 0x8d;

	if (is_rip(d) && !uses_gs(d) && is_near(o, rip_target(d))) {
		if (is_fs)
			emit8(o, 0x64);
		emit8(o, 0x48 | (reg >> 3) << 2);
		emit_opcode(o, opcode);
		emit8(o, (reg & 7) << 3 | 5);
		emit32(o, (uint32_t)(rip_target(d) - (o->at + o->off + 4)));
		return o->off - 4;
	}
	prepare_place(o, d, r, &p);
	if (is_fs)
		emit8(o, 0x64);
	if (d->z.address_width == 32)
		emit8(o, 0x67);
	emit8(o, 0x48 | (reg >> 3) << 2 | (p.index >= 8 ? 2u : 0u) | (p.base >= 8));
	emit_opcode(o, opcode);
	if (p.base < 0) { /* no base: [disp32] or [index*scale + disp32] */
		unsigned scale = p.scale == 8 ? 3 : p.scale == 4 ? 2 : p.scale == 2 ? 1 : 0;

		emit8(o, (reg & 7) << 3 | 4);
		emit8(o, scale << 6 | (p.index < 0 ? 4u : (unsigned)p.index & 7) << 3 | 5);
		emit32(o, (uint32_t)p.disp);
		return 0;
	}
	emit_place(o, reg & 7, &p);
	return 0;
}
