/* AVX2: masked moves and gathers. Each line of `data` is one place. */
# needs avx2
# options p6: --isa v3
# expect p6: data_mem_refs = (2+2+0+4+3+2)*N
#include "model.inc"
_start:
	vmovdqu ymm5, [odd]
	vpxor xmm6, xmm6, xmm6
	vmovdqu ymm4, [places]
	vmovdqu ymm3, [places64]
	vmovdqu xmm2, [second]
	lea rbx, [data]
	mov r15, rbx
	mov r12d, 1
	LOOP 1
	vpmaskmovd ymm1, ymm5, [rbx]       /* elements 1 to 4: 16 bytes, two pieces */
	vpmaskmovd [rbx+r12*4+4], xmm2, xmm1    /* elements 1 to 3: 12 bytes, two */
	vmaskmovpd ymm1, ymm6, [rbx]       /* none */
	vmovdqa ymm0, ymm5
	vpgatherdd ymm1, [r15+ymm4*4-64], ymm0 /* elements 1 to 4 */
	vmovdqa xmm0, xmm5
	vgatherqps xmm1, [ymm3*8+data], xmm0   /* elements 1 to 3 */
	vmovdqa xmm0, xmm2
	vpgatherqq xmm1, [rbx+xmm3], xmm0  /* both */
	NEXT 1b
	EXIT
	.data
	.balign 32
odd:	.long 0, -1, -1, -1, -1, 0, 0, 0
places:	.long 0, 8, 16, -8, 24, 32, 40, 48
places64: .quad 0, 4, 8, 12
second:	.long 0, -1, 0, -1
