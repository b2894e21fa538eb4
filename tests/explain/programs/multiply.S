/* N integer multiplications, and nothing of x87. */
#include "model.inc"
_start:
	LOOP 1
	imul eax, ebx
	NEXT 1b
	EXIT
