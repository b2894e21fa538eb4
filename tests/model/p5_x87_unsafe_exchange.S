/* An integer instruction behind an FXCH in V waits 4 clocks instead of one when the operation beside it is not safe. */
# bits both
# expect pentium-mmx: FLOATING_POINT_STALLS_DURATION = (1 + 4)*N
#include "model.inc"
_start:
	fninit
	fld tbyte ptr [large]
	fld1
	fld1
	fld1
	LOOP 1
	fadd st, st(1)
	fxch st(2)
	inc eax
	.rept 8
	nop
	.endr
	fstp st(0)
	fstp st(0)
	fstp st(0)
	fld1
	fld1
	fld1
	.rept 8
	nop
	.endr
	fmul st, st(3)
	fxch st(1)
	inc eax
	.rept 8
	nop
	.endr
	fstp st(0)
	fstp st(0)
	fstp st(0)
	fld1
	fld1
	fld1
	NEXT 1b
	EXIT
	.data
	.balign 16
large:	.quad 0x8000000000000000
	.short 0x7000
