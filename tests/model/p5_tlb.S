/* A hundred pages again and again: with 64 entries each read misses. An operand over two pages is two. */
# expect p5: DATA_TLB_MISS = 101*N
# expect pentium-mmx: DATA_TLB_MISS = 101*N
#include "model.inc"
_start:
	LOOP 1
	lea rsi, [scratch]
	mov ecx, 99
2:	mov eax, [rsi]
	add rsi, 4096
	dec ecx
	jnz 2b
	mov eax, [rsi + 4094]
	NEXT 1b
	EXIT
