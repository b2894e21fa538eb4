/* Where silicon miscounts: cut accesses that miss, and cut FSTs, count twice. */
# options pentium: --errata
# expect pentium-60: DATA_READ_MISS = N
# expect pentium-60: DATA_WRITE_MISS = 2*N
# expect pentium-60: WRITE_HIT_TO_M-_OR_E-STATE_LINES = 2*N
# expect pentium-60: MISALIGNED_DATA_MEMORY_OR_I/O_REFERENCES = 3*N
# expect pentium: DATA_READ_MISS = 2*N
# expect pentium: DATA_WRITE_MISS = 3*N
# expect pentium: WRITE_HIT_TO_M-_OR_E-STATE_LINES = 2*N
# expect pentium: MISALIGNED_DATA_MEMORY_OR_I/O_REFERENCES = 4*N
#include "model.inc"
_start:
	lea rsi, [scratch]
	fldz
	LOOP 1
	mov eax, [rsi + 1]		/* absent: one miss, and the line is there */
	mov [data + 3], eax		/* absent: each part misses */
	fst dword ptr [rsi + 9]		/* hits */
	add rsi, 32
	NEXT 1b
	EXIT
