# start_fixed32.S -- start_fixed.S for 32-bit programs: test_main(0, 0) on a stack inside the program.
	.text
	.globl _start
_start:
	xorl %ebp, %ebp
	movl $stack_top - 8, %esp
	call test_main
	movl %eax, %ebx
	movl $252, %eax
	int $0x80
	ud2
	.bss
	.balign 4096
	.skip 16384
stack_top:
	.section .note.GNU-stack,"",@progbits
