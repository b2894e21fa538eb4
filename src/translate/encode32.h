/* encode32.h -- memory operands of 32-bit code, shared by code32.c and stack32.c only. */
#ifndef SOFTPMU_TRANSLATE_ENCODE32_H
#define SOFTPMU_TRANSLATE_ENCODE32_H

#include "translate/code32.h"

/* How to encode a memory operand; addresses are 32 bits wide. */
struct xlt32_place {
	int base, index; /* hardware numbers, -1 none */
	unsigned scale;
	int32_t disp;
	bool is_plain; /* nothing had to be computed: the bytes of the original say the same */
};

/* Compute what cannot be encoded into `scratch`, and say how to encode the rest. 16-bit addresses
 * relative to FS or GS use XLT32_VALUE too. */
void xlt32_place(struct x86_out *o, const struct x86_decoded *d, const ZydisDecodedOperand *op,
		 unsigned scratch, struct xlt32_place *p);

/* ModRM, SIB and displacement. */
void xlt32_modrm(struct x86_out *o, unsigned reg, const struct xlt32_place *p);

/* [66] 67 [REX] opcode ModRM: an instruction of our own on a place. `prefix` 0, or 66h; opcode one
 * byte, or two as 0Fxxh. */
void xlt32_on_place(struct x86_out *o, unsigned prefix, unsigned opcode, unsigned reg,
		    const struct xlt32_place *p);

/* [66] [REX] opcode /reg on [base + disp], 64-bit address arithmetic. */
void xlt32_on_base(struct x86_out *o, unsigned prefix, unsigned opcode, unsigned reg, unsigned base,
		   int32_t disp);

#endif
