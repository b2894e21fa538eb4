/* Straight code of N lines executed once: each line missed once, in L2 too. */
# options p6: --walks off
# expect p6: ifu_ifetch_miss = N
# expect p6: l2_ifetch = N
# expect p6: l2_ifetch:i = N
# expect p6: bus_tran_ifetch = N
# expect p6: bus_data_rcv = 4*N
# expect p6: bus_drdy_clocks:any = 4*N*9/2
# expect p6: bus_drdy_clocks:self = 0
# expect p6: l2_lines_in = N
#include "model.inc"
_start:
	.balign 32
	.rept N
	.rept 4
	.byte 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0
	.endr
	.endr
	EXIT
