/* Both processors read the same lines: exclusive becomes shared, and is found so in L2 when L1D has lost it. */
# options p6: --cpus 2 --quantum 1000000000 --walks off
# expect p6: bus_tran_brd:self = 2*N
# expect p6: bus_tran_brd:any = 2*N
# expect p6: bus_hit_drv = N
# expect p6: bus_hitm_drv = 0
# expect p6: bus_trans_wb = 0
# expect p6: l2_ld:i = 2*N
# expect p6: l2_ld:s = 2*N
# expect p6: l2_ld:e = 0
# expect p6: l2_rqsts:s = 2*N
# expect p6: l2_lines_out = 0
# size 200
#include "smp.inc"
_start:
	SPAWN other
	READ_LINES data, N
	HAND_OVER
	FLUSH_L1D
	READ_LINES data, N
	EXIT
other:
	READ_LINES data, N
	FLUSH_L1D
	READ_LINES data, N
	HAND_OVER
	EXIT
