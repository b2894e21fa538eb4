/* A timer that asks a thousand times in a second, while a loop of two pairs takes that many clocks N times. (A loop of
 * one pair would never be predicted.) */
# options p5: --timer-hz 1000
# expect p5: HARDWARE_INTERRUPTS = N
# expect pentium-60: HARDWARE_INTERRUPTS = 0
# size 20
#include "model.inc"
_start:
	LOOP 1
	mov ecx, 66500
	.balign 32
2:	mov eax, 1
	mov ebx, 2
	dec ecx
	jnz 2b
	NEXT 1b
	EXIT
