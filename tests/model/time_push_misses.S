/* A line that a push writes to is brought like one that a load reads: from L2, 11 clocks each. */
# options pentiumpro: --walks off
# expect pentiumpro: dcu_miss_outstanding = 11*N
# size 1000
#include "model.inc"
_start:
	READ_LINES data, 4000
	lea rsp, [data + 32*N]
	mov ebp, N
1:	push rbp
	lea rsp, [rsp - 24]
	xor eax, eax
	cpuid
	dec ebp
	jnz 1b
	EXIT
