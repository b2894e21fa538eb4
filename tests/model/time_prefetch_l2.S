/* Prefetches of cold lines into L2 alone: they take the bus, 18 clocks a line, and the buffers, like those that go to L1D, too, so they come
 * no faster than the lines do. */
# options p6: --walks off
# between p6: cpu_clk_unhalted = 18*N .. 25*N
# expect p6: bus_drdy_clocks:any = 18*N
# expect p6: bus_req_outstanding:c=5 = 0
# expect p6: dcu_lines_in = 0
# expect p6: l2_lines_in = N
# size 1000
#include "model.inc"
_start:
	MAP 0x30000000, 0x20000
	mov ebx, 0x30000000
	LOOP 1
	prefetcht1 [rbx]
	add ebx, 32
	NEXT 1b
	EXIT
