/* A prefix that changes the length of an immediate holds the length decoder. */
# expect p6: ild_stall = 6*N
#include "model.inc"
_start:
	LOOP 1
	mov ax, 0x1234
	mov cx, 0x1234
	add dx, 5
	NEXT 1b
	EXIT
