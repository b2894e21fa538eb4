/* Conditional branches to their own next instruction: taken or not by the condition alone. */
# expect p6: br_inst_retired = 4*N
# expect p6: br_taken_retired = 2*N
# expect p6: br_miss_pred_retired = 0
# expect pentiumpro: br_taken_retired = 2*N
#include "model.inc"
_start:
	mov ecx, 1
	LOOP 1
	cmp eax, eax
	jz 2f
2:
	jnz 3f
3:
	jecxz 4f
4:
	nop
	NEXT 1b
	EXIT
