/* Memory marked as not cacheable: partial transactions, two of them with the bus locked for a locked sequence. */
# options p6: --uncached 0x30000000+4096
# options pentiumpro: --uncached 0x30000000-0x30001000
# expect p6: bus_tran_pwr = 4*N
# expect p6: bus_trans_p = 9*N
# expect p6: bus_tran_any = 9*N
# expect p6: data_mem_refs = 8*N
# expect p6: data_mem_cache_ref = N
# expect p6: bus_data_rcv = 5*N
# expect p6: bus_drdy_clocks:self = 4*N
# expect p6: dcu_lines_in = 0
# expect p6: bus_lock_clocks = 135*N
# expect p6: bus_lock_clocks:self = 135*N
# expect pentiumpro: bus_lock_clocks = 90*N
# expect pentium2: bus_lock_clocks = 0
# expect pentium2: bus_trans_p = 0
#include "model.inc"
_start:
	MAP 0x30000000, 8192
	mov ebx, 0x30000000
	mov r12d, 0x30001000
	mov eax, [r12]
	LOOP 1
	mov eax, [rbx]
	mov eax, [rbx + 64]
	mov [rbx + 8], eax
	mov eax, [rbx + 6]
	mov [rbx + 38], eax
	lock inc dword ptr [rbx + 16]
	mov eax, [r12]
	NEXT 1b
	EXIT
