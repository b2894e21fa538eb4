/* 32 KB again and again: none of it stays in L1D, all of it in the board's cache, 3-1-1-1. */
# options pentium-60: --walks off
# options pentium-mmx: --walks off --replace lru --set bus.ratio_x2=2
# expect pentium-60: WAITING_FOR_DATA_MEMORY_READ_STALL_DURATION = 4*1024*N
# expect pentium-60: BUS_CYCLE_DURATION = 6*1024*N
# expect pentium-60: DATA_READ_MISS = 1024*N
# expect pentium-mmx: WAITING_FOR_DATA_MEMORY_READ_STALL_DURATION = 6*1024*N
# size 10
#include "model.inc"
_start:
	LOOP 1
	lea rsi, [scratch]
	mov ecx, 1024
2:	mov eax, [rsi]
	add rsi, 32
	PAUSE
	dec ecx
	jnz 2b
	NEXT 1b
	EXIT
