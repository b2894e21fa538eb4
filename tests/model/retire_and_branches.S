/* Instructions, micro-ops and branches of a counted loop. */
# expect p6: inst_retired = 6*N
# expect p6: uops_retired = (3+2+4+2+1+1)*N
# expect p6: br_inst_retired = N
# expect p6: br_taken_retired = N
# expect p6: br_miss_pred_retired = 0
# expect p6: br_miss_pred_taken_ret = 0
# expect pentiumpro: inst_retired = 6*N
# expect pentium2: uops_retired = 13*N
#include "model.inc"
_start:
	LOOP 1
	push rax
	pop rax
	add [rsp-64], eax
	add eax, [rsp-64]
	NEXT 1b
	EXIT
