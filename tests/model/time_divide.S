/* A divide keeps the divider for 37 clocks. */
# expect p6: cycles_div_busy = 37*N
# expect p6: cycles_div_busy:e = N
#include "model.inc"
_start:
	mov ebx, 3
	LOOP 1
	xor edx, edx
	mov eax, 7
	div ebx
	NEXT 1b
	EXIT
