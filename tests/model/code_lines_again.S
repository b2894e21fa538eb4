/* N lines of code, pushed out of L1I by other code, found shared in L2 when executed again; then found
 * there by loads and, when written, asked ownership of. */
# options p6: --walks off
# expect p6: l2_ifetch:s = N
# expect p6: l2_ld:s = N
# expect p6: l2_st:s = N
# expect p6: bus_tran_inval = N
# expect p6: bus_tran_mem = 2*N
# size 100
#include "model.inc"
.macro CODE_LINES n
	.balign 32
	.rept \n
	.rept 4
	.byte 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0
	.endr
	.endr
	ret
.endm
	.section .wtext, "awx"
	.balign 1 << 16
ours:
	CODE_LINES N
	.text
	.balign 1 << 16
others:
	CODE_LINES 1024
_start:
	call ours
	call others
	call ours
	call others
	READ_LINES ours, N
	WRITE_LINES ours, N
	EXIT
