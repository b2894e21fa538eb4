/* Lines written past the caches, whole: four bus clocks each, 18 of the processor's, 800 MB a second at 100 MHz, and no more. */
# options p6: --walks off
# between p6: cpu_clk_unhalted = 18*N-20 .. 18*N+20
# expect p6: bus_trans_wb = N
# expect p6: bus_drdy_clocks:any = 18*N
# size 1000
#include "model.inc"
_start:
	MAP 0x30000000, 0x20000
	mov ebx, 0x30000000
	LOOP 1
	movntps [rbx], xmm0
	movntps [rbx + 16], xmm0
	add ebx, 32
	NEXT 1b
	EXIT
