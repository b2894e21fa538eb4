/* A program that predicts who calls whom and how many instructions each executes, with and without those that it
 * calls.
 *
 * Freestanding: nothing but these instructions is executed.
 */
	.globl _start
	.text
	.macro	function name
	.type	\name, @function
\name:
	.endm
	.macro	end name
	.size	\name, . - \name
	.endm

/* 11 of its own. */
	function _start
	mov	$5, %edi
	call	down
	mov	$7, %edi
	call	even
	call	step
	call	hop
	call	skip
	call	twice
	xor	%edi, %edi
	mov	$60, %eax
	syscall
	end	_start

/* Recursive: down(n) calls itself n times. 6 of its own each time, 3 the last time. */
	function down
	test	%edi, %edi
	jz	1f
	dec	%edi
	call	down
	nop
1:	ret
	end	down

/* Mutually recursive: even(7), odd(6) ... odd(0). 5 each, 3 the last time. */
	function even
	test	%edi, %edi
	jz	1f
	dec	%edi
	call	odd
1:	ret
	end	even
	function odd
	test	%edi, %edi
	jz	1f
	dec	%edi
	call	even
1:	ret
	end	odd

/* A tail call of what is called elsewhere, too: 2, and leaf's 3. */
	function hop
	nop
	jmp	leaf
	end	hop
	function step
	call	leaf
	ret
	end	step
	function leaf
	nop
	nop
	ret
	end	leaf

/* Leaves its caller, too: its own 3, and hop_out's 2; the RET goes on in _start. */
	function skip
	nop
	call	skip_out
	nop
	end	skip
	function skip_out
	add	$8, %rsp
	ret
	end	skip_out

/* The same function from two places, and a RET that is a jump: 2 + 2 * 3 + 3; pushed has 2. */
	function twice
	call	leaf
	call	leaf
	lea	pushed(%rip), %rax
	push	%rax
	ret
	end	twice
	function pushed
	nop
	ret
	end	pushed
