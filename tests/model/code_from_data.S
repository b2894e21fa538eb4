/* Lines first read as data, then executed: found exclusive. Lines written, pushed to L2, then executed:
 * found modified. */
# options p6: --walks off
# expect p6: l2_ifetch:e = N
# expect p6: l2_ifetch:m = N
# size 100
#include "model.inc"
	.section .wtext, "awx"
	.balign 4096
read_first:
	.skip 32*N, 0x90
	ret
	.balign 4096
write_first:
	.skip 32*N, 0x90
	ret
	.text
_start:
	READ_LINES read_first, N
	mov eax, 0x90909090
	WRITE_LINES write_first, N
	FLUSH_L1D
	call read_first
	call write_first
	EXIT
