/* asm.h -- a small assembler for host code that the models write themselves.
 *
 * One function per instruction, operands in Intel's order: mov rax, [rcx + 8] is
 * x86_mov(a, RAX, MEM(RCX, 8)). Operands are registers by name, which have their width, immediates
 * and memory. Memory has the width of the other operand, or one given by BYTE() to QWORD(). The
 * shortest usual encoding is taken; IMM32() and jumps always have four bytes, to be patched.
 *
 * MODELLED         the forms that the writers of host code use; tests/unit/test_asm.c decodes them.
 * NOT MODELLED     room: the writer checks it before. A form that does not exist sets is_bad.
 * SOURCES          Intel 64 and IA-32 Architectures SDM, volume 2.
 */
#ifndef SOFTPMU_X86_ASM_H
#define SOFTPMU_X86_ASM_H

#include "x86/emit.h"

struct x86_asm {
	struct x86_out *out;
	const void *near; /* the host address that rbx has while the code runs, for NEAR() */
	bool is_bad;	  /* something is out of reach, or no instruction: the code must not run */
};

/* ---- operands ---------------------------------------------------------------------------- */

enum x86_operand_kind {
	X86_OPERAND_REG,
	X86_OPERAND_MEM,  /* [reg + index * 2^scale_log2 + value] */
	X86_OPERAND_DATA, /* at host address value, reached from the code itself */
	X86_OPERAND_IMM,
	X86_OPERAND_IMM32, /* the same, in four bytes even if one would do */
};

#define X86_NO_INDEX 0xff

struct x86_operand {
	uint8_t kind;  /* enum x86_operand_kind */
	uint8_t bytes; /* of a register or of memory; memory 0: as the other operand */
	uint8_t reg;   /* number of the register, or of the base */
	uint8_t index, scale_log2;
	uint8_t disp_bytes; /* least width of its displacement, 0, 1 or 4: value */
	int64_t value;
};

#define X86_REGISTER(bytes, number)                                                                \
	((struct x86_operand){X86_OPERAND_REG, bytes, number, X86_NO_INDEX, 0, 0, 0})

#define RAX  X86_REGISTER(8, 0)
#define RCX  X86_REGISTER(8, 1)
#define RDX  X86_REGISTER(8, 2)
#define RBX  X86_REGISTER(8, 3)
#define RSP  X86_REGISTER(8, 4)
#define RBP  X86_REGISTER(8, 5)
#define RSI  X86_REGISTER(8, 6)
#define RDI  X86_REGISTER(8, 7)
#define R8   X86_REGISTER(8, 8)
#define R9   X86_REGISTER(8, 9)
#define R10  X86_REGISTER(8, 10)
#define R11  X86_REGISTER(8, 11)
#define R12  X86_REGISTER(8, 12)
#define R13  X86_REGISTER(8, 13)
#define R14  X86_REGISTER(8, 14)
#define R15  X86_REGISTER(8, 15)
#define EAX  X86_REGISTER(4, 0)
#define ECX  X86_REGISTER(4, 1)
#define EDX  X86_REGISTER(4, 2)
#define EBX  X86_REGISTER(4, 3)
#define ESP  X86_REGISTER(4, 4)
#define EBP  X86_REGISTER(4, 5)
#define ESI  X86_REGISTER(4, 6)
#define EDI  X86_REGISTER(4, 7)
#define R8D  X86_REGISTER(4, 8)
#define R9D  X86_REGISTER(4, 9)
#define R10D X86_REGISTER(4, 10)
#define R11D X86_REGISTER(4, 11)
#define R12D X86_REGISTER(4, 12)
#define R13D X86_REGISTER(4, 13)
#define R14D X86_REGISTER(4, 14)
#define R15D X86_REGISTER(4, 15)
#define AX   X86_REGISTER(2, 0)
#define CX   X86_REGISTER(2, 1)
#define DX   X86_REGISTER(2, 2)
#define SI   X86_REGISTER(2, 6)
#define DI   X86_REGISTER(2, 7)
#define R10W X86_REGISTER(2, 10)
#define AL   X86_REGISTER(1, 0)
#define CL   X86_REGISTER(1, 1)
#define DL   X86_REGISTER(1, 2)
#define BL   X86_REGISTER(1, 3)
#define SPL  X86_REGISTER(1, 4)
#define BPL  X86_REGISTER(1, 5)
#define SIL  X86_REGISTER(1, 6)
#define DIL  X86_REGISTER(1, 7)
#define R8B  X86_REGISTER(1, 8)
#define R9B  X86_REGISTER(1, 9)
#define R10B X86_REGISTER(1, 10)
#define R11B X86_REGISTER(1, 11)
#define XMM0 X86_REGISTER(16, 0)
#define XMM1 X86_REGISTER(16, 1)
#define XMM2 X86_REGISTER(16, 2)
#define XMM3 X86_REGISTER(16, 3)

/* Immediates. IMM: in as few bytes as the form allows; IMM32: always in four. */
#define IMM(x)	 x86_immediate(X86_OPERAND_IMM, (int64_t)(x))
#define IMM32(x) x86_immediate(X86_OPERAND_IMM32, (int64_t)(x))

/* MEM: [base + disp]. MEM_X: [base + index * scale + disp], where index is not RSP. Registers have
 * 8 bytes. */
#define MEM(base, disp)			x86_memory(base, disp)
#define MEM_X(base, index, scale, disp) x86_indexed(MEM(base, disp), index, scale)

/* A memory operand m with a displacement of four bytes, so that the length does not depend on it.
 */
#define DISP32(m) x86_with_disp32(m)

/* Memory at host address p (NEAR) or p + index * scale (NEAR_X), within 2 GiB of what rbx points
 * to. */
#define NEAR(a, p)		   x86_near(a, p)
#define NEAR_X(a, p, index, scale) x86_indexed(x86_near(a, p), index, scale)

/* Memory at host address p, within 2 GiB of the code itself. */
#define DATA(p) x86_data(p)

/* Memory of a width that does not follow from another operand. */
#define BYTE(m)	 x86_wide(m, 1)
#define WORD(m)	 x86_wide(m, 2)
#define DWORD(m) x86_wide(m, 4)
#define QWORD(m) x86_wide(m, 8)

static inline struct x86_operand x86_immediate(enum x86_operand_kind kind, int64_t x)
{
	return (struct x86_operand){(uint8_t)kind, 0, 0, X86_NO_INDEX, 0, 0, x};
}

static inline struct x86_operand x86_memory(struct x86_operand base, int64_t disp)
{
	return (struct x86_operand){X86_OPERAND_MEM, 0, base.reg, X86_NO_INDEX, 0, 0, disp};
}

static inline struct x86_operand x86_indexed(struct x86_operand m, struct x86_operand index,
					     unsigned scale)
{
	m.index = index.reg;
	m.scale_log2 = (uint8_t)(scale == 8 ? 3 : scale >> 1); /* of 1, 2 and 4 */
	return m;
}

static inline struct x86_operand x86_near(const struct x86_asm *a, const void *p)
{
	const int64_t disp = (const uint8_t *)p - (const uint8_t *)a->near;

	return (struct x86_operand){X86_OPERAND_MEM, 0, 3, X86_NO_INDEX, 0, 1, disp};
}

static inline struct x86_operand x86_data(const void *p)
{
	return (struct x86_operand){X86_OPERAND_DATA,	  0, 0, X86_NO_INDEX, 0, 4,
				    (int64_t)(uintptr_t)p};
}

static inline struct x86_operand x86_with_disp32(struct x86_operand m)
{
	m.disp_bytes = 4;
	return m;
}

static inline struct x86_operand x86_wide(struct x86_operand m, unsigned bytes)
{
	m.bytes = (uint8_t)bytes;
	return m;
}

/* ---- places in the code ------------------------------------------------------------------ */

/* Where jumps go: known when it is landed, before or after they are written. Begins as all zero. */
struct x86_label {
	uint32_t at; /* code offset, 0: not known yet, so that none lies there */
	/* behind the last jump that waits, whose displacement is the one before; 0: none */
	uint32_t jump;
	/* the same of short ones, whose displacement is the distance from the one before */
	uint32_t short_jump;
};

/* The code offset of what is written next. */
static inline uint32_t x86_here(const struct x86_asm *a)
{
	return a->out->off;
}

/* The label is here: all jumps to it come here. Once. */
void x86_land(struct x86_asm *a, struct x86_label *l);

/* Conditions, as the hardware numbers them. */
enum x86_cc {
	X86_CC_O,
	X86_CC_NO,
	X86_CC_B,
	X86_CC_AE,
	X86_CC_E,
	X86_CC_NE,
	X86_CC_BE,
	X86_CC_A,
	X86_CC_S,
	X86_CC_NS,
	X86_CC_P,
	X86_CC_NP,
	X86_CC_L,
	X86_CC_GE,
	X86_CC_LE,
	X86_CC_G,
	X86_CC_C = X86_CC_B,
	X86_CC_NC = X86_CC_AE,
};

/* Jumps to a label, with a displacement of four bytes. */
void x86_jmp(struct x86_asm *a, struct x86_label *to);
void x86_jcc(struct x86_asm *a, enum x86_cc cc, struct x86_label *to);
/* Jumps to a label, with a displacement of one byte; a->is_bad when the label is farther away. */
void x86_jmp_short(struct x86_asm *a, struct x86_label *to);
void x86_jcc_short(struct x86_asm *a, enum x86_cc cc, struct x86_label *to);
/* Jumps to a code offset, with a displacement of four bytes: the last four of the instruction, for
 * emit_patch(). */
void x86_jmp_to(struct x86_asm *a, uint32_t to);
void x86_jcc_to(struct x86_asm *a, enum x86_cc cc, uint32_t to);
void x86_call_to(struct x86_asm *a, uint32_t to);
/* To the address in a register of 8 bytes or in memory. */
void x86_jmp_by(struct x86_asm *a, struct x86_operand to);
void x86_call_by(struct x86_asm *a, struct x86_operand to);
void x86_ret(struct x86_asm *a);

/* ---- instructions ------------------------------------------------------------------------ */

/* Destination first. One operand at most is memory; an immediate is the second one. */
void x86_mov(struct x86_asm *a, struct x86_operand to, struct x86_operand from);
void x86_add(struct x86_asm *a, struct x86_operand to, struct x86_operand from);
void x86_or(struct x86_asm *a, struct x86_operand to, struct x86_operand from);
void x86_adc(struct x86_asm *a, struct x86_operand to, struct x86_operand from);
void x86_sbb(struct x86_asm *a, struct x86_operand to, struct x86_operand from);
void x86_and(struct x86_asm *a, struct x86_operand to, struct x86_operand from);
void x86_sub(struct x86_asm *a, struct x86_operand to, struct x86_operand from);
void x86_xor(struct x86_asm *a, struct x86_operand to, struct x86_operand from);
void x86_cmp(struct x86_asm *a, struct x86_operand x, struct x86_operand y);
void x86_test(struct x86_asm *a, struct x86_operand x, struct x86_operand y);

void x86_inc(struct x86_asm *a, struct x86_operand x);
void x86_dec(struct x86_asm *a, struct x86_operand x);
void x86_neg(struct x86_asm *a, struct x86_operand x);
void x86_not(struct x86_asm *a, struct x86_operand x);
void x86_shl(struct x86_asm *a, struct x86_operand x, unsigned bits);
void x86_shr(struct x86_asm *a, struct x86_operand x, unsigned bits);

/* reg = x, in as few bytes as can be. reg: of 8 bytes; flags stay. */
void x86_value(struct x86_asm *a, struct x86_operand reg, uint64_t x);
void x86_lea(struct x86_asm *a, struct x86_operand to, struct x86_operand m);
/* from: of one byte or two, memory by BYTE() or WORD() */
void x86_movzx(struct x86_asm *a, struct x86_operand to, struct x86_operand from);
void x86_imul(struct x86_asm *a, struct x86_operand to, struct x86_operand from,
	      struct x86_operand imm);
void x86_bsf(struct x86_asm *a, struct x86_operand to, struct x86_operand from);
/* bit: a register, or an immediate of one byte */
void x86_bt(struct x86_asm *a, struct x86_operand x, struct x86_operand bit);
void x86_bts(struct x86_asm *a, struct x86_operand x, struct x86_operand bit);
void x86_btr(struct x86_asm *a, struct x86_operand x, struct x86_operand bit);
void x86_setcc(struct x86_asm *a, enum x86_cc cc, struct x86_operand to);
void x86_cmovcc(struct x86_asm *a, enum x86_cc cc, struct x86_operand to, struct x86_operand from);
void x86_push(struct x86_asm *a, struct x86_operand reg);
void x86_pop(struct x86_asm *a, struct x86_operand reg);
void x86_cmc(struct x86_asm *a);
void x86_nop(struct x86_asm *a);
/* Into the first cache; into the second. */
void x86_prefetcht0(struct x86_asm *a, struct x86_operand m);
void x86_prefetcht1(struct x86_asm *a, struct x86_operand m);

/* 4 bytes between a vector register and memory or a general one. */
void x86_movd(struct x86_asm *a, struct x86_operand to, struct x86_operand from);
/* Memory at a multiple of 16 bytes, here and below. */
void x86_movdqa(struct x86_asm *a, struct x86_operand to, struct x86_operand from);
void x86_pshufd(struct x86_asm *a, struct x86_operand to, struct x86_operand from, unsigned order);
void x86_pcmpeqd(struct x86_asm *a, struct x86_operand to, struct x86_operand from);
void x86_por(struct x86_asm *a, struct x86_operand to, struct x86_operand from);
/* to: of 4 bytes; from: a vector register */
void x86_movmskps(struct x86_asm *a, struct x86_operand to, struct x86_operand from);
void x86_pmovmskb(struct x86_asm *a, struct x86_operand to, struct x86_operand from);

#endif
