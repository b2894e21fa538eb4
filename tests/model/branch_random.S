/* Twenty branches in a set of sixteen: which goes is drawn by xorshift (13, 17, 5) from 2545f491h, a sixteenth of its range for each way. Each pass
 * takes all of them in turn, and a branch without an entry, which is forward, is wrong. Passes 5 to 8 have 27 of those. */
# expect p6: br_miss_pred_retired = 27*(N/4)
# size 4
#include "model.inc"
	.section .far, "ax"
	.balign 512
first:
	.rept 20
	.byte 0x0f, 0x82 /* JC, 32 bits */
	.long 2f-.-4
	.balign 512
2:
	.endr
	.skip 0x40, 0x90
	dec ebp
	jnz 3f
	EXIT
3:	.byte 0xe9
	.long first-.-4
	.text
	.skip 32 /* another set */
_start:
	mov ebp, N
	stc
	jmp first
