/* Forward branches that the BTB does not know, and that are not taken: nothing to redirect. */
# expect p6: btb_misses = N
# expect p6: baclears = 0
#include "model.inc"
_start:
	or eax, 1
	.rept N
	jz 9f
	.endr
9:
	EXIT
