/* Code that one processor has executed is written by the other: it is fetched again, after a write-back. */
# options p6: --cpus 2 --quantum 1000000000 --walks off
# expect p6: ifu_ifetch_miss = 2*N
# expect p6: bus_tran_ifetch:self = 2*N
# expect p6: bus_tran_ifetch:any = 2*N
# expect p6: l2_ifetch:i = 2*N
# expect p6: bus_tran_rfo = N
# expect p6: bus_hitm_drv = N
# expect p6: bus_trans_wb = N
# expect p6: l2_lines_out = N
# size 50
#include "smp.inc"
	.section .wtext, "awx"
	.balign 4096
code:
	.skip 32*N, 0x90
	.balign 32
	ret
	.text
_start:
	SPAWN other
	call code
	HAND_OVER
	call code
	EXIT
other:
	mov eax, 0x90909090
	WRITE_LINES code, N
	HAND_OVER
	EXIT
