/* Locked sequences go to the bus: two when the operand is cut; they take the line out of L1D, so the write
 * behind the read misses, and modified data is written back first. */
# expect p5: LOCKED_BUS_CYCLE = 5*N
# expect p5: DATA_READ_MISS = 5*N
# expect p5: DATA_WRITE_MISS = 5*N
# expect p5: DATA_CACHE_LINES_WRITTEN_BACK = N
# expect pentium-mmx: LOCKED_BUS_CYCLE = 5*N
#include "model.inc"
_start:
	LOOP 1
	lock inc dword ptr [data]
	lock inc dword ptr [data + 2]
	xchg [data + 64], eax
	mov eax, [data + 128]
	mov [data + 128], eax
	lock add [data + 128], eax
	NEXT 1b
	EXIT
