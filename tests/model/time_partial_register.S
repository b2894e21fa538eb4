/* AL, then EAX: rename waits until the writer of AL has retired. */
# between p6: partial_rat_stalls = 5*N .. 7*N
# expect p6: partial_rat_stalls:e = N
#include "model.inc"
_start:
	lea rsi, [data]
	LOOP 1
	mov al, [rsi]
	mov ebx, eax
	NEXT 1b
	EXIT
