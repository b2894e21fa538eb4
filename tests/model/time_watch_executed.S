/* Multiplies, x87 operations and MMX behind a divide that they do not need: they wait for it to retire, and go three a clock, but they
 * were executed before, in clocks of their own: multiplies and x87 operations one a clock, all of port 0, MMX on ports 0 and 1. */
# expect p6: mul:c=1 = 7*N
# expect p6: mul:c=2 = 0
# expect p6: div:c=1 = 2*N
# expect p6: fp_comp_ops_exe:c=1 = 11*N
# expect p6: fp_comp_ops_exe:c=2 = 0
# between p6: flops:c=2 = N .. 3*N
# expect p6: flops:c=4 = 0
# between p6: mmx_sat_instr_exec:c=1 = 12*N .. 14*N
# between p6: mmx_sat_instr_exec:c=2 = 4*N .. 6*N
# expect p6: mmx_sat_instr_exec:c=3 = 0
# expect p6: mmx_uops_exec:c=3 = 0
#include "model.inc"
_start:
	fninit
	.rept 5
	fld1
	.endr
	mov ecx, 3
	LOOP 1
	xor edx, edx
	mov eax, 1000
	div ecx
	imul esi, ecx, 7
	imul edi, ecx, 7
	imul ebx, ecx, 7
	fadd st(1), st(0)
	fadd st(2), st(0)
	fmul st(3), st(0)
	imul esi, ecx, 7
	imul edi, ecx, 7
	imul ebx, ecx, 7
	NEXT 1b
	fninit
	LOOP 2
	xor edx, edx
	mov eax, 1000
	div ecx
	paddusb mm0, mm7
	paddusb mm1, mm7
	paddusb mm2, mm7
	paddusb mm3, mm7
	paddusb mm4, mm7
	paddusb mm5, mm7
	NEXT 2b
	LOOP 3
	.rept 2
	paddusb mm0, mm7
	paddusb mm1, mm7
	paddusb mm2, mm7
	paddusb mm3, mm7
	paddusb mm4, mm7
	paddusb mm5, mm7
	.endr
	NEXT 3b
	emms
	EXIT
