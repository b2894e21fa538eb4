/* Denormal operands and results, exact or not, in x87 and SSE; a stack fault; what needs no help. */
# expect p6: fp_assist = 14*N
# expect pentium2: fp_assist = 14*N
#include "model.inc"
_start:
	fninit
	LOOP 1
	/* x87: loads 2, arithmetic with memory 1 */
	fld dword ptr [tiny]
	fstp st(0)
	fld qword ptr [tiny64]
	fstp st(0)
	fld1
	fadd dword ptr [tiny]
	fstp st(0)
	/* stores: inexact to zero 1, exact denormal single 1 and double 1; exact zero none */
	fld tbyte ptr [small]
	fstp dword ptr [out]
	fld tbyte ptr [half]
	fstp dword ptr [out]
	fld tbyte ptr [half64]
	fstp qword ptr [out]
	fldz
	fstp qword ptr [out]
	/* denormal in a register 1 (load of 80 bits none), compare 1 */
	fld tbyte ptr [tiny80]
	fld1
	faddp
	fstp st(0)
	fld1
	fcomp dword ptr [tiny]
	/* empty stack 1; NaN and infinity none */
	fstp st(0)
	fld dword ptr [nan]
	fadd dword ptr [inf]
	fstp dword ptr [out]
	fnclex
	/* SSE: operand 1, scalar operand 1, inexact tiny 1, exact tiny 1 */
	movaps xmm0, [ones]
	movaps xmm1, [mixed]
	addps xmm0, xmm1
	movss xmm0, [ones]
	addss xmm0, [tiny]
	movaps xmm0, [least]
	mulps xmm0, xmm0
	movss xmm0, [least15]
	subss xmm0, [least]
	/* only in elements that a scalar does not compute: none */
	movaps xmm1, [mixed]
	addss xmm1, [ones]
	comiss xmm1, [ones]
	/* flags that are set already do not hide it: 1 */
	movss xmm0, [ones]
	mulss xmm0, [tiny]
	/* flushed to zero: none */
	ldmxcsr [flush]
	movss xmm0, [least]
	mulss xmm0, xmm0
	ldmxcsr [usual]
	NEXT 1b
	EXIT

	.data
	.balign 16
ones:	.long 0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000
mixed:	.long 0x3f800000, 1, 0x3f800000, 0x3f800000
least:	.long 0x00800000, 0x00800000, 0x00800000, 0x00800000
least15: .long 0x00c00000, 0, 0, 0
tiny64:	.quad 1
out:	.quad 0
tiny:	.long 1
nan:	.long 0x7fc00000
inf:	.long 0x7f800000
usual:	.long 0x1f80
flush:	.long 0x9f80
tiny80:	.quad 1
	.short 0
small:	.quad 0x8000000000000000
	.short 0x3000
half:	.quad 0x8000000000000000 /* 2^-127 */
	.short 0x3fff - 127
half64:	.quad 0x8000000000000000 /* 2^-1023 */
	.short 0x3fff - 1023
