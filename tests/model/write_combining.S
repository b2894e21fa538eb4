/* Whole lines by weakly ordered stores are full-line writes; half lines are partial ones, two pieces each. */
# options p6: --walks off
# expect p6: emon_sse_pre_miss:nt_store = 2*N
# expect p6: bus_trans_wb = N
# expect p6: bus_tran_pwr = 2*N
# expect p6: bus_tran_pwr:self = 2*N
# expect p6: bus_trans_p = 2*N
# expect p6: bus_tran_any = 3*N
# expect p6: bus_drdy_clocks:self = (4+2)*N
# expect p6: bus_drdy_clocks:any = (4+2)*N*9/2
# expect p6: dcu_lines_in = 0
# expect p6: data_mem_refs = 6*N
# size 300
#include "model.inc"
_start:
	lea rsi, [scratch]
	LOOP 1
	movntps [rsi], xmm0
	movntps [rsi+16], xmm0
	movntps [rsi+0x80000], xmm0
	add rsi, 32
	NEXT 1b
	sfence
	EXIT
