# start_fixed.S -- calls test_main(0, 0) on a stack inside the program, so that no address depends on who runs it.
	.text
	.globl _start
_start:
	xorl %ebp, %ebp
	leaq stack_top(%rip), %rsp
	xorl %edi, %edi
	xorl %esi, %esi
	call test_main
	movl %eax, %edi
	movl $231, %eax
	syscall
	ud2
	.bss
	.balign 4096
	.skip 16384
stack_top:
	.section .note.GNU-stack,"",@progbits
