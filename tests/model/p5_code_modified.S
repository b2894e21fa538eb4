/* Code that L1D holds modified is written back before it is fetched, and leaves L1D; data that is read leaves L1I. */
# size 30
# expect p5: DATA_CACHE_LINES_WRITTEN_BACK = N
# expect p5: CODE_CACHE_MISS = N
# expect p5: DATA_READ_MISS = N
# expect pentium-mmx: DATA_CACHE_LINES_WRITTEN_BACK = N
# expect pentium-mmx: CODE_CACHE_MISS = N
#include "model.inc"
	.section .wtext, "awx"
	.balign 4096
code:
	ret
	.skip 4095, 0x90
	.text
_start:
	mov ebx, N
	.balign 32
1:	mov eax, [code]
	mov [code], eax
	call code
	dec ebx
	jnz 1b
	EXIT
