/* Six calls inside each other: the return stack of four loses two of them. */
# expect pentium-mmx: RETURNS = 6*N
# expect pentium-mmx: MISPREDICTED_OR_UNPREDICTED_RETURNS = 2*N
# expect pentium-mmx: PREDICTED_RETURNS = 4*N
# expect pentium-mmx: RSB_OVERFLOWS = 2*N
# expect pentium-mmx: PIPELINE_FLUSHES = 2*N
#include "model.inc"
_start:
	LOOP 1
	call depth1
	.skip 16, 0x90
	NEXT 1b
	EXIT
	.altmacro
.macro LEVEL n, next
	.balign 32
depth\n:
	nop
	call depth\next
	.skip 16, 0x90
	ret
.endm
	.set i, 1
	.rept 5
	LEVEL %i, %(i+1)
	.set i, i+1
	.endr
	.balign 32
depth6:
	.skip 16, 0x90
	ret
