# start.S -- first instruction of the small static test programs: int test_main(long argc, char **argv).
	.text
	.globl _start
_start:
	xorl %ebp, %ebp
	movq (%rsp), %rdi
	leaq 8(%rsp), %rsi
	andq $-16, %rsp
	call test_main
	movl %eax, %edi
	movl $231, %eax
	syscall
	ud2
	.section .note.GNU-stack,"",@progbits
