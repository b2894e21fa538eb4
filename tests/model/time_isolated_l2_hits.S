/* Loads from L2 one after the other: 4 clocks to the first data, 7 for the line. */
# options pentiumpro: --walks off
# expect pentiumpro: dcu_miss_outstanding = 11*N
# size 1000
#include "model.inc"
_start:
	READ_LINES data, 4000
	lea rsi, [data]
	mov ebp, N
1:	mov eax, [rsi]
	and eax, 0
	lea rsi, [rsi + rax + 32]
	dec ebp
	jnz 1b
	EXIT
