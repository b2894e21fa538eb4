/* The assembler of host code: what it writes, Zydis decodes as what was asked for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <Zydis/Zydis.h>

#include "x86/asm.h"

#define N(list) (sizeof(list) / sizeof((list)[0]))

static uint8_t code[256];
static int data_beside[4]; /* for NEAR() */

static struct x86_out out;
static struct x86_asm asm_state;
static struct x86_asm *const a = &asm_state;
static ZydisDecodedInstruction insn;
static ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];

static const int64_t disps[] = {0, 1, 8, -1, 127, -128, 128, -129, 0x12345678, INT32_MIN};
static const unsigned widths[] = {1, 2, 4, 8};

static void begin(void)
{
	out = (struct x86_out){.base = code};
	asm_state = (struct x86_asm){&out, data_beside, false};
}

/* An address so far from p; nothing need be there. */
static const void *away(const void *p, int64_t n)
{
	return (const void *)((uintptr_t)p + (uintptr_t)n);
}

/* ---- comparing with Zydis ---------------------------------------------------------------- */

static ZydisRegister zydis_register(unsigned bytes, unsigned number)
{
	static const ZydisRegisterClass of_size[] = {[2] = ZYDIS_REGCLASS_GPR16,
						     [4] = ZYDIS_REGCLASS_GPR32,
						     [8] = ZYDIS_REGCLASS_GPR64,
						     [16] = ZYDIS_REGCLASS_XMM};

	if (bytes == 1)
		return number < 4 ? ZYDIS_REGISTER_AL + number : ZYDIS_REGISTER_SPL + number - 4;
	return ZydisRegisterEncode(of_size[bytes], (ZyanU8)number);
}

static uint64_t mask_of(unsigned bits)
{
	return bits >= 64 ? UINT64_MAX : (1ull << bits) - 1;
}

static void same_memory(const ZydisDecodedOperand *o, struct x86_operand want)
{
	assert_int_equal(o->type, ZYDIS_OPERAND_TYPE_MEMORY);
	if (want.kind == X86_OPERAND_DATA) {
		assert_int_equal(o->mem.base, ZYDIS_REGISTER_RIP);
		assert_int_equal((uint64_t)(uintptr_t)code + out.off + (uint64_t)o->mem.disp.value,
				 want.value);
		return;
	}
	assert_int_equal(o->mem.base, zydis_register(8, want.reg));
	assert_int_equal(o->mem.disp.value, want.value);
	if (want.index == X86_NO_INDEX) {
		assert_int_equal(o->mem.index, ZYDIS_REGISTER_NONE);
	} else {
		assert_int_equal(o->mem.index, zydis_register(8, want.index));
		assert_int_equal(o->mem.scale, 1u << want.scale_log2);
	}
}

/* bytes: of memory or of an immediate, which registers tell themselves */
static void same(const ZydisDecodedOperand *o, struct x86_operand want, unsigned bytes)
{
	switch (want.kind) {
	case X86_OPERAND_REG:
		assert_int_equal(o->type, ZYDIS_OPERAND_TYPE_REGISTER);
		assert_int_equal(o->reg.value, zydis_register(want.bytes, want.reg));
		break;
	case X86_OPERAND_IMM:
	case X86_OPERAND_IMM32:
		assert_int_equal(o->type, ZYDIS_OPERAND_TYPE_IMMEDIATE);
		assert_int_equal(o->imm.value.u & mask_of(8 * bytes),
				 (uint64_t)want.value & mask_of(8 * bytes));
		break;
	default:
		same_memory(o, want);
		if (bytes)
			assert_int_equal(o->size, 8 * bytes);
	}
}

/* One instruction was written: this one. */
static void is_one(ZydisMnemonic mnemonic)
{
	ZydisDecoder d;

	assert_false(asm_state.is_bad);
	ZydisDecoderInit(&d, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	assert_true(ZYAN_SUCCESS(ZydisDecoderDecodeFull(&d, code, out.off, &insn, op)));
	assert_int_equal(insn.length, out.off);
	assert_int_equal(insn.mnemonic, mnemonic);
}

static void is_with(ZydisMnemonic mnemonic, struct x86_operand x, struct x86_operand y,
		    unsigned bytes)
{
	is_one(mnemonic);
	same(&op[0], x, bytes);
	same(&op[1], y, bytes);
}

/* ---- all memory operands ----------------------------------------------------------------- */

typedef void with_memory(struct x86_operand m, const void *what);

/* Every base, every index and scale, every length of displacement, and what is near. */
static void each_memory(with_memory *f, const void *what)
{
	for (unsigned d = 0; d < N(disps); d++)
		for (unsigned base = 0; base < 16; base++) {
			f(MEM(X86_REGISTER(8, (uint8_t)base), disps[d]), what);
			for (unsigned index = 0; index < 16; index++)
				if (index != 4)
					f(MEM_X(X86_REGISTER(8, (uint8_t)base),
						X86_REGISTER(8, (uint8_t)index),
						1u << (index + base + d) % 4, disps[d]),
					  what);
		}
	f(NEAR(a, data_beside), what);
	f(NEAR(a, data_beside + 3), what);
	f(NEAR_X(a, away(data_beside, -1000), R9, 8), what);
	f(DATA(code), what);
	f(DATA(away(code, 1000)), what);
}

/* ---- arithmetic -------------------------------------------------------------------------- */

typedef void two(struct x86_asm *as, struct x86_operand x, struct x86_operand y);

struct pair {
	two *write;
	ZydisMnemonic mnemonic;
};

static const struct pair alu[] = {
    {x86_add, ZYDIS_MNEMONIC_ADD},   {x86_or, ZYDIS_MNEMONIC_OR},   {x86_adc, ZYDIS_MNEMONIC_ADC},
    {x86_sbb, ZYDIS_MNEMONIC_SBB},   {x86_and, ZYDIS_MNEMONIC_AND}, {x86_sub, ZYDIS_MNEMONIC_SUB},
    {x86_xor, ZYDIS_MNEMONIC_XOR},   {x86_cmp, ZYDIS_MNEMONIC_CMP}, {x86_mov, ZYDIS_MNEMONIC_MOV},
    {x86_test, ZYDIS_MNEMONIC_TEST},
};

static void write_two(const struct pair *p, struct x86_operand x, struct x86_operand y,
		      unsigned bytes)
{
	begin();
	p->write(a, x, y);
	if (p->write == x86_test && x.kind == X86_OPERAND_REG && y.kind == X86_OPERAND_MEM)
		is_with(p->mnemonic, y, x, bytes); /* it has one form for both orders */
	else
		is_with(p->mnemonic, x, y, bytes);
}

static void registers_of_every_width(void **state)
{
	(void)state;
	for (unsigned i = 0; i < N(alu); i++)
		for (unsigned w = 0; w < N(widths); w++)
			for (unsigned x = 0; x < 16; x++)
				for (unsigned y = 0; y < 16; y++)
					write_two(&alu[i],
						  X86_REGISTER((uint8_t)widths[w], (uint8_t)x),
						  X86_REGISTER((uint8_t)widths[w], (uint8_t)y),
						  widths[w]);
}

static const int64_t imms[] = {0,   1,	    -1,		127,	   -128,      128,
			       255, 0x7fff, 0x12345678, INT32_MIN, UINT32_MAX};

static bool fits(int64_t x, unsigned bytes)
{
	const int64_t most = bytes == 8 ? INT32_MAX : (int64_t)mask_of(8 * bytes);
	const int64_t least = bytes == 8 ? INT32_MIN : -(1ll << (8 * bytes - 1));

	return x >= least && x <= most;
}

static void immediates_of_every_length(void **state)
{
	(void)state;
	for (unsigned i = 0; i < N(alu); i++)
		for (unsigned w = 0; w < N(widths); w++)
			for (unsigned v = 0; v < N(imms); v++) {
				const unsigned bytes = widths[w];

				if (!fits(imms[v], bytes))
					continue;
				for (unsigned x = 0; x < 16; x++)
					write_two(&alu[i], X86_REGISTER((uint8_t)bytes, (uint8_t)x),
						  IMM(imms[v]), bytes);
				write_two(&alu[i], x86_wide(MEM(R12, 8), bytes), IMM(imms[v]),
					  bytes);
				write_two(&alu[i], x86_wide(MEM_X(RBP, R13, 4, 0), bytes),
					  IMM(imms[v]), bytes);
				write_two(&alu[i], x86_wide(NEAR(a, data_beside + 1), bytes),
					  IMM(imms[v]), bytes);
				write_two(&alu[i], x86_wide(DATA(away(code, 500)), bytes),
					  IMM(imms[v]), bytes);
			}
}

/* The shortest form is taken, but four bytes where they are to be patched. */
static void immediates_are_short_or_patched(void **state)
{
	(void)state;
	begin();
	x86_cmp(a, EAX, IMM(1));
	assert_int_equal(out.off, 3);
	begin();
	x86_cmp(a, EAX, IMM32(1));
	assert_int_equal(out.off, 5);
	assert_memory_equal(code + 1, "\1\0\0\0", 4);
	begin();
	x86_add(a, QWORD(MEM(RCX, 0)), IMM32(-1));
	is_with(ZYDIS_MNEMONIC_ADD, MEM(RCX, 0), IMM(-1), 8);
	assert_int_equal(out.off, 7);
}

static void all_widths_with_memory(struct x86_operand m, const void *what)
{
	const struct pair *p = what;
	const unsigned reg = (unsigned)(m.value + m.reg) & 15;

	for (unsigned w = 0; w < N(widths); w++) {
		const struct x86_operand r = X86_REGISTER((uint8_t)widths[w], (uint8_t)reg);

		write_two(p, m, r, widths[w]);
		begin();
		p->write(a, r, m);
		if (p->write == x86_test)
			is_with(p->mnemonic, m, r, widths[w]);
		else
			is_with(p->mnemonic, r, m, widths[w]);
	}
}

static void memory_of_every_shape(void **state)
{
	(void)state;
	for (unsigned i = 0; i < N(alu); i++)
		each_memory(all_widths_with_memory, &alu[i]);
}

static void one_operand(struct x86_operand x, unsigned bytes)
{
	begin();
	x86_inc(a, x);
	is_one(ZYDIS_MNEMONIC_INC);
	same(&op[0], x, bytes);
	begin();
	x86_dec(a, x);
	is_one(ZYDIS_MNEMONIC_DEC);
	same(&op[0], x, bytes);
	begin();
	x86_not(a, x);
	is_one(ZYDIS_MNEMONIC_NOT);
	same(&op[0], x, bytes);
	begin();
	x86_neg(a, x);
	is_one(ZYDIS_MNEMONIC_NEG);
	same(&op[0], x, bytes);
	for (unsigned n = 0; n < 8 * bytes; n += 1 + n / 2) {
		begin();
		x86_shl(a, x, n);
		is_with(ZYDIS_MNEMONIC_SHL, x, IMM(n), 0);
		assert_int_equal(op[1].imm.value.u, n);
		begin();
		x86_shr(a, x, n);
		is_with(ZYDIS_MNEMONIC_SHR, x, IMM(n), 0);
		assert_int_equal(op[1].imm.value.u, n);
	}
}

static void single_operands(void **state)
{
	(void)state;
	for (unsigned w = 0; w < N(widths); w++) {
		for (unsigned x = 0; x < 16; x++)
			one_operand(X86_REGISTER((uint8_t)widths[w], (uint8_t)x), widths[w]);
		one_operand(x86_wide(MEM(R13, 0), widths[w]), widths[w]);
		one_operand(x86_wide(MEM_X(RBX, R10, 8, 300), widths[w]), widths[w]);
		one_operand(x86_wide(DATA(code + 77), widths[w]), widths[w]);
	}
}

/* ---- moves and bits ---------------------------------------------------------------------- */

static void to_register(two *write, ZydisMnemonic mnemonic, struct x86_operand to,
			struct x86_operand from, unsigned bytes)
{
	begin();
	write(a, to, from);
	is_with(mnemonic, to, from, bytes);
}

static void moves_from_memory(struct x86_operand m, const void *what)
{
	const uint8_t n = (m.value + m.reg) & 15;

	(void)what;
	for (unsigned wide = 4; wide <= 8; wide += 4) {
		const struct x86_operand r = X86_REGISTER((uint8_t)wide, n);

		to_register(x86_lea, ZYDIS_MNEMONIC_LEA, r, m, 0);
		to_register(x86_movzx, ZYDIS_MNEMONIC_MOVZX, r, BYTE(m), 1);
		to_register(x86_movzx, ZYDIS_MNEMONIC_MOVZX, r, WORD(m), 2);
		to_register(x86_bsf, ZYDIS_MNEMONIC_BSF, r, m, wide);
		begin();
		x86_cmovcc(a, X86_CC_NE, r, m);
		is_with(ZYDIS_MNEMONIC_CMOVNZ, r, m, wide);
		begin();
		x86_imul(a, r, m, IMM(100));
		is_with(ZYDIS_MNEMONIC_IMUL, r, m, wide);
		assert_int_equal(op[2].imm.value.s, 100);
		begin();
		x86_imul(a, r, m, IMM(1000));
		is_with(ZYDIS_MNEMONIC_IMUL, r, m, wide);
		assert_int_equal(op[2].imm.value.s, 1000);
	}
	begin();
	x86_setcc(a, X86_CC_A, m);
	is_one(ZYDIS_MNEMONIC_SETNBE);
	same(&op[0], m, 1);
	begin();
	x86_prefetcht0(a, m);
	is_one(ZYDIS_MNEMONIC_PREFETCHT0);
	same(&op[0], m, 0);
	begin();
	x86_prefetcht1(a, m);
	is_one(ZYDIS_MNEMONIC_PREFETCHT1);
	same(&op[0], m, 0);
}

static void moves(void **state)
{
	(void)state;
	each_memory(moves_from_memory, NULL);
	for (unsigned x = 0; x < 16; x++)
		for (unsigned y = 0; y < 16; y++) {
			const struct x86_operand to = X86_REGISTER(4, (uint8_t)x),
						 wide = X86_REGISTER(8, (uint8_t)x),
						 from = X86_REGISTER(4, (uint8_t)y);

			to_register(x86_movzx, ZYDIS_MNEMONIC_MOVZX, to,
				    X86_REGISTER(1, (uint8_t)y), 0);
			to_register(x86_movzx, ZYDIS_MNEMONIC_MOVZX, wide,
				    X86_REGISTER(2, (uint8_t)y), 0);
			to_register(x86_bsf, ZYDIS_MNEMONIC_BSF, to, from, 0);
			to_register(x86_bt, ZYDIS_MNEMONIC_BT, to, from, 0);
			to_register(x86_bts, ZYDIS_MNEMONIC_BTS, to, from, 0);
			to_register(x86_btr, ZYDIS_MNEMONIC_BTR, to, from, 0);
			to_register(x86_bt, ZYDIS_MNEMONIC_BT, wide, X86_REGISTER(8, (uint8_t)y),
				    0);
			to_register(x86_bts, ZYDIS_MNEMONIC_BTS, to, IMM(31), 1);
			begin();
			x86_cmovcc(a, X86_CC_E, to, from);
			is_with(ZYDIS_MNEMONIC_CMOVZ, to, from, 0);
			begin();
			x86_imul(a, wide, X86_REGISTER(8, (uint8_t)y), IMM(-129));
			is_with(ZYDIS_MNEMONIC_IMUL, wide, X86_REGISTER(8, (uint8_t)y), 0);
			assert_int_equal(op[2].imm.value.s, -129);
		}
	for (unsigned x = 0; x < 16; x++) {
		begin();
		x86_setcc(a, X86_CC_NC, X86_REGISTER(1, (uint8_t)x));
		is_one(ZYDIS_MNEMONIC_SETNB);
		same(&op[0], X86_REGISTER(1, (uint8_t)x), 0);
		begin();
		x86_push(a, X86_REGISTER(8, (uint8_t)x));
		is_one(ZYDIS_MNEMONIC_PUSH);
		same(&op[0], X86_REGISTER(8, (uint8_t)x), 0);
		begin();
		x86_pop(a, X86_REGISTER(8, (uint8_t)x));
		is_one(ZYDIS_MNEMONIC_POP);
		same(&op[0], X86_REGISTER(8, (uint8_t)x), 0);
	}
	begin();
	x86_cmc(a);
	is_one(ZYDIS_MNEMONIC_CMC);
	begin();
	x86_nop(a);
	is_one(ZYDIS_MNEMONIC_NOP);
	begin();
	x86_ret(a);
	is_one(ZYDIS_MNEMONIC_RET);
}

/* A value of 64 bits by the shortest of three forms; the register has it all. */
static void values(void **state)
{
	static const struct {
		uint64_t x;
		unsigned bytes; /* written */
	} v[] = {
	    {0, 5},	     {1, 5}, {UINT32_MAX, 5}, {UINT64_MAX, 7}, {(uint64_t)INT32_MIN, 7},
	    {1ull << 32, 10}};

	(void)state;
	for (unsigned i = 0; i < N(v); i++)
		for (unsigned x = 0; x < 16; x++) {
			const bool is_short = v[i].bytes == 5;

			begin();
			x86_value(a, X86_REGISTER(8, (uint8_t)x), v[i].x);
			assert_int_equal(out.off, v[i].bytes + (is_short && x >= 8));
			is_with(ZYDIS_MNEMONIC_MOV, X86_REGISTER(is_short ? 4 : 8, (uint8_t)x),
				IMM(v[i].x), is_short ? 4 : 8);
		}
}

/* ---- vectors ----------------------------------------------------------------------------- */

static const struct pair vector[] = {
    {x86_movdqa, ZYDIS_MNEMONIC_MOVDQA},
    {x86_pcmpeqd, ZYDIS_MNEMONIC_PCMPEQD},
    {x86_por, ZYDIS_MNEMONIC_POR},
};

static void vector_from_memory(struct x86_operand m, const void *what)
{
	const struct x86_operand x = X86_REGISTER(16, (m.value + m.reg) & 15);

	(void)what;
	for (unsigned i = 0; i < N(vector); i++)
		to_register(vector[i].write, vector[i].mnemonic, x, m, 16);
	to_register(x86_movdqa, ZYDIS_MNEMONIC_MOVDQA, m, x, 16);
	to_register(x86_movd, ZYDIS_MNEMONIC_MOVD, x, m, 4);
	to_register(x86_movd, ZYDIS_MNEMONIC_MOVD, m, x, 4);
	begin();
	x86_pshufd(a, x, m, 27);
	is_with(ZYDIS_MNEMONIC_PSHUFD, x, m, 16);
	assert_int_equal(op[2].imm.value.u, 27);
}

static void vectors(void **state)
{
	(void)state;
	each_memory(vector_from_memory, NULL);
	for (unsigned x = 0; x < 16; x++)
		for (unsigned y = 0; y < 16; y++) {
			const struct x86_operand to = X86_REGISTER(16, (uint8_t)x),
						 from = X86_REGISTER(16, (uint8_t)y),
						 r = X86_REGISTER(4, (uint8_t)x);

			for (unsigned i = 0; i < N(vector); i++)
				to_register(vector[i].write, vector[i].mnemonic, to, from, 0);
			to_register(x86_movmskps, ZYDIS_MNEMONIC_MOVMSKPS, r, from, 0);
			to_register(x86_pmovmskb, ZYDIS_MNEMONIC_PMOVMSKB, r, from, 0);
			to_register(x86_movd, ZYDIS_MNEMONIC_MOVD, from, r, 0);
			to_register(x86_movd, ZYDIS_MNEMONIC_MOVD, r, from, 0);
			begin();
			x86_pshufd(a, to, from, 0);
			is_with(ZYDIS_MNEMONIC_PSHUFD, to, from, 0);
		}
}

/* ---- jumps ------------------------------------------------------------------------------- */

/* Where the jump that ends at code offset `end` goes, of an instruction that begins at `start`. */
static uint32_t target(uint32_t start, ZydisMnemonic mnemonic)
{
	ZydisDecoder d;
	ZyanU64 to;

	ZydisDecoderInit(&d, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	assert_true(
	    ZYAN_SUCCESS(ZydisDecoderDecodeFull(&d, code + start, out.off - start, &insn, op)));
	assert_int_equal(insn.mnemonic, mnemonic);
	assert_true(ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(&insn, &op[0], start, &to)));
	return (uint32_t)to;
}

static const ZydisMnemonic jumps[] = {
    ZYDIS_MNEMONIC_JO, ZYDIS_MNEMONIC_JNO, ZYDIS_MNEMONIC_JB,  ZYDIS_MNEMONIC_JNB,
    ZYDIS_MNEMONIC_JZ, ZYDIS_MNEMONIC_JNZ, ZYDIS_MNEMONIC_JBE, ZYDIS_MNEMONIC_JNBE,
    ZYDIS_MNEMONIC_JS, ZYDIS_MNEMONIC_JNS, ZYDIS_MNEMONIC_JP,  ZYDIS_MNEMONIC_JNP,
    ZYDIS_MNEMONIC_JL, ZYDIS_MNEMONIC_JNL, ZYDIS_MNEMONIC_JLE, ZYDIS_MNEMONIC_JNLE,
};

/* Forward ones, of both kinds, land together, and so do those that come behind their label. */
static void labels(void **state)
{
	(void)state;
	for (unsigned cc = 0; cc < 16; cc++) {
		struct x86_label l = {0};

		begin();
		x86_nop(a);
		x86_jcc(a, cc, &l);	  /* at 1 */
		x86_jcc_short(a, cc, &l); /* 7 */
		x86_jmp(a, &l);		  /* 9 */
		x86_jmp_short(a, &l);	  /* 14 */
		x86_nop(a);
		x86_land(a, &l); /* 17 */
		x86_nop(a);
		x86_jcc(a, cc, &l);	  /* 18 */
		x86_jcc_short(a, cc, &l); /* 24 */
		x86_jmp(a, &l);		  /* 26 */
		x86_jmp_short(a, &l);	  /* 31 */
		assert_false(asm_state.is_bad);
		assert_int_equal(l.at, 17);
		for (unsigned k = 0; k < 2; k++) {
			assert_int_equal(target(k ? 18 : 1, jumps[cc]), 17);
			assert_int_equal(target(k ? 24 : 7, jumps[cc]), 17);
			assert_int_equal(target(k ? 26 : 9, ZYDIS_MNEMONIC_JMP), 17);
			assert_int_equal(target(k ? 31 : 14, ZYDIS_MNEMONIC_JMP), 17);
		}
	}
}

static void code_offsets(void **state)
{
	(void)state;
	begin();
	x86_nop(a);
	x86_jmp_to(a, 100);
	x86_jcc_to(a, X86_CC_AE, 0);
	x86_call_to(a, 50);
	assert_int_equal(target(1, ZYDIS_MNEMONIC_JMP), 100);
	assert_int_equal(target(6, ZYDIS_MNEMONIC_JNB), 0);
	assert_int_equal(target(12, ZYDIS_MNEMONIC_CALL), 50);
	for (unsigned x = 0; x < 16; x++) {
		begin();
		x86_jmp_by(a, X86_REGISTER(8, (uint8_t)x));
		is_one(ZYDIS_MNEMONIC_JMP);
		same(&op[0], X86_REGISTER(8, (uint8_t)x), 0);
		begin();
		x86_call_by(a, MEM(X86_REGISTER(8, (uint8_t)x), 16));
		is_one(ZYDIS_MNEMONIC_CALL);
		same(&op[0], MEM(X86_REGISTER(8, (uint8_t)x), 16), 8);
	}
}

/* A short jump reaches 127 bytes forward, and no farther. */
static void short_jumps_reach(void **state)
{
	(void)state;
	for (unsigned n = 126; n < 130; n++) {
		struct x86_label l = {0};

		begin();
		x86_jmp_short(a, &l);
		for (unsigned i = 0; i < n; i++)
			x86_nop(a);
		x86_land(a, &l);
		assert_int_equal(asm_state.is_bad, n > 127);
	}
}

/* A displacement is as short as can be, unless its width was asked for. */
static void displacements_are_short_or_wide(void **state)
{
	static const unsigned lengths[] = {2, 3, 6};

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		const int64_t disp = i == 2 ? 128 : i;

		begin();
		x86_mov(a, EAX, MEM(RCX, disp));
		assert_int_equal(out.off, lengths[i]);
		begin();
		x86_mov(a, EAX, DISP32(MEM(RCX, disp)));
		assert_int_equal(out.off, 6);
		is_with(ZYDIS_MNEMONIC_MOV, EAX, MEM(RCX, disp), 4);
	}
}

/* ---- what is refused --------------------------------------------------------------------- */

static void refused(two *write, struct x86_operand x, struct x86_operand y)
{
	begin();
	write(a, x, y);
	assert_true(asm_state.is_bad);
}

static void what_does_not_fit_is_refused(void **state)
{
	(void)state;
	refused(x86_mov, RAX, NEAR(a, away(data_beside, 1ll << 32)));
	refused(x86_mov, RAX, DATA(away(code, 1ll << 32)));
	refused(x86_mov, RAX, MEM(RCX, 1ll << 31));
	refused(x86_mov, RAX, MEM_X(RCX, RSP, 1, 0));
	refused(x86_mov, QWORD(MEM(RCX, 0)),
		IMM(UINT32_MAX)); /* it would be extended by its sign */
	refused(x86_cmp, RAX, IMM(1ll << 31));
	refused(x86_cmp, AL, IMM(256));
	refused(x86_cmp, CX, IMM(-32769));
	refused(x86_mov, MEM(RCX, 0), IMM(1)); /* of which width? */
	refused(x86_lea, RAX, RCX);
	refused(x86_add, IMM(1), RAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(registers_of_every_width),
	    cmocka_unit_test(immediates_of_every_length),
	    cmocka_unit_test(immediates_are_short_or_patched),
	    cmocka_unit_test(memory_of_every_shape),
	    cmocka_unit_test(single_operands),
	    cmocka_unit_test(moves),
	    cmocka_unit_test(values),
	    cmocka_unit_test(vectors),
	    cmocka_unit_test(labels),
	    cmocka_unit_test(code_offsets),
	    cmocka_unit_test(short_jumps_reach),
	    cmocka_unit_test(displacements_are_short_or_wide),
	    cmocka_unit_test(what_does_not_fit_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
