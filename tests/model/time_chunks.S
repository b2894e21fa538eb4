/* Straight code of four 16-byte chunks. */
# expect p6: ifu_ifetch = 4*N
# expect p6: inst_decoded = 62*N
#include "model.inc"
_start:
	LOOP 1
	.rept 60
	nop
	.endr
	NEXT 1b
	EXIT
