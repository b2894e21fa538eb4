/* A loop of four lines that ends with them: the buffers run ahead of its branch, by one line on the Pentium, by three
 * halves of lines with MMX, and begin anew at its start. Nothing misses. */
# expect p5: CODE_READ = 5*N
# expect p5: CODE_CACHE_MISS = 0
# expect p5: CODE_TLB_MISS = 0
# expect pentium-mmx: CODE_READ = 11*N
# expect pentium-mmx: CODE_CACHE_MISS = 0
#include "model.inc"
_start:
	mov ecx, N
	.balign 4096
1:	.skip 128-2-6, 0x90
	dec ecx
	jnz 1b
	EXIT
