/* per_clock.S -- something of everything that a P6 counts, at the rates that it can reach: the program of per_clock.sh. 64-bit code, no REP. */
	.intel_syntax noprefix
	.text
	.globl _start
.macro LOOP label, n
	mov ebp, \n
	.balign 32
\label:
.endm
.macro NEXT label
	dec ebp
	jnz \label
.endm
.macro MAP where, bytes
	mov eax, 9
	mov edi, \where
	mov esi, \bytes
	mov edx, 3
	mov r10d, 0x32
	mov r8, -1
	xor r9d, r9d
	syscall
.endm

_start:
	MAP 0x30000000, 0x200000
	MAP 0x40000000, 0x10000 /* not cacheable: per_clock.sh says so */
	MAP 0x50000000, 0x10000 /* deferred replies */
	lea rsi, [data]

	/* three instructions decoded, three micro-ops retired, a load and a store in each clock */
	LOOP 1, 100
	.rept 4
	mov [rsi], eax
	mov edx, [rsi + 64]
	mov ecx, 2
	.endr
	.rept 4
	mov eax, 1
	mov ecx, 2
	mov edx, 3
	.endr
	NEXT 1b

	/* branches that are not taken */
	xor eax, eax
	LOOP 1, 100
	.rept 12
	test eax, eax
	jnz 9f
	.endr

	mov eax, 9
	xor edx, edx
	mov ecx, 3
	div ecx
	xor eax, eax
	.rept 4
	jnz 9f
	.endr
	NEXT 1b
9:
	/* branches at random: wrong paths */
	mov ebx, 12345
	LOOP 1, 400
	imul ebx, ebx, 1103515245
	add ebx, 12345
	test ebx, 0x10000
	jnz 2f
	imul ecx, ecx, 3
	nop
2:	NEXT 1b

	/* multiplies, divides, x87 */
	fninit
	.rept 5
	fld1
	.endr
	mov ecx, 3
	LOOP 1, 100
	xor edx, edx
	mov eax, 1000
	div ecx
	imul eax, ecx, 7
	imul edi, ecx, 7
	fadd st(1), st(0)
	fadd st(2), st(0)
	fmul st(3), st(0)
	imul eax, ecx, 7
	imul edi, ecx, 7
	NEXT 1b
	fld qword ptr [denormal]
	LOOP 1, 20
	fadd st(1), st(0)
	fld qword ptr [denormal]
	fstp st(0)
	NEXT 1b

	/* between x87 and MMX; MMX of every class */
	LOOP 1, 50
	paddusb mm0, mm7
	paddusb mm1, mm7
	pmullw mm2, mm7
	psllw mm3, 1
	packuswb mm4, mm7
	punpcklbw mm5, mm7
	pand mm6, mm7
	paddb mm0, mm7
	movq mm1, [rsi]
	movq mm2, [rsi + 8]
	emms
	fld1
	fstp st(0)
	NEXT 1b

	/* SSE */
	LOOP 1, 50
	addps xmm0, xmm7
	addss xmm1, xmm7
	mulps xmm2, xmm7
	addss xmm3, xmm7
	addss xmm4, xmm7
	xorps xmm5, xmm5
	movaps xmm6, xmm5
	NEXT 1b
	lea rdi, [0x30100000]
	LOOP 1, 50
	prefetchnta [rdi]
	prefetcht0 [rdi + 64]
	prefetcht1 [rdi + 128]
	prefetcht2 [rdi + 192]
	movntps [rdi + 256], xmm0
	add rdi, 320
	NEXT 1b

	/* parts of registers and flags, prefixes that change lengths, segment registers */
	LOOP 1, 50
	mov al, [rsi]
	mov ebx, eax
	inc ecx
	pushfq
	pop rdx
	.byte 0x66, 0x05, 1, 0 /* add ax, 1 */
	mov ebx, ds
	mov ds, ebx
	mov es, ebx
	mov es, ebx
	NEXT 1b

	/* over 8 bytes, over a line; loads that an older store blocks; a locked one, and one over a line */
	LOOP 1, 50
	.rept 4
	mov [rsi + 5], eax
	mov edx, [rsi + 69]
	.endr
	mov eax, [rsi + 30]
	mov byte ptr [rsi + 128], 1
	mov eax, [rsi + 128]
	mov byte ptr [rsi + 132], 1
	mov ebx, [rsi + 132]
	lock inc dword ptr [rsi + 160]
	lock inc dword ptr [rsi + 190]
	NEXT 1b
	LOOP 1, 5
	xor eax, eax
	cpuid
	mov [rsi], eax
	NEXT 1b
	lea rsi, [data]

	/* lines from memory: four loads at once, stores, both; more than L2 holds, so that modified lines leave it */
	mov ebx, 0x30000000
	LOOP 1, 4096
	mov eax, [rbx]
	mov eax, [rbx + 32]
	mov eax, [rbx + 64]
	mov eax, [rbx + 96]
	add ebx, 128
	NEXT 1b
	mov ebx, 0x30000000
	LOOP 1, 4096
	mov [rbx], eax
	mov [rbx + 64], eax
	mov eax, [rbx + 0x100000]
	mov eax, [rbx + 0x100020]
	add ebx, 128
	NEXT 1b
	/* again and again from L2 */
	mov ecx, 4
2:	mov ebx, 0x30000000
	LOOP 1, 1024
	mov eax, [rbx]
	mov edx, [rbx + 32]
	add [rbx + 64], eax
	add ebx, 64
	NEXT 1b
	dec ecx
	jnz 2b

	/* memory that is not cacheable; deferred replies */
	mov ebx, 0x40000000
	LOOP 1, 20
	mov [rbx], eax
	mov eax, [rbx + 8]
	lock inc dword ptr [rbx]
	mov eax, [rbx + 0x10000000]
	add ebx, 32
	NEXT 1b

	/* code: more than L1I holds, twice, in pages that the TLB loses */
	mov ecx, 2
	jmp code
	.balign 4096
code:
	.rept 160
	jmp 1f
	.skip 30
1:	mov eax, 1
	mov edx, 2
	jmp 1f
	.skip 200
1:	.skip 64, 0x90
	.endr
	dec ecx
	jnz code

	mov eax, 60
	xor edi, edi
	syscall

	.data
	.balign 64
data:	.skip 4096
denormal: .quad 1
