/* JBE reads what CMP and INC wrote; JZ reads what INC wrote alone. */
# between p6: partial_rat_stalls = 3*N .. 5*N
#include "model.inc"
_start:
	mov eax, 7
	mov ebx, 3
	mov ecx, 1
	LOOP 1
	cmp eax, ebx
	inc ecx
	jbe 2f
	cmp eax, ebx
	inc ecx
	jz 2f
	NEXT 1b
2:
	EXIT
