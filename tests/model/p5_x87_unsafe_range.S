/* The range of exponents that are safe: an FNOP behind a multiply waits 4 clocks when one is outside. What a clock
 * makes: FLD of 80 bits 3, FMUL 1, FNOP 1, four NOPs 2, FSTP 1; DEC with JNZ 1. */
# bits both
# expect pentium: cycles = (4*8 + 2*4 + 1)*N
# expect pentium-mmx: cycles = (4*8 + 4*4 + 1)*N
#include "model.inc"
.macro MULTIPLY value
	fld tbyte ptr [\value]
	fmul st, st(1)
	fnop
	.rept 4
	nop
	.endr
	fstp st(0)
.endm
_start:
	fninit
	fld1
	LOOP 1
	MULTIPLY e2000
	MULTIPLY e2001
	MULTIPLY e5ffd
	MULTIPLY e5ffe
	NEXT 1b
	EXIT
	.data
.macro TEN name, exponent
	.balign 16
\name:	.quad 0x8000000000000000
	.short \exponent
.endm
	TEN e2000, 0x2000
	TEN e2001, 0x2001
	TEN e5ffd, 0x5ffd
	TEN e5ffe, 0x5ffe
