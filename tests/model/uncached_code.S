/* Code in memory that is not cacheable: each instruction is read anew, in pieces between 8-byte boundaries. */
# options p6: --uncached 0x30000000+4096
# expect p6: ifu_ifetch_miss = 4*N
# expect p6: bus_trans_p:self = 5*N
# expect p6: l2_ifetch = 0
#include "model.inc"
	.section .data
	.balign 8
code:
	nop
	mov eax, 1
	mov ecx, 2
	ret
	.text
_start:
	mov eax, 9
	mov edi, 0x30000000
	mov esi, 4096
	mov edx, 7
	mov r10d, 0x32
	mov r8, -1
	xor r9d, r9d
	syscall
	lea rsi, [code]
	mov edi, 0x30000000
	mov ecx, 12
	rep movsb
	mov ebx, 0x30000000
	LOOP 1
	call rbx
	NEXT 1b
	EXIT
