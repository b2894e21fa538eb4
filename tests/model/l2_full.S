/* 512 KB of written lines fill L2; each further one pushes out a modified line. */
# options p6: --walks off
# expect p6: l2_lines_in = N
# expect p6: l2_lines_out = N
# expect p6: l2_m_lines_outm = N
# expect p6: bus_trans_wb = N
# expect p6: bus_drdy_clocks:self = 4*N
# expect p6: bus_tran_burst = 2*N
# size 1000
#include "model.inc"
_start:
	WRITE_LINES data, 16384+N
	EXIT
