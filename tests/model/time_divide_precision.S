/* A division of the x87 keeps the divider for 17, 32 or 37 clocks as the control word says that is valid then, whoever set it; one
 * block has all three. */
# bits both
# expect p6: cycles_div_busy = (17 + 32 + 37 + 37)*N
#include "model.inc"
_start:
	fninit
	fld1
	fld1
	LOOP 1
	fldcw [pc24]
	fdiv st(0), st(1)
	fldcw [pc53]
	fdivp st(1), st(0)
	fld1
	fldcw [pc64]
	fdivr qword ptr [one]
	fdiv st(0), st(1)
	NEXT 1b
	EXIT
	.data
one:	.double 1.0
pc24:	.short 0x007f
pc53:	.short 0x027f
pc64:	.short 0x037f
