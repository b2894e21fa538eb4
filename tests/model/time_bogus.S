/* Jumps that were executed and then overwritten with NOPs: the BTB still predicts them, once. */
# expect p6: br_bogus = N
# expect pentiumpro: br_bogus = N
# expect p6: baclears = 2*N
# size 50
#include "model.inc"
	.section .wtext, "awx"
	.balign 4096
code:
	.rept N
	.balign 64
	jmp 2f
	.balign 32
2:
	nop
	.endr
	ret
	.text
_start:
	call code
	lea rsi, [code]
	mov ecx, N
1:	mov word ptr [rsi], 0x9090
	add rsi, 64
	dec ecx
	jnz 1b
	call code
	call code
	EXIT
