/* Forward branches taken at fresh sites: the static rule says not taken. Backward ones are right. */
# expect p6: br_miss_pred_retired = N
# expect p6: br_miss_pred_taken_ret = N
# expect p6: br_taken_retired = N
# expect p6: br_inst_retired = N
#include "model.inc"
_start:
	xor eax, eax
	.rept N
	jz 1f
	nop
1:
	.endr
	EXIT
