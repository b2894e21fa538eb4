/* N stores, each to a line that neither cache has. */
#include "model.inc"
_start:
	mov esi, offset buffer
	LOOP 1
	mov [rsi], eax
	add rsi, 32
	NEXT 1b
	EXIT
	.bss
	.balign 4096
buffer:
	.skip 32 * N
