/* Two processors write the same lines in turn: each takes them modified from the other, who writes them back. */
# options p6: --cpus 2 --quantum 1000000000 --walks off
# expect p6: bus_tran_rfo:self = 4*N
# expect p6: bus_tran_rfo:any = 4*N
# expect p6: bus_hitm_drv = 3*N
# expect p6: bus_hit_drv = 0
# expect p6: bus_trans_wb:self = 3*N
# expect p6: bus_trans_wb:any = 3*N
# expect p6: bus_drdy_clocks:self = 12*N
# expect p6: bus_data_rcv = 16*N
# expect p6: bus_drdy_clocks:any = 16*N*9/2
# expect p6: bus_tran_inval = 0
# expect p6: dcu_m_lines_out = 3*N
# expect p6: l2_m_lines_outm = 3*N
# expect p6: l2_lines_out = 3*N
# expect p6: l2_st:i = 4*N
# size 200
#include "smp.inc"
_start:
	SPAWN other
	WRITE_LINES data, N
	HAND_OVER
	WRITE_LINES data, N
	HAND_OVER
	EXIT
other:
	WRITE_LINES data, N
	HAND_OVER
	WRITE_LINES data, N
	HAND_OVER
	EXIT
