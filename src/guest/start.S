/* start.S -- where the runtime is entered and left.
 *
 * _start      from the kernel; moves to the runtime's own stack before anything else.
 * gst_entry   from translated code (jmp gs:[SHR_GS_RUNTIME]): saves the program's registers.
 * gst_leave   to translated code: the only way back. Between gst_leave and gst_leave_end an
 *             asynchronous signal is sent to gst_relook: nothing there changes the saved state.
 */
#include <asm/unistd.h>

#define GS_GPR(n)  %gs:(0x80 + 8 * (n))
#define GS_RFLAGS  %gs:0x100
#define GS_STACK   %gs:0x110
#define GS_STOP    %gs:0x120
#define GS_RESUME  %gs:0x50

	.text
	.globl _start
_start:
	xor	%ebp, %ebp
	mov	%rsp, %rdi
	/* The private area of the runtime: mmap(SHR_GS_BASE, ...) with registers only. */
	mov	%rdi, %r12
	mov	$__NR_mmap, %eax
	movabs	$0x6f4000000000, %rdi
	mov	$0x5000000, %esi
	mov	$3, %edx              /* PROT_READ | PROT_WRITE */
	mov	$0x104022, %r10d      /* FIXED_NOREPLACE | NORESERVE | ANONYMOUS | PRIVATE */
	mov	$-1, %r8
	xor	%r9d, %r9d
	syscall
	movabs	$0x6f4000000000, %rdi
	cmp	%rdi, %rax
	jne	1f
	lea	0x280000(%rdi), %rsp
	mov	%r12, %rdi
	movabs	$gst_start, %rax
	call	*%rax
1:	mov	$125, %edi
	mov	$__NR_exit_group, %eax
	syscall
	hlt

	.globl gst_entry
gst_entry:
	mov	%rax, GS_GPR(0)
	mov	%rcx, GS_GPR(1)
	mov	%rdx, GS_GPR(2)
	mov	%rbx, GS_GPR(3)
	mov	%rsp, GS_GPR(4)
	mov	%rbp, GS_GPR(5)
	mov	%rsi, GS_GPR(6)
	mov	%rdi, GS_GPR(7)
	mov	%r8, GS_GPR(8)
	mov	%r9, GS_GPR(9)
	mov	%r10, GS_GPR(10)
	mov	%r11, GS_GPR(11)
	mov	%r12, GS_GPR(12)
	mov	%r13, GS_GPR(13)
	mov	%r14, GS_GPR(14)
	mov	%r15, GS_GPR(15)
	mov	GS_STACK, %rsp
	pushfq
	popq	GS_RFLAGS
	cld
	xor	%ebp, %ebp
	movabs	$gst_dispatch, %rax
	call	*%rax

	.globl gst_leave
gst_leave:
	cmpl	$0, GS_STOP
	jne	gst_relook
	mov	GS_STACK, %rsp
	pushq	GS_RFLAGS
	popfq
	mov	GS_GPR(0), %rax
	mov	GS_GPR(1), %rcx
	mov	GS_GPR(2), %rdx
	mov	GS_GPR(3), %rbx
	mov	GS_GPR(5), %rbp
	mov	GS_GPR(6), %rsi
	mov	GS_GPR(7), %rdi
	mov	GS_GPR(8), %r8
	mov	GS_GPR(9), %r9
	mov	GS_GPR(10), %r10
	mov	GS_GPR(11), %r11
	mov	GS_GPR(12), %r12
	mov	GS_GPR(13), %r13
	mov	GS_GPR(14), %r14
	mov	GS_GPR(15), %r15
	mov	GS_GPR(4), %rsp
	.globl gst_leave_last
gst_leave_last:
	jmp	*GS_RESUME
	.globl gst_leave_end
gst_leave_end:

/* A signal came on the way out: look again what to do. Entered with any registers. */
	.globl gst_relook
gst_relook:
	mov	GS_STACK, %rsp
	cld
	xor	%ebp, %ebp
	movabs	$gst_look_again, %rax
	call	*%rax
	jmp	gst_leave

/* long gst_copy_raw(to, from, bytes): 0, or -EFAULT by way of the signal handler. */
	.globl gst_copy_raw, gst_copy_first, gst_copy_last, gst_copy_failed
gst_copy_raw:
	mov	%rdx, %rcx
gst_copy_first:
	rep movsb
gst_copy_last:
	xor	%eax, %eax
	ret
gst_copy_failed:
	mov	$-14, %rax
	ret

	.section .note.GNU-stack,"",@progbits
