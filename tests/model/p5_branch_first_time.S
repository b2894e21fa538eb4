/* Jumps that were never seen flush the pipe; calls and returns of them, too. */
# expect p5: PIPELINE_FLUSHES = N
# expect p5: TAKEN_BRANCH_OR_BTB_HIT = N
# expect p5: BTB_HITS = 0
# expect pentium-mmx: PIPELINE_FLUSHES = N
# expect pentium-mmx: PIPELINE_FLUSHES_DUE_TO_WRONG_BRANCH_PREDICTIONS = N
# expect pentium-mmx: TAKEN_BRANCHES = N
#include "model.inc"
_start:
	.rept N
	jmp 1f
	nop
1:
	.endr
	EXIT
