/* MMX in both pipes; what waits for a multiply, and a store for its register. */
# bits 32
# needs mmx
# expect pentium-mmx: MMX_INSTRUCTIONS_EXECUTED_U-PIPE = 4*N
# expect pentium-mmx: MMX_INSTRUCTIONS_EXECUTED_V-PIPE = 2*N
# expect pentium-mmx: MMX_MULTIPLY_UNIT_INTERLOCK = 2*N
# expect pentium-mmx: MOVD/MOVQ_STORE_STALL_DUE_TO_PREVIOUS_MMX_OPERATION = N
# expect pentium-mmx: cycles = 8*N
#include "model.inc"
_start:
	mov eax, [data]
	LOOP 1
	paddb mm0, mm1
	paddb mm2, mm3
	pmullw mm0, mm1
	paddw mm0, mm2		/* two clocks for the product; the shift goes with it */
	pslld mm4, 1
	movq [data], mm4	/* one for the register */
	NEXT 1b
	EXIT
