/* kernels.S -- loops of N iterations whose clocks or counts per iteration were published. One of: LOADS (three loads of one set, the third
 * at THIRD), MOVS (REP MOVSD of MOVS dwords), STOS (REP STOSD of as many), CHASE (a list over CHASE bytes, a line in 128 bytes), GUESS (a branch
 * that leads to the next instruction: 1 random, 0 never taken), MODIFY (a store into the instruction that is called next: 1;
 * beside it, where no code is: 0), STREAM (a line of memory per iteration, behind as many as the caches hold: 1 read, 2 written,
 * 3 copied word by word, 4 thirty-two of them copied by REP MOVSD). */
#ifndef N
#define N 1000
#endif
#if STREAM == 4
#define BEFORE 625
#else
#define BEFORE 20000
#endif
	.intel_syntax noprefix
	.globl _start
	.text
_start:
	mov	ebp, N
#if defined(LOADS)
	mov	esi, offset memory
	jmp	again
	.balign 32
	.skip	8
again:
	mov	eax, [esi]
	mov	eax, [esi+13*4096+4]
	mov	eax, [esi+THIRD]
	dec	ebp
	jnz	again
#elif defined(MOVS)
	jmp	again
	.balign 32
again:
	mov	esi, offset memory
	mov	edi, offset memory+32768
	mov	ecx, MOVS
	cld
	rep movsd
	dec	ebp
	jnz	again
#elif defined(STOS)
	jmp	again
	.balign 32
again:
	mov	edi, offset memory
	mov	ecx, STOS
	cld
	rep stosd
	dec	ebp
	jnz	again
#elif defined(CHASE)
	mov	ebx, offset memory
	mov	ecx, CHASE/128
1:	lea	eax, [ebx+128]
	mov	[ebx], eax
	mov	ebx, eax
	dec	ecx
	jnz	1b
	mov	dword ptr [ebx-128], offset memory
	mov	eax, offset memory
	mov	ecx, CHASE/128
2:	mov	eax, [eax]
	dec	ecx
	jnz	2b
	jmp	again
	.balign 32
again:
	.rept 8
	mov	eax, [eax]
	.endr
	dec	ebp
	jnz	again
#elif defined(GUESS)
	mov	eax, 0x9e3779b9
	jmp	again
	.balign 32
again:
	mov	edx, eax
	shl	edx, 13
	xor	eax, edx
	mov	edx, eax
	shr	edx, 17
	xor	eax, edx
	mov	edx, eax
	shl	edx, 5
	xor	eax, edx
	mov	ecx, eax
	and	ecx, GUESS
	jnz	1f
1:	dec	ebp
	jnz	again
#elif defined(STREAM)
	mov	esi, offset memory
	mov	edi, offset memory+4*1024*1024+2048
	add	ebp, BEFORE
	cld
	jmp	again
	.balign 32
again:
#if STREAM == 4
	mov	ecx, 256
	rep movsd
#else
	.irp	word, 0, 4, 8, 12, 16, 20, 24, 28
#if STREAM == 1
	add	eax, [esi+\word]
#elif STREAM == 2
	mov	[edi+\word], eax
#else
	mov	eax, [esi+\word]
	mov	[edi+\word], eax
#endif
	.endr
	add	esi, 32
	add	edi, 32
#endif
	dec	ebp
	jnz	again
#elif defined(MODIFY)
	mov	eax, offset code
	jmp	again
	.balign 32
again:
	mov	byte ptr [eax+1+64*(1-MODIFY)], 5
	call	code
	dec	ebp
	jnz	again
#endif
	mov	eax, 1
	xor	ebx, ebx
	int	0x80

#ifdef MODIFY
	.section .wtext, "awx"
	.balign 4096
code:
	mov	bl, 5
	ret
	.skip	128, 0xcc
#endif

	.bss
	.balign 4096
memory:
	.skip	9*1024*1024
