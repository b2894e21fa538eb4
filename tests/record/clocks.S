/* A program that predicts at which instruction clocks pass. Each loop stands here twice, with N and
 * with 2 N rounds: what the second counts more is N rounds in the steady state.
 *
 * Freestanding: nothing but these instructions is executed. N is 1000.
 */
#define N 1000
	.globl _start
	.text
_start:
	call	divide_once
	call	divide_twice
	call	chase_once
	call	chase_twice
	call	guess
	xor	%edi, %edi
	mov	$60, %eax
	syscall

/* Each division needs the quotient of the one before. Aligned, so that a round lies in one fetch block. */
	.macro	divide name, n
	.balign	32
\name:
	mov	$\n, %ecx
	mov	$1, %ebx
	mov	$1, %eax
	.balign	32
\name\()_xor:
	xor	%edx, %edx
\name\()_div:
	div	%ebx
\name\()_dec:
	dec	%ecx
\name\()_jnz:
	jnz	\name\()_xor
	ret
	.endm
	divide	divide_once, N
	divide	divide_twice, 2*N

/* Loads, each of which needs the one before, of lines that no cache has. What is loaded is 0. */
	.macro	chase name, n, room
	.balign	32
\name:
	mov	$\n, %ecx
	lea	\room(%rip), %rsi
	.balign	32
\name\()_load:
	mov	(%rsi), %eax
\name\()_need:
	add	%rax, %rsi
\name\()_next:
	add	$32, %rsi
\name\()_dec:
	dec	%ecx
\name\()_jnz:
	jnz	\name\()_load
	ret
	.endm
	chase	chase_once, N, room
	chase	chase_twice, 2*N, room+65536

/* A branch that goes by the bits of a generator: nothing predicts it. */
	.balign	32
guess:
	mov	$N, %ecx
	mov	$1, %eax
	.balign	32
guess_again:
	imul	$1103515245, %eax, %eax
	add	$12345, %eax
	test	$0x10000, %eax
guess_branch:
	jz	1f
	nop
	nop
1:	dec	%ecx
guess_loop:
	jnz	guess_again
	ret

	.bss
	.balign	4096
room:
	.skip	4*65536
