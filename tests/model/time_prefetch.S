/* A prefetch of a cold line among a hundred instructions that go two a clock: it retires without its data, so it costs no clocks; the
 * line comes meanwhile, 23 clocks of the bus and of L2's for each. */
# options p6: --walks off
# between p6: cpu_clk_unhalted = 51*N .. 54*N
# expect p6: dcu_lines_in = N
# size 400
#include "model.inc"
_start:
	MAP 0x30000000, 0x20000
	mov ebx, 0x30000000
	LOOP 1
	prefetcht0 [rbx]
	.rept 100
	nop
	.endr
	add ebx, 32
	NEXT 1b
	EXIT
