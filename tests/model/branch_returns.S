/* Sixteen nested returns are predicted, the four below them are not. */
# expect p6: br_miss_pred_retired = 4*N
# expect p6: br_inst_retired = (20+20+1)*N
# size 500
#include "model.inc"
_start:
	LOOP 1
	call depth1
	NEXT 1b
	EXIT
	.altmacro
.macro LEVEL n, next
	.balign 32
depth\n:
	call depth\next
	ret
.endm
	.set i, 1
	.rept 19
	LEVEL %i, %(i+1)
	.set i, i+1
	.endr
	.balign 32
depth20:
	ret
