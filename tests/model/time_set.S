/* Figures of the pipeline as --set has them. */
# options p6: --set lcp_clk=5
# options pentiumpro: --set lcp_clk=5,lcp_clk=7
# expect p6: ild_stall = 10*N
# expect pentiumpro: ild_stall = 14*N
# expect pentium2: ild_stall = 6*N
#include "model.inc"
_start:
	LOOP 1
	mov ax, 0x1234
	mov cx, 0x1234
	add dx, 5
	NEXT 1b
	EXIT
