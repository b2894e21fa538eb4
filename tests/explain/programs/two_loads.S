/* N lines that L1D does not have, two loads of each. */
#include "model.inc"
_start:
	mov esi, offset buffer
	LOOP 1
	mov eax, [rsi]
	mov ebx, [rsi + 8]
	add rsi, 32
	NEXT 1b
	EXIT
	.bss
	.balign 4096
buffer:
	.skip 32 * N
