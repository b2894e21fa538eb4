/* Prefetches of cold lines: NTA fills L1D only, T0 both levels, T1 L2 only. */
# options p6: --walks off
# expect p6: emon_sse_pre_miss:nta = N
# expect p6: emon_sse_pre_miss:t0 = N
# expect p6: emon_sse_pre_miss:t1_t2 = N
# expect p6: dcu_lines_in = 2*N
# expect p6: l2_lines_in = 2*N
# expect p6: bus_tran_brd = 3*N
# expect p6: l2_ld:i = 3*N
# size 300
#include "model.inc"
_start:
	lea rsi, [scratch]
	LOOP 1
	prefetchnta [rsi]
	prefetcht0 [rsi+0x40000]
	prefetcht1 [rsi+0x80000]
	add rsi, 32
	NEXT 1b
	EXIT
