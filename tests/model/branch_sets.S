/* The BTB has 32 sets of 16, chosen by bits 4 to 8 of the address of a branch's last byte. 32 branches in two sets fill both, and each pass but the
 * first predicts all of them. */
# expect p6: br_miss_pred_retired = 0*N
# expect p6: br_inst_retired = (32+2)*N
# size 2
#include "model.inc"
	.section .far, "ax"
	.balign 1024
first:
	.irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	.balign 1024
	jc 1f
	.balign 16
1:	.byte 0x0f, 0x82 /* JC, 32 bits */
	.long 2f-.-4
	.balign 1024
2:
	.endr
	.skip 0x40, 0x90
	dec ebp
	jnz again
	EXIT
again:
	jmp rbx
	.text
	.skip 64 /* other sets */
_start:
	lea rbx, [first]
	mov ebp, N
	stc
	jmp rbx
