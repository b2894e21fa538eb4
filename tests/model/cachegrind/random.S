/* Loads, stores and read-modify-writes at pseudo-random aligned places of a megabyte, code of 48 KB in
 * pseudo-random order. Uses no stack but for return addresses, and nothing that the kernel hands over. */
#include "model.inc"
	.balign 4096
functions:
	.rept 384
	.balign 128
	mov eax, [rsi]
	add [rdi], eax
	mov [rdi+64], rax
	mov eax, [rsi+128]
	add rsi, rax
	nop
	.skip 70, 0x90
	ret
	.endr
	.balign 128
_start:
	lea rsp, [data+0x1000]
	mov ebx, 12345
	mov r12d, 200000
1:	imul ebx, ebx, 1103515245
	add ebx, 12345
	mov eax, ebx
	shr eax, 12
	and eax, 0xffff8
	lea rsi, [scratch+rax]
	mov eax, ebx
	shr eax, 8
	and eax, 0x7ff8
	lea rdi, [scratch+0x40000+rax]
	mov eax, ebx
	shr eax, 16
	xor edx, edx
	mov ecx, 384
	div ecx
	shl edx, 7
	lea rax, [functions+rdx]
	call rax
	dec r12d
	jnz 1b
	EXIT
