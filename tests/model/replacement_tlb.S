/* Which page of a full set of a TLB goes: tree pseudo-LRU of four ways, empty ways first. Five pages of a set, A to E, in the order A B C D B E C A.
 * The first four fill ways 0 to 3. B was used last in the lower half, D in the upper one; B again: the upper half goes, and there C. E takes its
 * way. C is absent: the lower half goes, and there A. A is absent, too: seven misses. Exact LRU would have six (E takes the way of A, C is there),
 * and so has each other rule that is not quite this one. */
/* Each walk is two loads of L2. The lines that are read have sets of L1D for themselves: one miss each. */
# expect p6: itlb_miss = 7*N
# expect p6: l2_ld = (2*7 + 2*7 + 5)*N
# expect p6: dcu_lines_in = 5*N
# size 3
#include "model.inc"
	/* Sets 2 to 7, which nothing else uses. The DTLB has sixteen, the ITLB eight. */
	.bss
	.balign 16*4096
	.skip 2*4096
data_pages:
	.skip 6*16*4096
	.section .code, "ax"
	.balign 8*4096
	.skip 2*4096
code_pages:
	.skip 6*8*4096, 0xc3 /* RET */
	.text
	.macro READ_PAGES n
	lea rsi, [data_pages+\n*(16*4096+6*32)]
	mov ecx, N
0:	mov eax, [rsi]
	add rsi, 4096+32
	dec ecx
	jnz 0b
	.endm
	.macro CALL_PAGES n
	lea rbx, [code_pages+\n*(8*4096+6*32)]
	mov r12d, N
0:	call rbx
	add rbx, 4096+32
	dec r12d
	jnz 0b
	.endm
_start:
	.irp n, 0, 1, 2, 3, 1, 4, 2, 0
	READ_PAGES \n
	.endr
	.irp n, 0, 1, 2, 3, 1, 4, 2, 0
	CALL_PAGES \n
	.endr
	EXIT
