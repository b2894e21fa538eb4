/* AVX-512: masks on memory operands, expanding, compressing, broadcast, gathers and scatters. */
# needs avx512f
# needs avx512bw
# needs avx512vl
# options p6: --isa v4
# expect p6: data_mem_refs = (8+1+0+2+1+0+1+2+2+3+8+2)*N
#include "model.inc"
_start:
	lea rbx, [data]
	mov eax, 0x1c
	kmovd k1, eax               /* elements 2, 3, 4 */
	kxorq k2, k2, k2
	mov rax, 0x8000000000000001
	kmovq k3, rax
	vmovdqu64 zmm20, [places]
	vmovdqu64 ymm21, [places]
	LOOP 1
	vmovdqu8 zmm1{k3}, [rbx]            /* first and last byte: all 64, eight pieces */
	vmovdqu8 [rbx]{k1}, zmm1            /* three bytes: one */
	vmovdqu32 zmm1{k2}, [rbx]           /* none */
	vaddps zmm1{k1}, zmm1, [rbx]        /* 12 bytes: two */
	vaddps zmm1{k1}, zmm1, [rbx]{1to16} /* one element: one */
	vaddps zmm1{k2}, zmm1, [rbx]{1to16} /* none */
	vpmovqb [rbx]{k1}, zmm1             /* three bytes: one */
	vpexpandd zmm1{k1}, [rbx]           /* three elements: 12 bytes, two */
	vpcompressd [rbx]{k1}, zmm1         /* two */
	kmovd k4, k1
	vpgatherdd zmm1{k4}, [rbx+zmm20*4]  /* three elements */
	vpermd zmm2{k2}, zmm20, [rbx]       /* all of it, whatever the mask: eight */
	mov eax, 3
	kmovd k4, eax
	vpscatterdq [rbx+ymm21*8]{k4}, zmm1 /* two */
	NEXT 1b
	EXIT
	.data
	.balign 64
places:	.long 0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120
