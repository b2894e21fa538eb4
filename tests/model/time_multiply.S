/* A chain of multiplies: four clocks each; independent ones: one each. Where rename stands in its groups of three
 * when a loop ends moves the end by a few clocks: the bounds are for that. */
# between p6: cpu_clk_unhalted = 40*N-9 .. 40*N+9
#include "model.inc"
_start:
	mov ebx, 3
	LOOP 1
	.rept 8
	imul eax, eax
	.endr
	NEXT 1b
	LOOP 1
	.rept 2
	imul ecx, ebx
	imul edx, ebx
	imul esi, ebx
	imul edi, ebx
	.endr
	NEXT 1b
	EXIT
