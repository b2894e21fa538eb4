/* One processor writes lines, the other reads them (written back, shared) and then writes them: ownership
 * without data, the first loses its clean copies. */
# options p6: --cpus 2 --quantum 1000000000 --walks off
# expect p6: bus_tran_rfo:self = N
# expect p6: bus_tran_brd:self = N
# expect p6: bus_tran_brd:any = N
# expect p6: bus_hitm_drv = N
# expect p6: bus_hit_drv = 0
# expect p6: bus_trans_wb:self = N
# expect p6: bus_tran_inval:self = N
# expect p6: bus_tran_inval:any = N
# expect p6: bus_tran_mem:any = 4*N
# expect p6: l2_st:i = N
# expect p6: l2_st:s = N
# expect p6: l2_ld:i = N
# expect p6: l2_lines_out = N
# expect p6: l2_m_lines_outm = 0
# expect p6: dcu_m_lines_out = N
# size 200
#include "smp.inc"
_start:
	SPAWN other
	WRITE_LINES data, N
	HAND_OVER
	EXIT
other:
	READ_LINES data, N
	WRITE_LINES data, N
	EXIT
