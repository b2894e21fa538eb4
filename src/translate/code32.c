/* code32.c -- one 32-bit instruction as 64-bit code; see code32.h.
 *
 * Most bytes stay. What changes: prefixes (segment overrides have no meaning left, 67h is added to
 * memory operands), [disp32] (rip-relative in 64-bit code), opcodes that 64-bit code gave away, and
 * bits of VEX and EVEX prefixes that a 32-bit processor ignores.
 *
 * MODELLED         legacy, VEX, EVEX and XOP encodings.
 * SOURCES          Intel SDM vol. 2, chapter 2 and appendix B.
 */
#include "translate/code32.h"

#include "trace/share.h"
#include "translate/encode32.h"

static int32_t sext32(uint64_t v)
{
	return (int32_t)(uint32_t)v;
}

static const ZydisDecodedOperand *memory_operand(const struct x86_decoded *d)
{
	for (unsigned i = 0; i < d->z.operand_count; i++)
		if (d->op[i].type == ZYDIS_OPERAND_TYPE_MEMORY)
			return &d->op[i];
	return NULL;
}

static bool is_legacy(const struct x86_decoded *d)
{
	return d->z.encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY;
}

static void emit_rex(struct x86_out *o, unsigned reg, int index, int base)
{
	unsigned rex = (reg >= 8 ? 4u : 0u) | (index >= 8 ? 2u : 0u) | (base >= 8 ? 1u : 0u);

	if (rex)
		emit8(o, 0x40 | rex);
}

static void emit_opcode(struct x86_out *o, unsigned opcode)
{
	if (opcode >> 8)
		emit8(o, opcode >> 8);
	emit8(o, opcode & 0xff);
}

void xlt32_modrm(struct x86_out *o, unsigned reg, const struct xlt32_place *p)
{
	unsigned scale = p->scale == 8 ? 3 : p->scale == 4 ? 2 : p->scale == 2 ? 1 : 0;
	unsigned mod = p->disp == 0 && (p->base & 7) != 5  ? 0
		       : p->disp >= -128 && p->disp <= 127 ? 1
							   : 2;

	reg = (reg & 7) << 3;
	if (p->base < 0) { /* [disp32] or [index * scale + disp32] */
		emit8(o, reg | 4);
		emit8(o, scale << 6 | (p->index < 0 ? 4u : (unsigned)p->index & 7) << 3 | 5);
		emit32(o, (uint32_t)p->disp);
		return;
	}
	if (p->index < 0 && (p->base & 7) != 4) {
		emit8(o, mod << 6 | reg | (p->base & 7));
	} else {
		emit8(o, mod << 6 | reg | 4);
		emit8(o, scale << 6 | (p->index < 0 ? 4u : (unsigned)p->index & 7) << 3 |
			     (p->base & 7));
	}
	if (mod == 1)
		emit8(o, (uint8_t)p->disp);
	else if (mod == 2)
		emit32(o, (uint32_t)p->disp);
}

void xlt32_on_place(struct x86_out *o, unsigned prefix, unsigned opcode, unsigned reg,
		    const struct xlt32_place *p)
{
	if (prefix)
		emit8(o, prefix);
	emit8(o, 0x67);
	emit_rex(o, reg, p->index, p->base);
	emit_opcode(o, opcode);
	xlt32_modrm(o, reg, p);
}

void xlt32_on_base(struct x86_out *o, unsigned prefix, unsigned opcode, unsigned reg, unsigned base,
		   int32_t disp)
{
	struct xlt32_place p = {.base = (int)base, .index = -1, .disp = disp};

	if (prefix)
		emit8(o, prefix);
	emit_rex(o, reg, -1, p.base);
	emit_opcode(o, opcode);
	xlt32_modrm(o, reg, &p);
}

/* lea to, [a + b] (32 bits). ESP cannot be an index. */
static void add_registers(struct x86_out *o, unsigned to, unsigned a, unsigned b)
{
	struct xlt32_place p = {
	    .base = (int)(b == X86_RSP ? b : a), .index = (int)(b == X86_RSP ? a : b), .scale = 1};

	emit_rex(o, to, p.index, p.base);
	emit8(o, 0x8d);
	xlt32_modrm(o, to, &p);
}

void xlt32_move(struct x86_out *o, unsigned to, unsigned from)
{
	emit_rex(o, to, -1, (int)from);
	emit8(o, 0x8b);
	emit8(o, 0xc0 | (to & 7) << 3 | (from & 7));
}

void xlt32_move_16(struct x86_out *o, unsigned to, unsigned from)
{
	emit_rex(o, to, -1, (int)from);
	emit_opcode(o, 0x0fb7); /* movzx */
	emit8(o, 0xc0 | (to & 7) << 3 | (from & 7));
}

/* reg = base of FS or GS. By way of a pointer, so that an access through a null selector faults as
 * it should; where the instruction does not look at the segment, or the runtime does it, without.
 */
static void load_segment_base(struct x86_out *o, const struct x86_decoded *d,
			      const ZydisDecodedOperand *op, unsigned reg)
{
	const uint32_t which = op->mem.segment == ZYDIS_REGISTER_GS ? 8u : 0u;

	if (d->emulate == X86_EMU_STRING || !x86_asks_segments(d)) {
		emit_load_gs(o, reg, SHR_GS_SEG_BASE + which);
		return;
	}
	emit_load_gs(o, reg, SHR_GS_SEG_AT + which);
	emit_load(o, reg, reg, 0);
}

void xlt32_place(struct x86_out *o, const struct x86_decoded *d, const ZydisDecodedOperand *op,
		 unsigned scratch, struct xlt32_place *p)
{
	p->base = x86_gpr_number(op->mem.base);
	p->index = x86_gpr_number(op->mem.index);
	p->scale = op->mem.scale;
	p->disp = sext32((uint64_t)op->mem.disp.value);
	p->is_plain = false;
	if (d->z.address_width == 16) {
		if (p->base < 0)
			p->base = p->index, p->index = -1;
		emit_rex(o, scratch, -1, -1);
		emit8(o, 0x8d);
		p->scale = 1;
		xlt32_modrm(o, scratch, p);
		xlt32_move_16(o, scratch, scratch);
		if (x86_is_fs_gs(op)) {
			load_segment_base(o, d, op, XLT32_VALUE);
			add_registers(o, scratch, scratch, XLT32_VALUE);
		}
		*p = (struct xlt32_place){.base = (int)scratch, .index = -1};
	} else if (x86_is_fs_gs(op)) {
		load_segment_base(o, d, op, scratch);
		if (p->base >= 0)
			add_registers(o, scratch, scratch, (unsigned)p->base);
		p->base = (int)scratch;
	} else {
		p->is_plain = true;
	}
}

static const ZydisDecodedOperand *modrm_memory(const struct x86_decoded *d)
{
	return d->mem >= 0 ? &d->op[d->mem] : NULL;
}

bool xlt32_needs_low_scratch(const struct x86_decoded *d)
{
	const ZydisDecodedOperand *m = modrm_memory(d);

	if (!m || d->term != X86_TERM_FALL || !is_legacy(d) ||
	    (d->z.address_width != 16 && !x86_is_fs_gs(m)))
		return false;
	for (unsigned i = 0; i < d->z.operand_count_visible; i++)
		if (d->op[i].type == ZYDIS_OPERAND_TYPE_REGISTER &&
		    d->op[i].reg.value >= ZYDIS_REGISTER_AH &&
		    d->op[i].reg.value <= ZYDIS_REGISTER_BH)
			return true;
	return false;
}

/* Legacy prefixes that still mean something, each once. */
static void emit_prefixes(struct x86_out *o, const struct x86_decoded *d, bool has_memory)
{
	bool has_66 = false, has_lock = false;
	unsigned rep = 0;

	for (unsigned i = 0; i < d->z.raw.prefix_count; i++) {
		switch (d->byte[i]) {
		case 0x66: has_66 = true; break;
		case 0xf0: has_lock = true; break;
		case 0xf2:
		case 0xf3: rep = d->byte[i]; break;
		default: break;
		}
	}
	if (has_memory)
		emit8(o, 0x67);
	if (has_lock)
		emit8(o, 0xf0);
	if (has_66)
		emit8(o, 0x66);
	if (rep)
		emit8(o, rep);
}

/* Offset of the first opcode byte, VEX, EVEX or XOP prefix skipped. */
static unsigned opcode_offset(const struct x86_decoded *d)
{
	switch (d->z.encoding) {
	case ZYDIS_INSTRUCTION_ENCODING_VEX: return d->z.raw.vex.offset + d->z.raw.vex.size;
	case ZYDIS_INSTRUCTION_ENCODING_EVEX: return d->z.raw.evex.offset + 4u;
	case ZYDIS_INSTRUCTION_ENCODING_XOP: return d->z.raw.xop.offset + 3u;
	default: return d->z.raw.prefix_count;
	}
}

/* Does W choose the width of a general register? Then a 32-bit processor ignores it. */
static bool has_wide_gpr(const struct x86_decoded *d)
{
	for (unsigned i = 0; i < d->z.operand_count_visible; i++)
		if (d->op[i].type == ZYDIS_OPERAND_TYPE_REGISTER &&
		    x86_gpr_number(d->op[i].reg.value) >= 0)
			return true;
	return false;
}

/* The VEX, EVEX or XOP prefix with everything that could name a register above 7 cleared;
 * is_high_base: the base of the memory operand is such a one. */
static void emit_vector_prefix(struct x86_out *o, const struct x86_decoded *d, bool is_high_base)
{
	const uint8_t *b =
	    d->byte + (d->z.encoding == ZYDIS_INSTRUCTION_ENCODING_VEX	  ? d->z.raw.vex.offset
		       : d->z.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX ? d->z.raw.evex.offset
									  : d->z.raw.xop.offset);
	unsigned keep_w = has_wide_gpr(d) ? 0x7fu : 0xffu, not_b = is_high_base ? 0xdfu : 0xffu;

	if (d->z.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX) {
		emit8(o, b[0]);
		emit8(o, (b[1] | 0xf0u) & not_b);
		emit8(o, (b[2] | 0x40u) & keep_w);
		emit8(o, b[3] | 0x08u);
	} else if (d->z.encoding == ZYDIS_INSTRUCTION_ENCODING_VEX && d->z.raw.vex.size == 2) {
		if (!is_high_base) {
			emit8(o, b[0]);
			emit8(o, b[1] | 0xc0u);
			return;
		}
		emit8(o, 0xc4);
		emit8(o, 0xc1); /* R and X, not B; map 1 */
		emit8(o, (b[1] & 0x7fu) | 0x40u);
	} else {
		emit8(o, b[0]);
		emit8(o, (b[1] | 0xe0u) & not_b);
		emit8(o, (b[2] | 0x40u) & keep_w);
	}
}

/* Bytes behind ModRM, SIB and displacement. A register number in an immediate has 3 bits. */
static void emit_tail(struct x86_out *o, const struct x86_decoded *d, unsigned from)
{
	unsigned n = d->z.length - from;
	bool is_register = false;

	for (unsigned i = 0; i < d->z.operand_count_visible; i++)
		is_register |= d->op[i].encoding == ZYDIS_OPERAND_ENCODING_IS4;
	if (n == 1 && is_register)
		emit8(o, d->byte[from] & 0x7f);
	else
		emit_bytes(o, d->byte + from, n);
}

/* Copy with the prefixes and the memory operand that 64-bit code wants. */
static void copy_generic(struct x86_out *o, const struct x86_decoded *d, unsigned scratch)
{
	const ZydisDecodedOperand *m = modrm_memory(d);
	unsigned op_at = opcode_offset(d), modrm = d->z.raw.modrm.offset, mod = d->z.raw.modrm.mod;
	unsigned rm = d->z.raw.modrm.rm, tail;
	struct xlt32_place p = {.base = -1, .index = -1, .is_plain = true};

	if (m)
		xlt32_place(o, d, m, scratch, &p);
	emit_prefixes(o, d, memory_operand(d) != NULL);
	if (is_legacy(d))
		emit_rex(o, 0, -1, p.base);
	else
		emit_vector_prefix(o, d, p.base >= 8);
	if (!m) {
		emit_tail(o, d, op_at);
		return;
	}
	emit_bytes(o, d->byte + op_at, modrm - op_at);
	tail = modrm + 1u + (d->z.address_width == 32 && rm == 4) + d->z.raw.disp.size / 8u;
	if (!p.is_plain && m->mem.type == ZYDIS_MEMOP_TYPE_VSIB) {
		emit8(o, 0x84 | d->z.raw.modrm.reg << 3);
		emit8(o,
		      (unsigned)d->z.raw.sib.scale << 6 | d->z.raw.sib.index << 3 | (p.base & 7));
		emit32(o, (uint32_t)p.disp);
	} else if (!p.is_plain &&
		   !is_legacy(d)) { /* EVEX scales short displacements: none is short */
		emit8(o, 0x84 | d->z.raw.modrm.reg << 3);
		emit8(o, (p.scale == 8	 ? 3u
			  : p.scale == 4 ? 2u
			  : p.scale == 2 ? 1u
					 : 0u)
				 << 6 |
			     (p.index < 0 ? 4u : (unsigned)p.index) << 3 | (p.base & 7));
		emit32(o, (uint32_t)p.disp);
	} else if (!p.is_plain || (mod == 0 && rm == 5)) {
		xlt32_modrm(o, d->z.raw.modrm.reg, &p);
	} else {
		emit_bytes(o, d->byte + modrm, tail - modrm);
	}
	emit_tail(o, d, tail);
}

/* MOV between AL or eAX and an absolute address. */
static void absolute_move(struct x86_out *o, const struct x86_decoded *d, unsigned scratch)
{
	static const uint8_t with_modrm[4] = {0x8a, 0x8b, 0x88, 0x89};
	unsigned prefix = d->z.operand_width == 16 ? 0x66 : 0;
	struct xlt32_place p;

	xlt32_place(o, d, memory_operand(d), scratch, &p);
	xlt32_on_place(o, prefix, with_modrm[d->z.opcode & 3], X86_RAX, &p);
}

/* MOV r/m, segment register: the runtime keeps what the program would see. */
static void store_selector(struct x86_out *o, const struct x86_decoded *d, unsigned scratch)
{
	unsigned field = SHR_GS_SELECTOR + 2u * (unsigned)ZydisRegisterGetId(d->op[1].reg.value);
	const ZydisDecodedOperand *m = modrm_memory(d);
	unsigned to = m ? XLT32_OTHER : (unsigned)x86_gpr_number(d->op[0].reg.value);
	struct xlt32_place p, from = {.base = -1, .index = -1, .disp = (int32_t)field};

	if (m)
		xlt32_place(o, d, m, scratch, &p);
	emit8(o, 0x65);
	if (!m && d->z.operand_width == 16)
		xlt32_on_place(o, 0x66, 0x8b, to, &from);
	else
		xlt32_on_place(o, 0, 0x0fb7, to, &from);
	if (m)
		xlt32_on_place(o, 0x66, 0x89, to, &p);
}

static void salc(struct x86_out *o)
{
	emit_bytes(o, "\x41\x0f\x93\xc1", 4); /* setnc r9b */
	emit_bytes(o, "\x45\x0f\xb6\xc9", 4); /* movzx r9d, r9b */
	emit_bytes(o, "\x45\x8d\x49\xff", 4); /* lea r9d, [r9 - 1] */
	emit_bytes(o, "\x44\x88\xc8", 3);     /* mov al, r9b */
}

/* r9 = address of XLAT's byte less the segment's base */
static void xlat_address(struct x86_out *o, const struct x86_decoded *d)
{
	emit_bytes(o, "\x44\x0f\xb6\xc8", 4); /* movzx r9d, al */
	add_registers(o, XLT32_VALUE, X86_RBX, XLT32_VALUE);
	if (d->z.address_width == 16)
		xlt32_move_16(o, XLT32_VALUE, XLT32_VALUE);
}

static void xlat(struct x86_out *o, const struct x86_decoded *d)
{
	struct xlt32_place p = {.base = XLT32_VALUE, .index = -1};
	const ZydisDecodedOperand *m = memory_operand(d);

	xlat_address(o, d);
	if (x86_is_fs_gs(m)) {
		load_segment_base(o, d, m, XLT32_SCRATCH);
		add_registers(o, XLT32_VALUE, XLT32_VALUE, XLT32_SCRATCH);
	}
	xlt32_on_place(o, 0, 0x8a, X86_RAX, &p);
}

/* FXSAVE of 64-bit code stores XMM8 to XMM15 too: let them hold what is in memory there, so that it
 * stays. */
static void fxsave(struct x86_out *o, const struct x86_decoded *d, unsigned scratch)
{
	const ZydisDecodedOperand *m = modrm_memory(d);
	struct xlt32_place p;

	xlt32_place(o, d, m, scratch, &p);
	p.disp += 288;
	for (unsigned i = 8; i < 16; i++) {
		xlt32_on_place(o, 0, 0x0f10, i, &p); /* movups */
		p.disp += 16;
	}
	copy_generic(o, d, scratch);
}

void xlt32_copy(struct x86_out *o, const struct x86_decoded *d, unsigned scratch)
{
	bool is_first_map = is_legacy(d) && d->z.opcode_map == ZYDIS_OPCODE_MAP_DEFAULT;

	if (xlt32_stack(o, d, scratch))
		return;
	if (is_first_map && d->z.opcode >= 0x40 && d->z.opcode <= 0x4f) { /* INC, DEC */
		emit_prefixes(o, d, false);
		emit8(o, 0xff);
		emit8(o, 0xc0 | (d->z.opcode & 15));
	} else if (is_first_map && d->z.opcode == 0x82) {
		struct x86_decoded same = *d;

		same.byte[opcode_offset(d)] = 0x80;
		copy_generic(o, &same, scratch);
	} else if (is_first_map && d->z.opcode >= 0xa0 && d->z.opcode <= 0xa3) {
		absolute_move(o, d, scratch);
	} else if (is_first_map && d->z.opcode == 0x8c) {
		store_selector(o, d, scratch);
	} else if (d->z.mnemonic == ZYDIS_MNEMONIC_SALC) {
		salc(o);
	} else if (d->z.mnemonic == ZYDIS_MNEMONIC_XLAT) {
		xlat(o, d);
	} else if (d->z.mnemonic == ZYDIS_MNEMONIC_FXSAVE) {
		fxsave(o, d, scratch);
	} else {
		copy_generic(o, d, scratch);
	}
}

/* r8 += (bit offset >> log2(operand bits)) * operand bytes; flags are kept in rax, rax in r10. */
static void add_bit_offset(struct x86_out *o, const struct x86_decoded *d)
{
	unsigned reg = (unsigned)x86_gpr_number(d->op[1].reg.value);
	unsigned log2_bytes = d->z.operand_width == 32 ? 2 : 1;

	emit_bytes(o, "\x49\x89\xc2", 3);     /* mov r10, rax */
	emit_bytes(o, "\x9f\x0f\x90\xc0", 4); /* lahf; seto al */
	if (reg == X86_RAX)
		reg = XLT32_OTHER;
	emit_rex(o, XLT32_VALUE, -1, (int)reg);
	if (d->z.operand_width == 32)
		emit8(o, 0x8b);
	else
		emit_opcode(o, 0x0fbf); /* movsx */
	emit8(o, 0xc0 | (XLT32_VALUE & 7) << 3 | (reg & 7));
	emit_bytes(o, (uint8_t[]){0x41, 0xc1, 0xf9, (uint8_t)(log2_bytes + 3)}, 4); /* sar r9d, n */
	emit_bytes(o, (uint8_t[]){0x41, 0xc1, 0xe1, (uint8_t)log2_bytes}, 4);	    /* shl r9d, m */
	add_registers(o, XLT32_SCRATCH, XLT32_SCRATCH, XLT32_VALUE);
	emit_bytes(o, "\x04\x7f\x9e", 3); /* add al, 127; sahf */
	emit_bytes(o, "\x4c\x89\xd0", 3); /* mov rax, r10 */
}

void xlt32_address(struct x86_out *o, const struct x86_decoded *d, unsigned operand)
{
	const ZydisDecodedOperand *m = operand ? &d->op[operand - 1] : memory_operand(d);
	struct xlt32_place p;

	if (d->z.mnemonic == ZYDIS_MNEMONIC_XLAT) {
		xlat_address(o, d);
		xlt32_move(o, XLT32_SCRATCH, XLT32_VALUE);
		if (x86_is_fs_gs(m)) {
			load_segment_base(o, d, m, XLT32_VALUE);
			add_registers(o, XLT32_SCRATCH, XLT32_SCRATCH, XLT32_VALUE);
		}
		return;
	}
	if (d->mem >= 0)
		m = modrm_memory(d);
	xlt32_place(o, d, m, XLT32_SCRATCH, &p);
	if (d->z.mnemonic == ZYDIS_MNEMONIC_POP && x86_gpr_number(m->mem.base) == X86_RSP)
		p.disp += m->size / 8; /* POP [esp + x] uses the incremented ESP */
	emit_rex(o, XLT32_SCRATCH, p.index, p.base);
	emit8(o, 0x8d);
	xlt32_modrm(o, XLT32_SCRATCH, &p);
	if (x86_is_bit_string(d))
		add_bit_offset(o, d);
}

static unsigned load_opcode(enum xlt32_load what)
{
	return what == XLT32_LOAD_32 ? 0x8b : what == XLT32_LOAD_16 ? 0x0fb7 : 0x0fbf;
}

void xlt32_load(struct x86_out *o, const struct x86_decoded *d, enum xlt32_load what, unsigned reg,
		int32_t off)
{
	struct xlt32_place p;

	xlt32_place(o, d, modrm_memory(d), XLT32_SCRATCH, &p);
	p.disp = sext32((uint64_t)(int64_t)p.disp + (uint64_t)(int64_t)off);
	xlt32_on_place(o, 0, load_opcode(what), reg, &p);
}

void xlt32_load_base(struct x86_out *o, enum xlt32_load what, unsigned reg, unsigned base,
		     int32_t disp)
{
	xlt32_on_base(o, 0, load_opcode(what), reg, base, disp);
}

void xlt32_move_stack(struct x86_out *o, int32_t n)
{
	xlt32_on_base(o, 0, 0x8d, X86_RSP, X86_RSP, n);
}
