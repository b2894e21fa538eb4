/* A write that misses brings nothing in and misses again; behind a read it hits. */
# expect p5: DATA_WRITE_MISS = 2*N
# expect p5: WRITE_HIT_TO_M-_OR_E-STATE_LINES = N
# expect p5: DATA_READ_MISS_OR_WRITE_MISS = 2*N
# expect p5: DATA_CACHE_LINES_WRITTEN_BACK = 0
# expect pentium-mmx: DATA_WRITE_MISS = 2*N
# expect pentium-mmx: WRITE_HIT_TO_M-_OR_E-STATE_LINES = N
#include "model.inc"
_start:
	LOOP 1
	mov [data], eax
	mov [data + 30], eax		/* over the line end: the other line was read */
	mov eax, [data + 32]
	NEXT 1b
	EXIT
