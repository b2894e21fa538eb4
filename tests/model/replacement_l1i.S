/* Which line of a full set of L1I goes: tree pseudo-LRU of four ways, empty ways first. Five lines of a set, A to E, in the order A B C D B E C A.
 * The first four fill ways 0 to 3. B was used last in the lower half, D in the upper one; B again: the upper half goes, and there C. E takes its
 * way. C is absent: the lower half goes, and there A. A is absent, too: seven misses. Exact LRU would have six (E takes the way of A, C is there),
 * and so has each other rule that is not quite this one. */
# options p6: --walks off
# expect p6: ifu_ifetch_miss = 7*N
# expect p6: l2_ifetch = 7*N
# size 20
#include "model.inc"
	.section .code, "ax"
	.balign 4096
	.irp n, 0, 1, 2, 3, 4, 5
	.skip 0x800 /* the lines of _start have other sets */
code\n:
	.rept N /* one instruction per line, so that nothing hits */
	jmp 1f
	.balign 32
1:
	.endr
	ret
	.balign 4096
	.endr
	.text
_start:
	.irp n, 0, 1, 2, 3, 1, 4, 2, 0
	call code\n
	.endr
	EXIT
