/* A chain of loads, each of a line that was never touched: nearly all is memory. A clock that is not is one of ten at most. */
# options p6: --walks off
# between p6: retirement_slots:memory = 57*3*N .. 100*3*N
# between p6: retirement_slots:latency = 0 .. 6*N
# between p6: retirement_slots:l2 = 0 .. 3
# size 200
#include "model.inc"
_start:
	MAP 0x30000000, 0x40000
	mov ebx, 0x30000000
	mov ecx, N
	.balign 32
1:	mov eax, [rbx]
	lea rbx, [rbx + rax + 64]
	dec ecx
	jnz 1b
	EXIT
