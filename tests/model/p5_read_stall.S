/* Each line comes from memory, 6-2-2-2 bus clocks: the read waits for the first 8 bytes, the bus is busy for all. */
# options pentium-60: --walks off --board row=0
# options pentium-mmx: --walks off --board row=0 --set bus.ratio_x2=2
# expect pentium-60: WAITING_FOR_DATA_MEMORY_READ_STALL_DURATION = 7*N
# expect pentium-60: BUS_CYCLE_DURATION = 12*N
# expect pentium-60: NONCACHEABLE_MEMORY_READS = 0
# expect pentium-60: DATA_READ_MISS = N
# expect pentium-mmx: WAITING_FOR_DATA_MEMORY_READ_STALL_DURATION = 9*N
# expect pentium-mmx: PIPELINE_ISTALL_FOR_MMX_INSTRUCTION_DATA_MEMORY_READS = 0
# expect pentium-mmx: BUS_CYCLE_DURATION = 12*N
# expect pentium-mmx: BUS_UTILIZATION_DUE_TO_PROCESSOR_ACTIVITY = 12*N
# expect pentium-mmx: DATA_CACHE_TLB_MISS_STALL_DURATION = 0
# expect pentium-60: WAITING_FOR_DATA_MEMORY_READ_STALL_DURATION:occ = N
# expect pentium-60: BUS_CYCLE_DURATION:occ = N
# expect pentium-mmx: BUS_UTILIZATION_DUE_TO_PROCESSOR_ACTIVITY:occ = N
#include "model.inc"
_start:
	lea rsi, [scratch]
	LOOP 1
	mov eax, [rsi]
	add rsi, 32
	PAUSE
	NEXT 1b
	EXIT
