# start.S -- first instruction of the small static test programs: int test_main(long argc, char **argv).
	.text
	.globl _start
_start:
#ifdef __i386__
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
#else
	xorl %ebp, %ebp
	movq (%rsp), %rdi
	leaq 8(%rsp), %rsi
	andq $-16, %rsp
	call test_main
	movl %eax, %edi
	movl $231, %eax
	syscall
#endif
	ud2
	.section .note.GNU-stack,"",@progbits
