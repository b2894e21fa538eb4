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
	movabs	$gst_exit_taken, %rax
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

/* long gst_fetch_raw(at): -EFAULT, by way of the signal handler. */
	.globl gst_fetch_raw
gst_fetch_raw:
	jmp	*%rdi

/* Like memcmp: 0 equal, 1 different, -EFAULT. long gst_compare_raw(a, b, bytes) */
	.globl gst_compare_raw, gst_compare_first, gst_compare_last
gst_compare_raw:
	mov	%rdx, %rcx
	cmp	%ecx, %ecx
gst_compare_first:
	repe cmpsb
gst_compare_last:
	setne	%al
	movzbl	%al, %eax
	ret

/* A system call of the program: long gst_call(const uint64_t a[7], const int *stop), a[0] the number. A signal that
 * comes before the kernel has the call sends it to gst_call_not_started; one after which the kernel
 * would start it again, to gst_call_restarts (signal_host.c). rcx tells the two apart: SYSCALL
 * leaves the address behind it there. */
	.globl gst_call, gst_call_first, gst_call_insn, gst_call_end
	.globl gst_call_not_started, gst_call_restarts
gst_call:
	mov	0(%rdi), %rax
	mov	%rsi, %r11
	mov	16(%rdi), %rsi
	mov	24(%rdi), %rdx
	mov	32(%rdi), %r10
	mov	40(%rdi), %r8
	mov	48(%rdi), %r9
	mov	8(%rdi), %rdi
	xor	%ecx, %ecx
gst_call_first:
	cmpl	$0, (%r11)
	jne	gst_call_not_started
gst_call_insn:
	syscall
gst_call_end:
	ret
gst_call_not_started:
	mov	$-10000, %rax
	ret
gst_call_restarts:
	mov	$-10001, %rax
	ret

/* As gst_call(), by int 80h for 32-bit programs: long gst_call32(const uint64_t a[7], const int *stop). Here the upper
 * half of rax tells a call that would start again, for which the kernel writes the bare number there, from one that it
 * has not seen yet. */
	.globl gst_call32, gst_call32_first, gst_call32_insn
	.globl gst_call32_not_started, gst_call32_restarts
gst_call32:
	push	%rbx
	push	%rbp
	mov	%rsi, %r11
	movabs	$0x100000000, %rax
	or	0(%rdi), %rax
	mov	8(%rdi), %rbx
	mov	16(%rdi), %rcx
	mov	24(%rdi), %rdx
	mov	32(%rdi), %rsi
	mov	48(%rdi), %rbp
	mov	40(%rdi), %rdi
gst_call32_first:
	cmpl	$0, (%r11)
	jne	gst_call32_not_started
gst_call32_insn:
	int	$0x80
	pop	%rbp
	pop	%rbx
	ret
gst_call32_not_started:
	mov	$-10000, %rax
	pop	%rbp
	pop	%rbx
	ret
gst_call32_restarts:
	mov	$-10001, %rax
	pop	%rbp
	pop	%rbx
	ret

/* long gst_vfork_raw(flags, parent_tid): clone on this stack and in this memory. The child returns first; what
 * it leaves of the stack is nothing that its parent could return through. */
	.globl gst_vfork_raw
gst_vfork_raw:
	mov	%rsi, %rdx
	xor	%esi, %esi
	xor	%r10d, %r10d
	xor	%r8d, %r8d
	mov	$__NR_clone, %eax
	syscall
	test	%rax, %rax
	jg	1f
	ret
1:	mov	GS_STACK, %rsp
	cld
	xor	%ebp, %ebp
	mov	%rax, %rdi
	movabs	$gst_vfork_parent, %rax
	call	*%rax
	jmp	gst_leave

/* The kernel enters here for every caught signal: rdi signal, rsi siginfo, rdx ucontext. */
	.globl gst_on_signal
gst_on_signal:
	cld
	movabs	$gst_host_signal, %rax
	jmp	*%rax

/* long gst_clone(flags, stack, parent_tid, child_tid): the new thread begins in C on its own stack. */
	.globl gst_clone
gst_clone:
	mov	%rcx, %r10
	xor	%r8d, %r8d
	mov	$__NR_clone, %eax
	syscall
	test	%rax, %rax
	jz	1f
	ret
1:	xor	%ebp, %ebp
	cld
	movabs	$gst_thread_first, %rax
	call	*%rax
	jmp	gst_leave

/* Into the handler, which loads the program's registers and lets the kernel return to one single
 * step of the program (step.c). */
	.globl gst_step_enter, gst_step_trap
gst_step_enter:
gst_step_trap:
	ud2

	.globl gst_host_return
gst_host_return:
	mov	$__NR_rt_sigreturn, %eax
	syscall
	hlt

/* Where the handler lets the kernel return to after a stop in translated code. */
	.globl gst_after_fault
gst_after_fault:
	mov	GS_STACK, %rsp
	xor	%ebp, %ebp
	movabs	$gst_fault_dispatch, %rax
	call	*%rax
	jmp	gst_leave

	.section .note.GNU-stack,"",@progbits
