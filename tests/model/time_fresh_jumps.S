/* Jumps that the BTB does not know: the decoder redirects fetch. */
# expect p6: btb_misses = N
# expect p6: baclears = N
#include "model.inc"
_start:
	.rept N
	jmp 1f
	nop
1:
	.endr
	EXIT
