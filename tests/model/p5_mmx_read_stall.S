/* What MMX reads wait is counted apart; integer reads here hit. */
# options pentium-mmx: --walks off --board row=0 --set bus.ratio_x2=2
# expect pentium-mmx: PIPELINE_ISTALL_FOR_MMX_INSTRUCTION_DATA_MEMORY_READS = 9*N
# expect pentium-mmx: WAITING_FOR_DATA_MEMORY_READ_STALL_DURATION = 9*N
# expect pentium-mmx: PIPELINE_ISTALL_FOR_MMX_INSTRUCTION_DATA_MEMORY_READS:occ = N
#include "model.inc"
_start:
	lea rsi, [scratch]
	LOOP 1
	movq mm0, [rsi]
	add rsi, 32
	PAUSE
	mov eax, [data]
	NEXT 1b
	EXIT
