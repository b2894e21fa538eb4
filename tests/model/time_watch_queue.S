/* Loads of lines that were never touched, six at once: four fill buffers, and never more, are busy. */
# options p6: --walks off
# between p6: dcu_miss_outstanding:c=4 = 10*N .. 400*N
# expect p6: dcu_miss_outstanding:c=5 = 0
# expect p6: dcu_miss_outstanding:c=4:e = N
# size 100
#include "model.inc"
_start:
	MAP 0x30000000, 0x40000
	mov ebx, 0x30000000
	mov ecx, N
	.balign 32
1:	mov eax, [rbx]
	mov eax, [rbx + 32]
	mov eax, [rbx + 64]
	mov eax, [rbx + 96]
	lfence
	.rept 300
	nop
	.endr
	lea rbx, [rbx + 128]
	dec ecx
	jnz 1b
	EXIT
