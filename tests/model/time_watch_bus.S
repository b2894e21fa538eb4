/* N lines from memory, one after the other: a request each, and four bus clocks with data, which nothing else drives. */
# options p6: --walks off
# expect p6: bus_tran_brd:c=1 = N
# expect p6: bus_tran_brd:c=2 = 0
# expect p6: bus_data_rcv:c=1 = 4*N
# expect p6: bus_data_rcv:c=2 = 0
# expect p6: bus_drdy_clocks:self:c=1 = 0
# expect p6: bus_drdy_clocks:any:c=1 = 18*N
# expect p6: bus_drdy_clocks:any:c=1:e = N
# expect p6: bus_req_outstanding:c=1:e = N
# expect p6: bus_data_rcv:e = N
# expect p6: l2_lines_in:c=1 = N
# expect p6: l2_ads:c=1 = 2*N
# size 200
#include "model.inc"
_start:
	MAP 0x30000000, 0x10000
	mov ebx, 0x30000000
	mov ecx, N
1:	mov eax, [rbx]
	add ebx, eax
	add ebx, 32
	dec ecx
	jnz 1b
	EXIT
