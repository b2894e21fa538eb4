/* A division takes 19, 33 or 39 clocks as the control word says that is valid then, whoever set it. The x87
 * instruction behind it waits for all but its last two clocks. */
# bits both
# expect p5: cycles = (8+17 + 8+31 + 8+37)*N
# expect pentium-mmx: FLOATING_POINT_STALLS_DURATION = (16 + 30 + 35)*N
#include "model.inc"
_start:
	fninit
	fld1
	fld1
	LOOP 1
	fldcw [pc24]
	fdiv st(0), st(1)
	fldcw [pc53]
	fdiv st(0), st(1)
	fldcw [pc64]
	fdiv st(0), st(1)
	NEXT 1b
	EXIT
	.data
pc24:	.short 0x007f
pc53:	.short 0x027f
pc64:	.short 0x037f
