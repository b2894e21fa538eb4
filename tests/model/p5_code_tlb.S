/* A RET in each of N pages: more than the code TLB has, so each is looked up in the page tables. */
# size 100
# expect p5: CODE_TLB_MISS = N
# expect pentium-mmx: CODE_TLB_MISS = N
#include "model.inc"
_start:
	lea rbx, [pages]
	mov ebp, N
1:	call rbx
	add rbx, 4096
	dec ebp
	jnz 1b
	EXIT
	.balign 4096
	.skip 2048
pages:
	.rept N
	ret
	.skip 4095, 0x90
	.endr
