/* Transfers that the BTB knows nothing of are decoded branches as they are retired ones: INT n (here that of a system call), SYSCALL, IRET
 * and far returns. */
# bits both
# expect p6: br_inst_retired = 5*N
# expect p6: br_taken_retired = 5*N
# expect p6: br_inst_decoded = 5*N
# options p6: --wrong-path off
#include "model.inc"
_start:
	LOOP 1
#ifdef __i386__
	mov eax, 20 /* getpid */
	int 0x80
	mov eax, 20
	int 0x80
	pushfd
	push cs
	push offset 2f
	iretd
2:	push cs
	push offset 3f
	retf
#else
	mov eax, 39
	syscall
	mov eax, 39
	syscall
	mov rsi, rsp
	mov eax, ss
	push rax
	push rsi
	pushfq
	mov eax, cs
	push rax
	push offset 2f
	iretq
2:	mov eax, cs
	push rax
	push offset 3f
	retfq
#endif
3:	NEXT 1b
	EXIT
