/* c = a over N doubles, much more than L2 holds: each line of a is read, each of c is read with ownership and written back. */
# options p6: --walks off
# options pentiumpro: --walks off
# expect p6: bus_tran_brd = N/4
# expect p6: bus_tran_rfo = N/4
# expect p6: bus_trans_wb = N/4
# expect p6: bus_tran_burst = 3*N/4
# expect p6: dcu_lines_in = N/2
# expect p6: dcu_m_lines_in = N/4
# expect p6: l2_lines_in = N/2
# expect p6: l2_m_lines_outm = N/4
# expect p6: bus_drdy_clocks:self = N
# expect pentiumpro: bus_tran_burst = 3*N/4
# size 131072
#include "model.inc"
_start:
	MAP 0x30000000, 0x400000
	MAP 0x40000000, 0x400000
	mov esi, 0x30000000
	mov edi, 0x40000000
	LOOP 1
	mov rax, [rsi]
	add rsi, 8
	mov [rdi], rax
	add rdi, 8
	NEXT 1b
	EXIT
