/* Stores into lines of code that was executed: each flushes one line of L1I. */
# expect pentium2: r0052 = N
# options pentium2: --raw
# size 50
#include "model.inc"
	.section .wtext, "awx"
	.balign 4096
code:
	.skip 32*N, 0x90
	ret
	.text
_start:
	call code
	mov eax, 0x90909090
	WRITE_LINES code, N
	EXIT
