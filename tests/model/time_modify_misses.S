/* A line that one instruction reads and writes is brought once, by its load, and not again by its store. */
# options pentiumpro: --walks off
# expect pentiumpro: bus_req_outstanding = 17*N
# expect pentiumpro: dcu_lines_in = N
# size 1000
#include "model.inc"
_start:
	lea rsi, [data]
	mov ebp, N
1:	add dword ptr [rsi], 1
	mov eax, [rsi]
	and eax, 0
	lea rsi, [rsi + rax + 32]
	dec ebp
	jnz 1b
	EXIT
