/* N reads 128 bytes apart, then N reads 8 bytes apart, of memory that was never touched: a line each, and a quarter of that. */
# options p6: --walks off
# expect p6: bus_tran_brd = N+N/4
# expect p6: dcu_lines_in = N+N/4
# expect p6: data_mem_refs = 2*N
# expect p6: l2_ld:i = N+N/4
# expect p6: bus_trans_wb = 0
# size 20000
#include "model.inc"
_start:
	MAP 0x30000000, 0x600000
	MAP 0x40000000, 0x600000
	mov esi, 0x30000000
	mov edi, 0x40000000
	LOOP 1
	mov rax, [rsi]
	add rsi, 128
	mov rcx, [rdi]
	add rdi, 8
	NEXT 1b
	EXIT
