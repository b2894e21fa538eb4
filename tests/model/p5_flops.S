/* Floating-point operations and integer multiplies; compares, loads and sign changes are none. */
# expect p5: FLOPS = 8*N
# expect pentium-mmx: FLOPS = 8*N
#include "model.inc"
_start:
	fld1
	fld1
	mov ebx, 3
	LOOP 1
	fadd st, st(1)
	fmul st, st(1)
	fsubr st, st(1)
	fsqrt
	fdiv st, st(1)
	fcom st(1)
	fabs
	fst dword ptr [data]
	fsin
	imul eax, eax, 3
	mul ebx
	NEXT 1b
	EXIT
