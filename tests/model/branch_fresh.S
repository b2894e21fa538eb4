/* Branches that are met once: a direct jump and a direct call have their target in the code and are right; an indirect one without an entry is
 * predicted to go on behind itself and is wrong; the return goes where the call said. */
# expect p6: br_miss_pred_retired = N
# expect p6: br_inst_retired = 4*N
# size 40
#include "model.inc"
_start:
	.rept N
	jmp 1f
	nop
1:	call 2f
	lea rax, [3f]
	jmp rax
	nop
2:	ret
3:
	.endr
	EXIT
