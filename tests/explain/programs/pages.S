/* A jump through 41 pages, a line in each, N times: L1I holds the lines, the instruction TLB not all pages. Each page's code lies
 * a line behind that of the one before. */
#include "model.inc"
_start:
	mov ebp, N
again:
	lea rax, [page0]
	jmp rax
	.balign 4096
page0:
	.rept 40
	lea rax, [rip + 4096 + 64 - 7]
	jmp rax
	.skip 4096 + 64 - 9
	.endr
	dec ebp
	jnz again
	EXIT
