/* JC reads what CMP wrote, but INC, which left it alone, wrote flags last; nobody waits behind CLC for CF, and for ZF one does. */
# between p6: partial_rat_stalls = 3*2*N .. 5*2*N
# expect p6: partial_rat_stalls:e = 2*N
#include "model.inc"
_start:
	mov eax, 7
	mov ebx, 3
	mov ecx, 1
	LOOP 1
	cmp eax, ebx
	inc ecx
	jc 2f
	lfence
	clc
	jc 2f
	lfence
	clc
	setz dl
	lfence
	NEXT 1b
2:
	EXIT
