/* operands.c -- recording operand values of x87 and MMX instructions.
 *
 * Of x87 registers the model wants exponents, which only a store of the whole state shows without a
 * change to anything: FXSAVE into the gs area, then two words of it into the record. RCX is given
 * back, flags stay, and no part of it can fault.
 */
#include "translate/internal.h"

#define FP_RCX	 (SHR_GS_FP + (unsigned)offsetof(struct shr_fp_bracket, rcx))
#define ST_AT(i) (SHR_GS_FXSAVE + 32u + 16u * (i)) /* significand of ST(i) */

static void emit_abs(struct x86_out *o, const char *bytes, unsigned n, uint32_t field)
{
	emit_bytes(o, bytes, n);
	emit32(o, field);
}

/* The 16 bits at gs:[field] to [r15 + at], by way of rcx. */
static void emit_word(struct x86_out *o, unsigned field, int32_t at)
{
	emit_abs(o, "\x65\x0f\xb7\x0c\x25", 5, field);	  /* movzx ecx, word gs:[field] */
	emit_abs(o, "\x66\x41\x89\x8f", 4, (uint32_t)at); /* mov [r15 + at], cx */
}

/* mov byte [r15 + at], v: 8 bytes */
static void emit_byte(struct x86_out *o, int32_t at, unsigned v)
{
	emit_abs(o, "\x41\xc6\x87", 3, (uint32_t)at);
	emit8(o, v);
}

/* Is the significand of ST(i) not 0? */
static void emit_has(struct x86_out *o, unsigned i, int32_t at)
{
	emit_load_gs(o, X86_RCX, ST_AT(i));
	emit_byte(o, at, 0);
	emit_bytes(o, "\xe3\x08", 2); /* jrcxz over the next */
	emit_byte(o, at, 1);
}

void xlt_emit_x87_slot(struct x86_out *o, const struct x86_slot *s, int32_t at)
{
	emit_abs(o, "\x65\x0f\xae\x04\x25", 5, SHR_GS_FXSAVE); /* fxsave gs:[...] */
	emit_store_gs(o, FP_RCX, X86_RCX);
	emit_word(o, SHR_GS_FXSAVE, at + (int32_t)X86_X87_CONTROL_AT / 8);
	emit_word(o, ST_AT(0) + 8, at + (int32_t)X86_X87_FIRST_AT / 8);
	emit_word(o, ST_AT(s->reg) + 8, at + (int32_t)X86_X87_SECOND_AT / 8);
	emit_has(o, 0, at + (int32_t)X86_X87_FIRST_HAS / 8);
	emit_has(o, s->reg, at + (int32_t)X86_X87_SECOND_HAS / 8);
	emit_load_gs(o, X86_RCX, FP_RCX);
}

void xlt_emit_control_slot(struct x86_out *o, int32_t at)
{
	emit_abs(o, "\x49\xc7\x87", 3, (uint32_t)at); /* mov qword [r15 + at], 0 */
	emit32(o, 0);
	emit_abs(o, "\x41\xd9\xbf", 3,
		 (uint32_t)at + X86_X87_CONTROL_AT / 8); /* fnstcw [r15 + at] */
}

void xlt_emit_mmx_slot(struct x86_out *o, const struct x86_slot *s, int32_t at)
{
	emit_bytes(o, "\x41\x0f\x7f", 3); /* movq [r15 + at], mm */
	emit8(o, 0x87 | s->reg << 3);
	emit32(o, (uint32_t)at);
}
