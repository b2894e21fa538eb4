/* A program that predicts where it counts: each function does one thing, and its name says what.
 *
 * Freestanding: nothing but these instructions is executed. N is 1000.
 */
#define N 1000
	.globl _start
	.text
_start:
	call	straight
	call	walk_lines
	call	walk_again
	call	store_lines
	call	flip
	xor	%edi, %edi
	mov	$60, %eax
	syscall

/* 4 instructions in front, 3 in the loop, 1 behind it. */
	.type	straight, @function
straight:
	nop
	nop
	nop
	mov	$N, %ecx
1:	nop
	dec	%ecx
	jnz	1b
	ret
	.size	straight, . - straight

/* Loads of 256 lines that no cache has: 8 KiB, which L1D holds. */
	.type	walk_lines, @function
walk_lines:
	lea	room(%rip), %rsi
	mov	$256, %ecx
	.globl	walk_lines_load
walk_lines_load:
	mov	(%rsi), %eax
	add	$32, %rsi
	dec	%ecx
	jnz	walk_lines_load
	ret
	.size	walk_lines, . - walk_lines

/* The same again: they are all there. */
	.type	walk_again, @function
walk_again:
	lea	room(%rip), %rsi
	mov	$256, %ecx
	.globl	walk_again_load
walk_again_load:
	mov	(%rsi), %eax
	add	$32, %rsi
	dec	%ecx
	jnz	walk_again_load
	ret
	.size	walk_again, . - walk_again

/* Stores into 64 other lines. */
	.type	store_lines, @function
store_lines:
	lea	room+8192(%rip), %rsi
	mov	$64, %ecx
	.globl	store_lines_store
store_lines_store:
	mov	%ecx, (%rsi)
	add	$32, %rsi
	dec	%ecx
	jnz	store_lines_store
	ret
	.size	store_lines, . - store_lines

/* A branch that is taken every second time, with a pattern that two-level prediction learns; and one of each
 * iteration. */
	.type	flip, @function
flip:
	mov	$N, %ecx
	.globl	flip_branch
1:	test	$1, %cl
flip_branch:
	jz	2f
	nop
2:	dec	%ecx
	jnz	1b
	ret
	.size	flip, . - flip

	.bss
	.balign	4096
room:
	.skip	65536
