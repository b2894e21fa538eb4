/* Branches whose outcomes follow no pattern: two-level prediction, four outcomes of history that choose one of sixteen two-bit counters. A branch
 * without an entry is predicted backward taken, forward not; its entry begins with a history of that outcome and all counters at weakly that. Each
 * copy has a forward branch with 32 outcomes (1 taken)
 *   01101110111111100111101000111101  19 wrong
 *   00011010001110011111100000011110  16 wrong
 * and the backward branch of its loop: taken 31 times, not the last time, 1 wrong. */
# expect p6: br_miss_pred_retired = (19+1+16+1)*N
# expect p6: br_inst_retired = 2*64*N
# size 5
#include "model.inc"
_start:
	.rept N
	.irp outcomes, 3160309622, 2015337560
	mov eax, \outcomes
	mov ecx, 32
1:	shr eax, 1
	jc 2f
	nop
2:	dec ecx
	jnz 1b
	.endr
	.endr
	EXIT
