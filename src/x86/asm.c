/* asm.c -- encodings of asm.h.
 *
 * SOURCES   Intel 64 and IA-32 Architectures SDM, volume 2: chapter 2 for prefixes, ModRM and SIB.
 */
#include "x86/asm.h"

#define PREFIX_16 0x66u /* operands of two bytes; also a part of opcodes */
#define BYTE_FORM 1u	/* this bit of an opcode is off in forms on bytes */

static bool is_memory(struct x86_operand x)
{
	return x.kind == X86_OPERAND_MEM || x.kind == X86_OPERAND_DATA;
}

static bool is_immediate(struct x86_operand x)
{
	return x.kind == X86_OPERAND_IMM || x.kind == X86_OPERAND_IMM32;
}

static bool is_imm8(struct x86_operand x)
{
	return x.kind == X86_OPERAND_IMM && x.value == (int8_t)x.value;
}

/* Does it fit four bytes, of an operand of so many? Fewer than 8 take them as signed or not. */
static bool is_imm32(int64_t x, unsigned bytes)
{
	return x == (int32_t)x || (bytes < 8 && x == (uint32_t)x);
}

/* ---- forms ------------------------------------------------------------------------------- */

/* One instruction but for its immediate. */
struct form {
	uint32_t opcode;    /* its bytes, the first one uppermost; 0x0f.. has two */
	unsigned prefix;    /* PREFIX_16 or 0 */
	bool is_wide;	    /* REX.W */
	bool has_low_byte;  /* one of spl, bpl, sil and dil, which need REX */
	unsigned reg;	    /* number in the reg field */
	unsigned imm_bytes; /* that follow, for DATA() */
};

static void put_rex(struct x86_asm *a, const struct form *f, struct x86_operand rm)
{
	const bool has_index = is_memory(rm) && rm.index != X86_NO_INDEX;
	const unsigned bits = (unsigned)f->is_wide << 3 | (f->reg >> 3) << 2 |
			      (has_index ? rm.index >> 3u << 1 : 0) |
			      (rm.kind == X86_OPERAND_DATA ? 0 : rm.reg >> 3u);

	if (bits || f->has_low_byte)
		emit8(a->out, 0x40 | bits);
}

/* ModRM, SIB and displacement of memory by registers. */
static void put_memory(struct x86_asm *a, unsigned reg, struct x86_operand m)
{
	const unsigned base = m.reg & 7;
	const bool has_sib = m.index != X86_NO_INDEX || base == 4;
	const bool has_disp = m.value || m.disp_bytes || base == 5;
	const bool is_short = m.value == (int8_t)m.value && m.disp_bytes != 4;
	const unsigned mod = !has_disp ? 0 : is_short ? 1 : 2;

	a->is_bad |= m.value != (int32_t)m.value || m.index == 4;
	emit8(a->out, mod << 6 | reg << 3 | (has_sib ? 4 : base));
	if (has_sib)
		emit8(a->out, (unsigned)m.scale_log2 << 6 |
				  (m.index == X86_NO_INDEX ? 4u : m.index & 7u) << 3 | base);
	if (mod == 1)
		emit8(a->out, (uint8_t)m.value);
	else if (mod == 2)
		emit32(a->out, (uint32_t)m.value);
}

static void put_rm(struct x86_asm *a, const struct form *f, struct x86_operand rm)
{
	const unsigned reg = f->reg & 7;
	int64_t away;

	if (rm.kind == X86_OPERAND_REG) {
		emit8(a->out, 3 << 6 | reg << 3 | (rm.reg & 7u));
	} else if (rm.kind == X86_OPERAND_DATA) {
		emit8(a->out, reg << 3 | 5);
		away =
		    rm.value - (int64_t)(uintptr_t)(a->out->base + a->out->off + 4 + f->imm_bytes);
		a->is_bad |= away != (int32_t)away;
		emit32(a->out, (uint32_t)away);
	} else {
		put_memory(a, reg, rm);
	}
}

static void put_form(struct x86_asm *a, const struct form *f, struct x86_operand rm)
{
	a->is_bad |= is_immediate(rm);
	if (f->prefix)
		emit8(a->out, f->prefix);
	put_rex(a, f, rm);
	if (f->opcode >> 8)
		emit8(a->out, f->opcode >> 8);
	emit8(a->out, f->opcode & 0xff);
	put_rm(a, f, rm);
}

static bool is_low_byte(struct x86_operand x)
{
	return x.kind == X86_OPERAND_REG && x.bytes == 1 && x.reg >= 4;
}

/* An instruction on operands of so many bytes; opcode: of the form for more than one byte. */
static void put_sized(struct x86_asm *a, uint32_t opcode, unsigned bytes, struct x86_operand reg,
		      struct x86_operand rm, unsigned imm_bytes)
{
	put_form(a,
		 &(struct form){bytes == 1 ? opcode & ~BYTE_FORM : opcode,
				bytes == 2 ? PREFIX_16 : 0, bytes == 8,
				is_low_byte(reg) || is_low_byte(rm), reg.reg, imm_bytes},
		 rm);
	a->is_bad |= bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8;
}

/* The reg field holds a part of the opcode. */
static struct x86_operand part(unsigned number)
{
	return X86_REGISTER(4, (uint8_t)number);
}

static void put_immediate(struct x86_asm *a, int64_t x, unsigned bytes)
{
	a->is_bad |= bytes == 1	  ? x != (int8_t)x && x != (uint8_t)x
		     : bytes == 2 ? x != (int16_t)x && x != (uint16_t)x
				  : false;
	if (bytes == 1)
		emit8(a->out, (uint8_t)x);
	else if (bytes == 2)
		emit_bytes(a->out, &(uint16_t){(uint16_t)x}, 2);
	else
		emit32(a->out, (uint32_t)x);
}

static unsigned imm_bytes_of(unsigned bytes)
{
	return bytes < 4 ? bytes : 4;
}

/* ---- arithmetic -------------------------------------------------------------------------- */

/* The eight instructions that are encoded alike, by number: add or adc sbb and sub xor cmp. */
static void put_alu_immediate(struct x86_asm *a, unsigned number, struct x86_operand x,
			      struct x86_operand imm)
{
	const bool is_short = is_imm8(imm) && x.bytes != 1;
	const unsigned n = is_short ? 1 : imm_bytes_of(x.bytes);

	a->is_bad |= !is_imm32(imm.value, x.bytes);
	if (x.kind == X86_OPERAND_REG && x.reg == 0 &&
	    !is_short) { /* al, ax, eax, rax have an opcode of their own */
		if (x.bytes == 2)
			emit8(a->out, PREFIX_16);
		if (x.bytes == 8)
			emit8(a->out, 0x48);
		emit8(a->out, number << 3 | 4 | (x.bytes != 1));
	} else {
		put_sized(a, is_short ? 0x83 : 0x81, x.bytes, part(number), x, n);
	}
	put_immediate(a, imm.value, n);
}

static void put_alu(struct x86_asm *a, unsigned number, struct x86_operand to,
		    struct x86_operand from)
{
	if (is_immediate(from))
		put_alu_immediate(a, number, to, from);
	else if (is_memory(from))
		put_sized(a, number << 3 | 3, to.bytes, to, from, 0);
	else
		put_sized(a, number << 3 | 1, from.bytes, from, to, 0);
}

void x86_add(struct x86_asm *a, struct x86_operand to, struct x86_operand from)
{
	put_alu(a, 0, to, from);
}

void x86_or(struct x86_asm *a, struct x86_operand to, struct x86_operand from)
{
	put_alu(a, 1, to, from);
}

void x86_adc(struct x86_asm *a, struct x86_operand to, struct x86_operand from)
{
	put_alu(a, 2, to, from);
}

void x86_sbb(struct x86_asm *a, struct x86_operand to, struct x86_operand from)
{
	put_alu(a, 3, to, from);
}

void x86_and(struct x86_asm *a, struct x86_operand to, struct x86_operand from)
{
	put_alu(a, 4, to, from);
}

void x86_sub(struct x86_asm *a, struct x86_operand to, struct x86_operand from)
{
	put_alu(a, 5, to, from);
}

void x86_xor(struct x86_asm *a, struct x86_operand to, struct x86_operand from)
{
	put_alu(a, 6, to, from);
}

void x86_cmp(struct x86_asm *a, struct x86_operand x, struct x86_operand y)
{
	put_alu(a, 7, x, y);
}

static void test_immediate(struct x86_asm *a, struct x86_operand x, struct x86_operand imm)
{
	const unsigned n = imm_bytes_of(x.bytes);

	a->is_bad |= !is_imm32(imm.value, x.bytes);
	if (x.kind == X86_OPERAND_REG && x.reg == 0) {
		if (x.bytes == 2)
			emit8(a->out, PREFIX_16);
		if (x.bytes == 8)
			emit8(a->out, 0x48);
		emit8(a->out, 0xa8 | (x.bytes != 1));
	} else {
		put_sized(a, 0xf7, x.bytes, part(0), x, n);
	}
	put_immediate(a, imm.value, n);
}

void x86_test(struct x86_asm *a, struct x86_operand x, struct x86_operand y)
{
	if (is_immediate(y))
		test_immediate(a, x, y);
	else if (is_memory(y))
		put_sized(a, 0x85, x.bytes, x, y, 0);
	else
		put_sized(a, 0x85, y.bytes, y, x, 0);
}

void x86_inc(struct x86_asm *a, struct x86_operand x)
{
	put_sized(a, 0xff, x.bytes, part(0), x, 0);
}

void x86_dec(struct x86_asm *a, struct x86_operand x)
{
	put_sized(a, 0xff, x.bytes, part(1), x, 0);
}

void x86_not(struct x86_asm *a, struct x86_operand x)
{
	put_sized(a, 0xf7, x.bytes, part(2), x, 0);
}

void x86_neg(struct x86_asm *a, struct x86_operand x)
{
	put_sized(a, 0xf7, x.bytes, part(3), x, 0);
}

static void put_shift(struct x86_asm *a, unsigned number, struct x86_operand x, unsigned bits)
{
	a->is_bad |= bits >= 8u * x.bytes;
	put_sized(a, bits == 1 ? 0xd1 : 0xc1, x.bytes, part(number), x, bits != 1);
	if (bits != 1)
		emit8(a->out, bits);
}

void x86_shl(struct x86_asm *a, struct x86_operand x, unsigned bits)
{
	put_shift(a, 4, x, bits);
}

void x86_shr(struct x86_asm *a, struct x86_operand x, unsigned bits)
{
	put_shift(a, 5, x, bits);
}

void x86_imul(struct x86_asm *a, struct x86_operand to, struct x86_operand from,
	      struct x86_operand imm)
{
	const unsigned n = is_imm8(imm) ? 1 : imm_bytes_of(to.bytes);

	a->is_bad |= to.bytes == 1 || !is_imm32(imm.value, to.bytes);
	put_sized(a, n == 1 ? 0x6b : 0x69, to.bytes, to, from, n);
	put_immediate(a, imm.value, n);
}

void x86_bsf(struct x86_asm *a, struct x86_operand to, struct x86_operand from)
{
	a->is_bad |= to.bytes == 1;
	put_sized(a, 0x0fbc, to.bytes, to, from, 0);
}

/* number: in the reg field of the form with an immediate */
static void put_bit(struct x86_asm *a, unsigned number, struct x86_operand x,
		    struct x86_operand bit)
{
	if (is_immediate(bit)) {
		a->is_bad |= x.bytes == 1;
		put_sized(a, 0x0fba, x.bytes, part(number), x, 1);
		put_immediate(a, bit.value, 1);
	} else {
		a->is_bad |= bit.bytes == 1;
		put_sized(a, 0x0f83 | number << 3, bit.bytes, bit, x, 0);
	}
}

void x86_bt(struct x86_asm *a, struct x86_operand x, struct x86_operand bit)
{
	put_bit(a, 4, x, bit);
}

void x86_bts(struct x86_asm *a, struct x86_operand x, struct x86_operand bit)
{
	put_bit(a, 5, x, bit);
}

void x86_btr(struct x86_asm *a, struct x86_operand x, struct x86_operand bit)
{
	put_bit(a, 6, x, bit);
}

/* ---- moves ------------------------------------------------------------------------------- */

/* Opcodes without ModRM whose last bits are the register's number. */
static void put_short(struct x86_asm *a, unsigned opcode, unsigned reg, bool is_wide)
{
	const unsigned rex = (unsigned)is_wide << 3 | reg >> 3;

	if (rex)
		emit8(a->out, 0x40 | rex);
	emit8(a->out, opcode | (reg & 7));
}

static void mov_immediate(struct x86_asm *a, struct x86_operand to, struct x86_operand imm)
{
	if (to.kind == X86_OPERAND_REG && to.bytes == 8 && !is_imm32(imm.value, 8)) {
		emit_mov_imm64(a->out, to.reg, (uint64_t)imm.value);
		return;
	}
	a->is_bad |= !is_imm32(imm.value, to.bytes);
	if (to.kind == X86_OPERAND_REG && to.bytes == 4)
		put_short(a, 0xb8, to.reg, false);
	else
		put_sized(a, 0xc7, to.bytes, part(0), to, imm_bytes_of(to.bytes));
	put_immediate(a, imm.value, imm_bytes_of(to.bytes));
}

void x86_mov(struct x86_asm *a, struct x86_operand to, struct x86_operand from)
{
	if (is_immediate(from))
		mov_immediate(a, to, from);
	else if (is_memory(from))
		put_sized(a, 0x8b, to.bytes, to, from, 0);
	else
		put_sized(a, 0x89, from.bytes, from, to, 0);
}

void x86_value(struct x86_asm *a, struct x86_operand reg, uint64_t x)
{
	if (x == (uint32_t)x)
		x86_mov(a, X86_REGISTER(4, reg.reg), IMM(x)); /* clears the rest */
	else
		x86_mov(a, reg, IMM(x));
}

void x86_lea(struct x86_asm *a, struct x86_operand to, struct x86_operand m)
{
	a->is_bad |= to.bytes < 4 || !is_memory(m);
	put_sized(a, 0x8d, to.bytes, to, m, 0);
}

void x86_movzx(struct x86_asm *a, struct x86_operand to, struct x86_operand from)
{
	a->is_bad |= from.bytes != 1 && from.bytes != 2;
	put_form(a,
		 &(struct form){from.bytes == 1 ? 0x0fb6 : 0x0fb7, 0, to.bytes == 8,
				is_low_byte(from), to.reg, 0},
		 from);
}

void x86_setcc(struct x86_asm *a, enum x86_cc cc, struct x86_operand to)
{
	put_form(a, &(struct form){0x0f90 | cc, 0, false, is_low_byte(to), 0, 0}, to);
}

void x86_cmovcc(struct x86_asm *a, enum x86_cc cc, struct x86_operand to, struct x86_operand from)
{
	put_form(a, &(struct form){0x0f40 | cc, 0, to.bytes == 8, false, to.reg, 0}, from);
}

void x86_push(struct x86_asm *a, struct x86_operand reg)
{
	put_short(a, 0x50, reg.reg, false);
}

void x86_pop(struct x86_asm *a, struct x86_operand reg)
{
	put_short(a, 0x58, reg.reg, false);
}

void x86_cmc(struct x86_asm *a)
{
	emit8(a->out, 0xf5);
}

void x86_nop(struct x86_asm *a)
{
	emit8(a->out, 0x90);
}

void x86_prefetcht0(struct x86_asm *a, struct x86_operand m)
{
	put_form(a, &(struct form){.opcode = 0x0f18, .reg = 1}, m);
}

void x86_prefetcht1(struct x86_asm *a, struct x86_operand m)
{
	put_form(a, &(struct form){.opcode = 0x0f18, .reg = 2}, m);
}

/* ---- vectors ----------------------------------------------------------------------------- */

static void put_vector(struct x86_asm *a, unsigned prefix, unsigned opcode, struct x86_operand reg,
		       struct x86_operand rm, unsigned imm_bytes)
{
	put_form(a, &(struct form){0x0f00 | opcode, prefix, false, false, reg.reg, imm_bytes}, rm);
}

static bool is_vector(struct x86_operand x)
{
	return x.kind == X86_OPERAND_REG && x.bytes == 16;
}

void x86_movd(struct x86_asm *a, struct x86_operand to, struct x86_operand from)
{
	if (is_vector(to))
		put_vector(a, PREFIX_16, 0x6e, to, from, 0);
	else
		put_vector(a, PREFIX_16, 0x7e, from, to, 0);
}

void x86_movdqa(struct x86_asm *a, struct x86_operand to, struct x86_operand from)
{
	if (is_vector(to))
		put_vector(a, PREFIX_16, 0x6f, to, from, 0);
	else
		put_vector(a, PREFIX_16, 0x7f, from, to, 0);
}

void x86_pshufd(struct x86_asm *a, struct x86_operand to, struct x86_operand from, unsigned order)
{
	put_vector(a, PREFIX_16, 0x70, to, from, 1);
	emit8(a->out, order);
}

void x86_pcmpeqd(struct x86_asm *a, struct x86_operand to, struct x86_operand from)
{
	put_vector(a, PREFIX_16, 0x76, to, from, 0);
}

void x86_por(struct x86_asm *a, struct x86_operand to, struct x86_operand from)
{
	put_vector(a, PREFIX_16, 0xeb, to, from, 0);
}

void x86_movmskps(struct x86_asm *a, struct x86_operand to, struct x86_operand from)
{
	put_vector(a, 0, 0x50, to, from, 0);
}

void x86_pmovmskb(struct x86_asm *a, struct x86_operand to, struct x86_operand from)
{
	put_vector(a, PREFIX_16, 0xd7, to, from, 0);
}

/* ---- jumps ------------------------------------------------------------------------------- */

void x86_land(struct x86_asm *a, struct x86_label *l)
{
	uint8_t *base = a->out->base;
	const uint32_t here = a->out->off;
	uint32_t before, away;

	for (uint32_t at = l->jump; at; at = before) {
		memcpy(&before, base + at - 4, 4);
		emit_patch(base, at - 4, here);
	}
	for (uint32_t at = l->short_jump; at; at = away ? at - away : 0) {
		away = base[at - 1];
		a->is_bad |= here - at > 127;
		base[at - 1] = (uint8_t)(here - at);
	}
	*l = (struct x86_label){.at = here};
}

/* The displacement of a jump whose opcode is written: to the label, or a link of its list. */
static void put_to_label(struct x86_asm *a, struct x86_label *to)
{
	if (to->at) {
		emit32(a->out, to->at - (a->out->off + 4));
		return;
	}
	emit32(a->out, to->jump);
	to->jump = a->out->off;
}

static void put_short_to_label(struct x86_asm *a, struct x86_label *to)
{
	const uint32_t behind = a->out->off + 1;
	const int64_t away = to->at	      ? (int64_t)to->at - behind
			     : to->short_jump ? (int64_t)behind - to->short_jump
					      : 0;

	a->is_bad |= away != (int8_t)away;
	emit8(a->out, (uint8_t)away);
	if (!to->at)
		to->short_jump = behind;
}

void x86_jmp(struct x86_asm *a, struct x86_label *to)
{
	emit8(a->out, 0xe9);
	put_to_label(a, to);
}

void x86_jcc(struct x86_asm *a, enum x86_cc cc, struct x86_label *to)
{
	emit8(a->out, 0x0f);
	emit8(a->out, 0x80 | cc);
	put_to_label(a, to);
}

void x86_jmp_short(struct x86_asm *a, struct x86_label *to)
{
	emit8(a->out, 0xeb);
	put_short_to_label(a, to);
}

void x86_jcc_short(struct x86_asm *a, enum x86_cc cc, struct x86_label *to)
{
	emit8(a->out, 0x70 | cc);
	put_short_to_label(a, to);
}

void x86_jmp_to(struct x86_asm *a, uint32_t to)
{
	emit_jump(a->out, to);
}

void x86_jcc_to(struct x86_asm *a, enum x86_cc cc, uint32_t to)
{
	emit8(a->out, 0x0f);
	emit8(a->out, 0x80 | cc);
	emit32(a->out, to - (a->out->off + 4));
}

void x86_call_to(struct x86_asm *a, uint32_t to)
{
	emit8(a->out, 0xe8);
	emit32(a->out, to - (a->out->off + 4));
}

void x86_jmp_by(struct x86_asm *a, struct x86_operand to)
{
	put_form(a, &(struct form){.opcode = 0xff, .reg = 4}, to);
}

void x86_call_by(struct x86_asm *a, struct x86_operand to)
{
	put_form(a, &(struct form){.opcode = 0xff, .reg = 2}, to);
}

void x86_ret(struct x86_asm *a)
{
	emit8(a->out, 0xc3);
}
