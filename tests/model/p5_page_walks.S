/* Each page is new: two entries are read over the bus, 6 clocks each, then its line. */
# options pentium-60: --board size=0,row=0
# options pentium-mmx: --board size=0,row=0 --set bus.ratio_x2=2
# expect pentium-60: NONCACHEABLE_MEMORY_READS = 2*N
# expect pentium-60: DATA_TLB_MISS = N
# expect pentium-60: DATA_READ_MISS = N
# expect pentium-60: WAITING_FOR_DATA_MEMORY_READ_STALL_DURATION = (16+7)*N
# expect pentium-60: BUS_CYCLE_DURATION = (6+6+12)*N
# expect pentium-mmx: NONCACHEABLE_MEMORY_READS = 2*N
# expect pentium-mmx: DATA_CACHE_TLB_MISS_STALL_DURATION = 16*N
# expect pentium-mmx: WAITING_FOR_DATA_MEMORY_READ_STALL_DURATION = (16+9)*N
# expect pentium-mmx: DATA_CACHE_TLB_MISS_STALL_DURATION:occ = N
# expect pentium-60: WAITING_FOR_DATA_MEMORY_READ_STALL_DURATION:occ = N
# expect pentium-60: NONCACHEABLE_MEMORY_READS:clk = 2*N
#include "model.inc"
	.bss
	.balign 4096
pages:	.skip 8200 * 1024
	.text
_start:
	lea rsi, [pages]
	LOOP 1
	mov eax, [rsi]
	add rsi, 4096
	PAUSE
	NEXT 1b
	EXIT
