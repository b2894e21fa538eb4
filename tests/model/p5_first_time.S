/* Pairs in straight code that is executed twice: on the Pentium none the first time, because nobody knows yet where their
 * instructions end, all the second time. With MMX lengths are decoded before, and all pair both times. The code lies in one page. */
# size 400
# bits 32
# expect p5: INSTRUCTIONS_EXECUTED = 4*N
# expect p5: INSTRUCTIONS_EXECUTED_V_PIPE = N
# expect pentium-mmx: INSTRUCTIONS_EXECUTED_V_PIPE = 2*N
#include "model.inc"
_start:
	mov ebp, 2
	.balign 64
1:	.rept N
	mov eax, ebx
	mov ecx, edx
	.endr
	dec ebp
	jnz 1b
	EXIT
