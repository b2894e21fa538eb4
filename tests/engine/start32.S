# start32.S -- first instruction of the small static 32-bit test programs.
	.text
	.globl _start
_start:
	xorl %ebp, %ebp
	movl (%esp), %eax
	leal 4(%esp), %edx
	andl $-16, %esp
	subl $8, %esp
	pushl %edx
	pushl %eax
	call test_main
	movl %eax, %ebx
	movl $252, %eax
	int $0x80
	ud2
	.section .note.GNU-stack,"",@progbits
