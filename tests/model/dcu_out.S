/* Written lines pushed out of L1D: one modified line out each, found modified in L2 afterwards, first by
 * a load, then by a store. */
# options p6: --walks off
# expect p6: dcu_m_lines_out = N
# expect p6: l2_ld:m = N
# expect p6: l2_m_lines_inm = N
# expect p6: l2_ads = (2+1+1)*N
# size 200
#include "model.inc"
_start:
	READ_LINES scratch, 1024
	WRITE_LINES data, N
	FLUSH_L1D
	READ_LINES data, N
	EXIT
