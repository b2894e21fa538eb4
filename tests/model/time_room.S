/* Forty divides of 32 bits, 37 clocks each and each waiting for the one before, with more micro-ops between them than the
 * reorder buffer holds: rename stands still for want of room but for the 15 clocks that 44 micro-ops take. */
# between p6: resource_stalls = 22*40*N .. 40*40*N
# size 50
#include "model.inc"
_start:
	mov ebx, 3
	LOOP 1
	.rept 40
	xor edx, edx
	or eax, 0x40000000
	div ebx
	.rept 40
	nop
	.endr
	.endr
	NEXT 1b
	EXIT
