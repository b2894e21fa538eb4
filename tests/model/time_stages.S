/* Four indirect jumps, each of which goes to another place than the last time: in the loop of eight every one is mispredicted, and
 * what decides it is there long before. So each takes the way round the pipeline, from fetch to the execution that finds out, and nothing
 * else: as many clocks as there are stages, 14. 1: has two micro-ops more, and so one clock, twice. */
# expect p6: br_miss_pred_retired = 8*N
# between p6: cpu_clk_unhalted = (8*14+2)*N-2 .. (8*14+2)*N+2
# size 1000
#include "model.inc"
/* Two lead to dispatch of the one that another pair of blocks jumps by. */
.macro BLOCK next, now
	mov \next, [rsi]
	add sil, 32
	jmp \now
.endm
_start:
	lea rsi, [table]
	mov rdx, [rsi]
	add rsi, 32
	mov ebp, 2*N
	jmp 1f
	.balign 16
1:	mov rax, [rsi]
	add sil, 32
	dec ebp
	jz 5f
	jmp rdx
	.balign 16
2:	BLOCK rax, rdx
	.balign 16
3:	BLOCK rdx, rax
	.balign 16
4:	BLOCK rdx, rax
5:	EXIT
	.data
	.balign 256
	/* 1 3 1 4 2 3 2 4, from the second on */
table:
	.irp to, 3b, 1b, 4b, 2b, 3b, 2b, 4b, 1b
	.quad \to, 0, 0, 0
	.endr
