/* Ten stores in ten clocks to a line that is not there, each with a bus cycle of 4 clocks. The P5 buffers one
 * (they all go down U: displacement and immediate), the Pentium with MMX four. */
# options pentium-60: --board write=4-1-1-1 --set bus.is_pipelined=0
# options pentium-mmx: --board write=4-1-1-1 --set bus.is_pipelined=0,bus.ratio_x2=2
# expect pentium-60: WRITE_BUFFER_FULL_STALL_DURATION = 9*(4-1)*N
# expect pentium-60: BUS_CYCLE_DURATION = 10*4*N
# expect pentium-60: DATA_WRITE_MISS = 10*N
# expect pentium-60: STALL_ON_WRITE_TO_AN_E-_OR_M-STATE_LINE = 0
# expect pentium-mmx: WRITE_BUFFER_FULL_STALL_DURATION = (6*4-9)*N
# expect pentium-mmx: FULL_WRITE_BUFFER_STALL_DURATION_WHILE_EXECUTING_MMX_INSTRUCTIONS = 0
# expect pentium-60: WRITE_BUFFER_FULL_STALL_DURATION:occ = 9*N
# expect pentium-mmx: WRITE_BUFFER_FULL_STALL_DURATION:occ = 5*N
#include "model.inc"
_start:
	lea rsi, [data]
	LOOP 1
	.rept 10
	mov byte ptr [rsi + 4], 5
	.endr
	PAUSE
	PAUSE
	NEXT 1b
	EXIT
