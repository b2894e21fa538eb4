/* loops.S -- functions whose loops take clocks that the manuals say: a chain of 1000 multiplications, 4 clocks each on a P6; a walk
 * over 1 MB by lines, each missing L1D; and pieces that cannot be timed by themselves. */
	.intel_syntax noprefix
	.text
	.macro function name
	.globl \name
	.type \name, @function
	.balign 32
\name:
	.endm
	.macro end name
	.size \name, . - \name
	.endm

	function chain
	mov ecx, 1000
	mov eax, 3
1:	imul eax, eax
	dec ecx
	jnz 1b
	ret
	end chain

	function walk
	lea rsi, bytes[rip]
	mov ecx, 32768
1:	add eax, [rsi]
	add rsi, 32
	dec ecx
	jnz 1b
	ret
	end walk

	function two
	mov ecx, 10
1:	dec ecx
	jnz 1b
	mov ecx, 20
2:	add eax, ecx
	dec ecx
	jnz 2b
	ret
	end two

	function calls
	mov ebx, 5
1:	call straight
	dec ebx
	jnz 1b
	ret
	end calls

	function jumps
	lea rdx, there[rip]
1:	jmp rdx
there:	dec ecx
	jnz 1b
	ret
	end jumps

	function straight
	imul eax, ecx
	imul eax, ecx
	ret
	end straight

	/* The way back from its end leads to a return: no loop. */
	function bent
	test edi, edi
	jz 2f
	mov eax, 1
1:	ret
2:	xor eax, eax
	jmp 1b
	end bent

	/* Each iteration adds to another place than the one before it. */
	function spread
	lea rsi, bytes[rip]
	mov ecx, 10000
1:	mov edx, ecx
	and edx, 255
	add dword ptr [rsi+rdx*4], 1
	dec ecx
	jnz 1b
	ret
	end spread

	/* Each read waits for the one before it, and its dword, 0, lies in two lines. */
	function crooked
	lea rsi, bytes[rip+524288]
	mov ecx, 1000
	xor eax, eax
1:	mov eax, [rsi+rax+30]
	mov eax, [rsi+rax+62]
	dec ecx
	jnz 1b
	ret
	end crooked

	/* Two arrays of doubles with one index. */
	function scale
1:	movsd xmm0, qword ptr [rsi+rax]
	mulsd xmm0, xmm1
	movsd qword ptr [rdi+rax], xmm0
	add rax, 8
	cmp rax, rdx
	jne 1b
	ret
	end scale

	/* A multiplication keeps a Pentium's pipes busy while one load in eight misses. */
	function busy
	lea rsi, bytes[rip]
	mov ecx, 4096
1:	imul eax, eax
	add edx, [rsi]
	add rsi, 4
	dec ecx
	jnz 1b
	ret
	end busy

	.globl _start
_start:
	call chain
	call walk
	call spread
	call crooked
	call busy
	call two
	call calls
	mov eax, 60
	xor edi, edi
	syscall

	.bss
	.balign 4096
bytes:	.skip 1048576
	.section .note.GNU-stack,"",@progbits
