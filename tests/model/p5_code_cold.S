/* Straight code that was never fetched: a line each, and a page each 4 KB. */
# size 1024
# expect p5: CODE_READ = N
# expect p5: CODE_CACHE_MISS = N
# expect p5: CODE_TLB_MISS = N/128
# expect pentium-mmx: CODE_READ = 2*N
# expect pentium-mmx: CODE_CACHE_MISS = N
# expect pentium-mmx: CODE_TLB_MISS = N/128
#include "model.inc"
_start:
	jmp 1f
	.balign 4096
1:	.skip 32*N, 0x90
	EXIT
