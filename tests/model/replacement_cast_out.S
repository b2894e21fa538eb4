/* A modified line that L1D casts out is a use of L2's copy. A is written, B, C and D are read, which fills the sets of L2; A is cast out. So E takes
 * the way of C, and A is there: five misses. */
# options p6: --walks off
# expect p6: l2_lines_in = 5*N
# expect p6: l2_m_lines_outm = 0*N
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
	WRITE_LINES sets, N
	.irp n, 1, 2, 3
	READ_LINES sets+0x20000*\n, N
	.endr
	EMPTY_L1D
	READ_LINES sets+0x20000*4, N
	EMPTY_L1D
	READ_LINES sets, N
	EXIT
