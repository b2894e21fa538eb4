/* Single-precision SSE by kind, prefetches and weakly ordered stores. */
# expect p6: emon_sse_inst_retired = 5*N
# expect p6: emon_sse_inst_retired:scalar = 2*N
# expect p6: emon_sse_comp_inst_ret = 2*N
# expect p6: emon_sse_comp_inst_ret:scalar = N
# expect p6: emon_sse_pre_dispatched:nta = N
# expect p6: emon_sse_pre_dispatched:t0 = 2*N
# expect p6: emon_sse_pre_dispatched:t1_t2 = 2*N
# expect p6: emon_sse_pre_dispatched:nt_store = N
#include "model.inc"
_start:
	lea rsi, [data]
	LOOP 1
	addps xmm0, xmm1
	addss xmm0, xmm1
	movss xmm2, xmm0
	andps xmm0, xmm1
	prefetchnta [rsi]
	prefetcht0 [rsi]
	prefetcht0 [rsi]
	prefetcht1 [rsi]
	prefetcht2 [rsi]
	movntps [rsi], xmm0
	sfence
	NEXT 1b
	EXIT
