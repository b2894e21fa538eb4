/* A timer that asks a thousand times in a second, while a loop takes that many clocks N times. */
# options p6: --timer-hz 1000
# options pentiumpro: --timer-hz 1000
# expect p6: hw_int_rx = N
# expect p6: cycles_int_masked = 0
# expect p6: cycles_int_pending_and_masked = 0
# expect pentiumpro: hw_int_rx = 9*N/4
# expect pentium2: hw_int_rx = 0
# size 20
#include "model.inc"
_start:
	LOOP 1
	mov ecx, 225000
	.balign 32
2:	dec ecx
	jnz 2b
	NEXT 1b
	EXIT
