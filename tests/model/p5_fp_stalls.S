/* An addition waits for the one before: two clocks, or one beside two integer instructions. */
# bits 32
# expect pentium-mmx: FLOATING_POINT_STALLS_DURATION = 3*N
# expect pentium-mmx: INSTRUCTIONS_EXECUTED_V_PIPE = N
# expect pentium-mmx: cycles = 6*N
#include "model.inc"
_start:
	fld1
	fld1
	LOOP 1
	fadd st(0), st(1)
	fadd st(0), st(1)
	NEXT 1b
	EXIT
