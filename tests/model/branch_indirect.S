/* An indirect jump that changes its target every time is always wrong, one that keeps it never. */
# expect p6: br_miss_pred_retired = N
# expect p6: br_inst_retired = 3*N
#include "model.inc"
_start:
	lea r8, [4f]
	lea rcx, [2f]
	lea rdx, [3f]
	LOOP 1
	xchg rcx, rdx
	jmp rcx
2:	nop
3:	jmp r8
	nop
4:	NEXT 1b
	EXIT
