/* Misses in rapid succession over a second level that answers each in the same time, t = 41 clocks: with four buffers the event adds n * t
 * miss-clocks for n misses, however many of them wait for a buffer (Don Heller's commentary: ramp up, steady state, ramp down), so
 * that 48H / 45H is t. A buffer is free the clock behind its last chunk: n misses take (t + 1) * n / 4 clocks. */
# options pentiumpro: --walks off --set l2_clk=43,l2_line_clk=1
# expect pentiumpro: dcu_miss_outstanding = 8*41*N
# expect pentiumpro: dcu_lines_in = 8*N
# between pentiumpro: cpu_clk_unhalted = 2*42*N-4 .. 2*42*N+4
# expect pentiumpro: dcu_miss_outstanding:c=4 = 2*38*N
# expect pentiumpro: dcu_miss_outstanding:c=5 = 0
# size 200
#include "model.inc"
_start:
	READ_LINES data, 4000
	lea rsi, [data]
	mov ebp, N
1:	.set i, 0
	.rept 8
	mov eax, [rsi + i]
	.set i, i + 32
	.endr
	add rsi, 256
	dec ebp
	jnz 1b
	EXIT
