/* Clean lines found exclusive: by loads, then by stores; lines written and pushed to L2 found modified. */
# options p6: --walks off
# expect p6: l2_ld:e = N
# expect p6: l2_ld:i = N
# expect p6: l2_st:e = N
# expect p6: l2_st:m = N
# expect p6: l2_rqsts:e = 2*N
# expect p6: l2_rqsts:m = N
# expect p6: l2_rqsts = 4*N
# expect p6: dcu_m_lines_out = N
# size 200
#include "model.inc"
_start:
	FLUSH_L1D
	READ_LINES data, N
	FLUSH_L1D
	READ_LINES data, N
	FLUSH_L1D
	WRITE_LINES data, N
	FLUSH_L1D
	WRITE_LINES data, N
	EXIT
