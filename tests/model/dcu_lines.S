/* Cold lines read, then cold lines written; two megabytes apart from each other. */
# options p6: --walks off
# expect p6: dcu_lines_in = 2*N
# expect p6: dcu_m_lines_in = N
# expect p6: l2_ld = N
# expect p6: l2_ld:i = N
# expect p6: l2_st = N
# expect p6: l2_st:i = N
# expect p6: l2_rqsts = 2*N
# expect p6: l2_rqsts:i = 2*N
# expect p6: l2_rqsts:s = 0
# expect p6: l2_lines_in = 2*N
# expect p6: l2_m_lines_inm = N
# expect p6: l2_lines_out = 0
# expect p6: bus_tran_brd:self = N
# expect p6: bus_tran_brd:any = N
# expect p6: bus_tran_rfo = N
# expect p6: bus_tran_burst = 2*N
# expect p6: bus_tran_burst:self = 2*N
# expect p6: bus_tran_mem:self = 2*N
# expect p6: bus_tran_any:self = 2*N
# expect p6: bus_tran_mem = 2*N
# expect p6: bus_tran_any = 2*N
# expect p6: bus_trans_p = 0
# expect p6: bus_data_rcv = 4*2*N
# expect p6: l2_ifetch = 0
# size 400
#include "model.inc"
_start:
	READ_LINES scratch, N
	WRITE_LINES data, N
	EXIT
