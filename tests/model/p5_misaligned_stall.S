/* A cut read that hits waits 3 clocks, of which silicon counts 2 (--errata); a cut write is no read stall. */
# options pentium: --errata
# expect pentium-60: WAITING_FOR_DATA_MEMORY_READ_STALL_DURATION = 3*N
# expect pentium-60: MISALIGNED_DATA_MEMORY_OR_I/O_REFERENCES = 2*N
# expect pentium-mmx: WAITING_FOR_DATA_MEMORY_READ_STALL_DURATION = 3*N
# expect pentium: WAITING_FOR_DATA_MEMORY_READ_STALL_DURATION = 2*N
# expect pentium: MISALIGNED_DATA_MEMORY_OR_I/O_REFERENCES = 2*N
# expect pentium-60: WAITING_FOR_DATA_MEMORY_READ_STALL_DURATION:occ = N
#include "model.inc"
_start:
	mov eax, [data]
	LOOP 1
	mov eax, [data + 1]
	PAUSE
	mov [data + 6], eax
	PAUSE
	NEXT 1b
	EXIT
