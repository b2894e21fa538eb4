/* Which line of a full set of L1D goes: tree pseudo-LRU of four ways, empty ways first. Five lines of a set, A to E, in the order A B C D B E C A.
 * The first four fill ways 0 to 3. B was used last in the lower half, D in the upper one; B again: the upper half goes, and there C. E takes its
 * way. C is absent: the lower half goes, and there A. A is absent, too: seven misses. Exact LRU would have six (E takes the way of A, C is there),
 * and so has each other rule that is not quite this one. */
# options p6: --walks off
# expect p6: dcu_lines_in = 7*N
# size 30
#include "model.inc"
	.bss
	.balign 4096
sets:
	.skip 6*4096
	.text
_start:
	.irp n, 0, 1, 2, 3, 1, 4, 2, 0
	READ_LINES sets+4096*\n, N
	.endr
	EXIT
