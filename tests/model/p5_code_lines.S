/* Half as many lines again as L1I of a Pentium has, in turn: all miss. With MMX they fit: none does. They end with a
 * page, where the buffers do not run ahead. */
# size 40
# expect p5: CODE_CACHE_MISS = 384*N
# expect pentium-mmx: CODE_CACHE_MISS = 0
#include "model.inc"
_start:
	mov ebp, N
	.balign 16384
1:	.skip 384*32-2-6, 0x90
	dec ebp
	jnz 1b
	EXIT
