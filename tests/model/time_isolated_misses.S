/* Loads from memory one after the other: 14 bus clocks to the first data, 3 more to the last. */
# options pentiumpro: --walks off
# expect pentiumpro: bus_req_outstanding = 17*N
# size 1000
#include "model.inc"
_start:
	lea rsi, [data]
	mov ebp, N
1:	mov eax, [rsi]
	and eax, 0
	lea rsi, [rsi + rax + 32]
	dec ebp
	jnz 1b
	EXIT
