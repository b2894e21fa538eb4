/* No wait behind XOR of the whole register, for its low part. */
# expect p6: partial_rat_stalls = 0
#include "model.inc"
_start:
	LOOP 1
	xor eax, eax
	mov al, 3
	mov ebx, eax
	NEXT 1b
	EXIT
