/* y += a*x over N doubles, much more than L2 holds: each line of x and of y is read once, none with ownership, since y is
 * loaded before it is stored; each line of y is written back once. Page tables apart. */
# options p6: --walks off
# options pentiumpro: --walks off
# expect p6: dcu_lines_in = N/2
# expect p6: l2_lines_in = N/2
# expect p6: bus_tran_brd = N/2
# expect p6: bus_tran_rfo = 0
# expect p6: bus_trans_wb = N/4
# expect p6: bus_data_rcv = 2*N
# expect p6: data_mem_refs = 3*N
# expect p6: flops = 2*N
# expect pentiumpro: bus_tran_brd = N/2
# expect pentiumpro: bus_tran_rfo = 0
# expect pentiumpro: bus_trans_wb = N/4
# size 131072
#include "model.inc"
_start:
	MAP 0x30000000, 0x400000
	MAP 0x40000000, 0x400000
	mov esi, 0x30000000
	mov edi, 0x40000000
	fld1
	LOOP 1
	fld qword ptr [rsi]
	add rsi, 8
	fmul st, st(1)
	fadd qword ptr [rdi]
	fstp qword ptr [rdi]
	add rdi, 8
	NEXT 1b
	EXIT
