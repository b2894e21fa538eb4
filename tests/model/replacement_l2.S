/* Which line of a full set of L2 goes: tree pseudo-LRU of four ways, empty ways first. Five lines of a set, A to E, in the order A B C D B E C A.
 * The first four fill ways 0 to 3. B was used last in the lower half, D in the upper one; B again: the upper half goes, and there C. E takes its
 * way. C is absent: the lower half goes, and there A. A is absent, too: seven misses. Exact LRU would have six (E takes the way of A, C is there),
 * and so has each other rule that is not quite this one. */
# options p6: --walks off
# expect p6: l2_lines_in = 7*N
# expect p6: l2_lines_out = 3*N
# size 32
#include "model.inc"
	/* The sets of L2 repeat after 128 KiB: the first 4 KiB of each are A to E, those from 64 KiB on empty L1D. */
	.bss
	.balign 0x20000
sets:
	.skip 6*0x20000
	.text
	.macro EMPTY_L1D
	READ_LINES sets+0x10000, 1024
	.endm
_start:
	.irp n, 0, 1, 2, 3, 1, 4, 2, 0
	READ_LINES sets+0x20000*\n, N
	EMPTY_L1D
	.endr
	EXIT
