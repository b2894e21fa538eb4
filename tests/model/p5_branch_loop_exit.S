/* A loop of 20 trips is left once per run: one branch predicted taken that is not. Its jumps back are predicted. */
# expect p5: PIPELINE_FLUSHES = N
# expect p5: BRANCHES = 21*N
# expect p5: BTB_HITS = 21*N
# expect p5: TAKEN_BRANCH_OR_BTB_HIT = 21*N
# expect pentium-mmx: BTB_MISS_PREDICTION_ON_NOT-TAKEN_BRANCH = N
# expect pentium-mmx: PIPELINE_FLUSHES_DUE_TO_WRONG_BRANCH_PREDICTIONS = N
# expect pentium-mmx: PIPELINE_FLUSHES_DUE_TO_WRONG_BRANCH_PREDICTIONS_RESOLVED_IN_WB-STAGE = N
# expect pentium-mmx: BTB_HITS = 21*N
#include "model.inc"
_start:
	LOOP 1
	mov ecx, 20
2:	.skip 30, 0x90
	dec ecx
	jnz 2b
	.skip 30, 0x90
	NEXT 1b
	EXIT
