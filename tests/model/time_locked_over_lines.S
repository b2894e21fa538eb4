/* Locked accesses that a line end cuts go by the bus, which is locked for them: a partial read and a partial write for each of two lines. The
 * caches do not keep these lines: an ordinary read behind them finds one of them in memory alone. */
# bits both
# expect p6: bus_lock_clocks = 4*15*9/2*2*N
# expect p6: bus_trans_p = 8*N
# expect p6: bus_tran_pwr = 4*N
# expect p6: bus_tran_brd = N
# expect p6: bus_tran_mem = 9*N
# expect p6: bus_tran_any = 9*N
# expect p6: bus_data_rcv = 8*N
# expect p6: bus_drdy_clocks:self = 4*N
# expect p6: dcu_lines_in = N
# expect p6: data_mem_refs = 9*N
# expect p6: data_mem_cache_ref = 9*N
# expect p6: bus_tran_rfo = 0
# expect pentium2: bus_trans_p = 8*N
# expect pentiumpro: bus_lock_clocks = 4*15*3*2*N
#include "model.inc"
_start:
	mov eax, [data + 256]
	mov eax, [data + 320]
	LOOP 1
	lock inc dword ptr [data + 30]
	mov eax, 1
	lock xadd dword ptr [data + 30], eax
	mov eax, [data]
	NEXT 1b
	EXIT
