/* Jumps that are overwritten leave entries of no branch. */
# size 50
# expect pentium-mmx: BTB_FALSE_ENTRIES = N
# expect pentium-mmx: PIPELINE_FLUSHES = 2*N
#include "model.inc"
	.section .wtext, "awx"
	.balign 4096
code:
	.rept N
	jmp 1f
1:	.skip 66, 0x90
	.endr
	ret
	.text
_start:
	call code
	lea rdi, [code]
	mov ecx, N
	.balign 32
2:	mov word ptr [rdi], 0x9090
	add rdi, 68
	dec ecx
	jnz 2b
	call code
	EXIT
