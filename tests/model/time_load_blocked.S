/* A load that is larger than the store before it waits for the commit; a smaller one does not. */
# expect p6: ld_blocks = N
#include "model.inc"
_start:
	lea rsi, [data]
	mov edi, esi
	LOOP 1
	mov [rsi], al
	mov ecx, [rsi]
	mov [rsi + 64], ebp
	nop
	nop
	nop
	nop
	nop
	nop
	nop
	nop
	nop
	nop
	nop
	nop
	mov dl, [rsi + 64]
	NEXT 1b
	EXIT
