/* A call into each of N pages: one ITLB miss each, two loads of the walker. */
# expect p6: itlb_miss = N
# size 100
#include "model.inc"
	.section .far, "ax"
	.balign 4096
pages:
	.rept N
	ret
	.balign 4096
	.endr
	.text
	.balign 4096
_start:
	lea rbx, [pages]
	LOOP 1
	call rbx
	add rbx, 4096
	NEXT 1b
	EXIT
