/* Misses of MMX references are counted among all and by themselves. */
# needs mmx
# size 40
# expect pentium-mmx: MMX_INSTRUCTION_DATA_READ_MISSES = 64*N
# expect pentium-mmx: MMX_INSTRUCTION_DATA_WRITE_MISSES = 64*N
# expect pentium-mmx: DATA_READ_MISS = 1088*N
# expect pentium-mmx: DATA_WRITE_MISS = 64*N
#include "model.inc"
_start:
	LOOP 1
	FLUSH_L1D
	lea rsi, [data]
	mov ecx, 64
2:	movq mm0, [rsi]
	movq [rsi + 8192], mm0
	add rsi, 32
	dec ecx
	jnz 2b
	NEXT 1b
	EXIT
