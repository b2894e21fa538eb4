/* An operation that might raise an exception keeps the next x87 instruction waiting four clocks longer: an exponent that is
 * out of range, a denormal, an infinity, no number, a divisor that is zero, inexact results that are not masked: 16
 * here. Behind each of the 13 divisions it waits 36 clocks in any case. */
# bits both
# expect pentium-mmx: FLOATING_POINT_STALLS_DURATION = (4*16 + 36*13)*N
#include "model.inc"
.macro THEN op, operands:vararg /* nothing waits for the result but what waits for its being safe */
	\op \operands
	fnop
	.rept 8
	nop
	.endr
.endm
.macro WITH value, op, operands:vararg
	fld tbyte ptr [\value]
	THEN \op, \operands
	THEN fstp, st(0)
.endm
_start:
	fninit
	fld1
	LOOP 1
	/* the range: safe 4, not safe 5: whichever operand it is, and wherever the other lies */
	WITH e3000, fmul, st, st(1)
	WITH e4fff, fmul, st, st(1)
	WITH e3000, fdiv, st(1), st
	fstp st(0)
	fld1
	WITH e4fff, fadd, qword ptr [one64]
	WITH e2fff, fmul, st, st(1)
	WITH e5000, fmul, st, st(1)
	WITH e5000, fadd, dword ptr [one]
	fld tbyte ptr [e5000]
	fld1
	THEN fmul, st, st(1)
	THEN fmul, st(1), st
	fstp st(0)
	fstp st(0)
	/* numbers of another kind: 4 */
	WITH e3fff, fadd, dword ptr [tiny]
	WITH e3fff, fadd, qword ptr [tiny64]
	WITH e3fff, fadd, dword ptr [inf]
	WITH e3fff, fadd, qword ptr [nan64]
	/* zero: divisors 4, others none */
	WITH e3fff, fadd, dword ptr [zero]
	WITH e3fff, fdivr, qword ptr [zero]
	WITH e3fff, fdiv, dword ptr [zero]
	WITH e3fff, fdiv, qword ptr [zero]
	/* the same of integers in memory */
	WITH e3fff, fidiv, dword ptr [zero]
	WITH e3fff, fidiv, word ptr [zero]
	WITH e3fff, fidiv, dword ptr [one]
	WITH e3fff, fidiv, word ptr [one + 2]
	WITH e3fff, fidivr, word ptr [zero]
	WITH e3fff, fidivr, dword ptr [zero]
	WITH e3fff, fiadd, dword ptr [zero]
	WITH e3fff, fimul, word ptr [minus]
	fldz
	THEN fdivr, dword ptr [one]
	fstp st(0)
	fldz
	fld1
	THEN fdivrp, st(1), st /* 1 / 0 */
	fstp st(0)
	fldz
	fld1
	THEN fdivp, st(1), st /* 0 / 1 */
	fstp st(0)
	/* inexact results are not masked: 1, and a compare, which is safe */
	fldcw [unmasked]
	fnclex
	WITH e3fff, fmul, st, st(1)
	THEN fcom, st(0)
	fldcw [usual]
	NEXT 1b
	EXIT
	.data
	.balign 8
one64:	.quad 0x3ff0000000000000
tiny64:	.quad 1
nan64:	.quad 0x7ff8000000000000
zero:	.quad 0
one:	.long 0x3f800000
tiny:	.long 1
inf:	.long 0x7f800000
minus:	.short -1
usual:	.short 0x037f
unmasked: .short 0x035f
.macro TEN name, exponent
	.balign 16
\name:	.quad 0x8000000000000000
	.short \exponent
.endm
	TEN e2fff, 0x2fff
	TEN e3000, 0x3000
	TEN e3fff, 0x3fff
	TEN e4fff, 0x4fff
	TEN e5000, 0x5000
