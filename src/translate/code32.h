/* code32.h -- 32-bit guest instructions as 64-bit code.
 *
 * The program's eax ... edi stay in the registers of the same number, upper halves zero; r8 to r14
 * are free and hold nothing between instructions. Addresses are computed modulo 4 GiB (67h). An
 * operand relative to FS or GS gets the program's base added by hand.
 */
#ifndef SOFTPMU_TRANSLATE_CODE32_H
#define SOFTPMU_TRANSLATE_CODE32_H

#include "x86/emit.h"
#include "x86/insn.h"

#define XLT32_SCRATCH 8u /* address, when an operand cannot be encoded in place */
#define XLT32_VALUE   9u /* value on its way */
#define XLT32_OTHER   10u

/* Must the scratch register of this instruction be one of the low eight? (It uses AH..BH, which no
 * instruction with a REX prefix can name.) The caller then frees one. */
bool xlt32_needs_low_scratch(const struct x86_decoded *d);

/* Emit instruction d, not a control transfer. scratch: XLT32_SCRATCH, or the register freed as
 * above. */
void xlt32_copy(struct x86_out *o, const struct x86_decoded *d, unsigned scratch);

/* Put the linear address that d's memory operand refers to into XLT32_SCRATCH; bit strings: of the
 * operand that the bit lies in; operand > 0: that of operand number operand - 1. Flags and the
 * program's registers stay. */
void xlt32_address(struct x86_out *o, const struct x86_decoded *d, unsigned operand);

/* Width of a value that is loaded. */
enum xlt32_load { XLT32_LOAD_32, XLT32_LOAD_16, XLT32_LOAD_16_SIGNED };

/* reg = memory operand of d, `off` bytes further on. Uses XLT32_SCRATCH. */
void xlt32_load(struct x86_out *o, const struct x86_decoded *d, enum xlt32_load what, unsigned reg,
		int32_t off);

/* reg = [base + disp], 64-bit address arithmetic (stack). */
void xlt32_load_base(struct x86_out *o, enum xlt32_load what, unsigned reg, unsigned base,
		     int32_t disp);

/* lea esp, [rsp + n] */
void xlt32_move_stack(struct x86_out *o, int32_t n);

/* mov to, from (32 bits); zero-extended 16 bits */
void xlt32_move(struct x86_out *o, unsigned to, unsigned from);
void xlt32_move_16(struct x86_out *o, unsigned to, unsigned from);

/* stack32.c: emit d when it is a form of PUSH, POP, ENTER ... that 64-bit code lacks. Returns false
 * when it is not. */
bool xlt32_stack(struct x86_out *o, const struct x86_decoded *d, unsigned scratch);

#endif
