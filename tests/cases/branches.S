/* branches.S -- one branch whose outcomes are a pattern (PERIOD bits of BITS, lowest first) or random (taken with
 * probability TAKEN / 2^32), executed N times; or (TIGHT) a loop of one pair, N iterations. */
#ifndef N
#define N 1000000
#endif
	.intel_syntax noprefix
	.globl _start
	.text
_start:
	mov	ecx, N
#ifdef TIGHT
	jmp	again
	.balign 32
again:
	dec	ecx
	jnz	again
#else
	mov	eax, 0x9e3779b9
	xor	ebx, ebx
	jmp	again
	.balign 32
again:
#ifdef TAKEN
	mov	edx, eax
	shl	edx, 13
	xor	eax, edx
	mov	edx, eax
	shr	edx, 17
	xor	eax, edx
	mov	edx, eax
	shl	edx, 5
	xor	eax, edx
	mov	esi, eax
	cmp	esi, TAKEN
	jb	taken
#else
	mov	ebx, [next+ebx*4]
	mov	edx, [bits+ebx*4]
	mov	esi, ebx
	mov	edi, ebx
	test	edx, edx
	jnz	taken
#endif
	mov	esi, edx
	mov	edi, edx
	mov	esi, edx
	mov	edi, edx
taken:
	mov	esi, edx
	mov	edi, edx
	mov	esi, edx
	mov	edi, edx
	mov	esi, edx
	mov	edi, edx
	dec	ecx
	jnz	again
#endif
	mov	eax, 1
	xor	ebx, ebx
	int	0x80

#ifdef PERIOD
	.data
	.balign 32
next:
	.set	i, 1
	.rept	PERIOD - 1
	.long	i
	.set	i, i + 1
	.endr
	.long	0
bits:
	.set	i, 0
	.rept	PERIOD
	.long	(BITS >> i) & 1
	.set	i, i + 1
	.endr
#endif
