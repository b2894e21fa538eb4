/* As walk_states.S, first by processor 0, then twice by processor 1: it finds the tables shared. */
# options p6: --cpus 2 --quantum 1000000000
# expect p6: l2_ld:i = 4*N
# expect p6: l2_ld:e = N
# expect p6: l2_ld:s = 3*N
# expect p6: l2_ld:m = 0*N
# expect p6: l2_lines_in = 4*N
# expect p6: bus_hit_drv = 2*N
# expect p6: dcu_lines_in = 2*N
# size 50
#include "smp.inc"
	.macro PAGES
	lea rsi, [pages]
	mov ecx, N
0:	mov eax, [rsi]
	add rsi, 8*4096+32
	dec ecx
	jnz 0b
	.endm
	.bss
	.balign 1 << 15
pages:
	.skip 101*(8*4096+32)
	.text
_start:
	SPAWN other
	PAGES
	HAND_OVER
	EXIT
other:
	PAGES
	PAGES
	EXIT
