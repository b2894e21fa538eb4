/* The decoder of the Pentium with MMX: each 66h takes F two clocks, and D1 has one instruction in three. */
# bits 32
# expect pentium-mmx: D1_STARVATION_AND_FIFO_IS_EMPTY = 16*N
# expect pentium-mmx: D1_STARVATION_AND_ONLY_ONE_INSTRUCTION_IN_FIFO = 8*N
# expect pentium-mmx: INSTRUCTIONS_EXECUTED_V_PIPE = N
# expect pentium-mmx: cycles = 25*N
# expect p5: cycles = 17*N
#include "model.inc"
_start:
	LOOP 1
	.rept 8
	inc ax
	.endr
	NEXT 1b
	EXIT
