/* N loads over the end of a line into the next one; L1D has neither. */
#include "model.inc"
_start:
	mov esi, offset buffer
	LOOP 1
	mov eax, [rsi + 30]
	add rsi, 64
	NEXT 1b
	EXIT
	.bss
	.balign 4096
buffer:
	.skip 64 * N
