/* A branch to an instruction that faults: taken, whatever the handler does. The handler steps over UD2,
 * which does not retire. Taken: JZ, RET, the system call that ends the handler, JNZ. RET finds an empty
 * return stack. */
# expect p6: br_inst_retired = 4*N
# expect p6: br_taken_retired = 4*N
# expect p6: br_miss_pred_retired = N
# expect p6: inst_retired = 8*N
# size 100
#include "model.inc"
_start:
	mov eax, 13
	mov edi, 4
	lea rsi, [action]
	xor edx, edx
	mov r10d, 8
	syscall
	LOOP 1
	cmp eax, eax
	jz 2f
	nop
2:
	ud2
	NEXT 1b
	EXIT

handler:
	add qword ptr [rdx+168], 2
	ret
restorer:
	mov eax, 15
	syscall

	.data
	.balign 8
action:
	.quad handler, 0x04000004, restorer, 0
