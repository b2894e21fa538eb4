/* x87 and integer multiply and divide operations. */
# expect p6: flops = 5*N
# expect p6: fp_comp_ops_exe = 7*N
# expect p6: mul = 2*N
# expect p6: div = 2*N
# expect pentiumpro: flops = 5*N
#include "model.inc"
_start:
	fld1
	fld1
	mov ebx, 1
	LOOP 1
	fadd st, st(1)
	fmul st, st(1)
	fdiv st, st(1)
	fsqrt
	fcom st(1)
	fchs
	imul eax, ebx
	mov eax, 100
	xor edx, edx
	div ebx
	NEXT 1b
	EXIT
