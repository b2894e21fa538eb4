/* What lies above the part that was written is known to be 0: no wait in any of these. */
# bits both
# size 500
# expect p6: partial_rat_stalls = 0
#include "model.inc"
_start:
	LOOP 1
	xor eax, eax
	mov al, 3
	mov ebx, eax
	sub ecx, ecx
	mov cl, dl
	mov ebx, ecx
	PAUSE
	mov eax, 5
	xor ah, ah
	mov al, 3
	mov bx, ax
	xor ebx, ebx
	PAUSE
	xor edx, edx
	mov dl, 3
	mov dx, [data]
	mov ebx, edx
#ifndef __i386__
	xor rcx, rcx
	mov cl, 3
	mov rbx, rcx
	xor r9, r9
	mov r9w, ax
	mov r10, r9
#endif
	fnstsw ax
	mov ebx, eax
	xor eax, eax
	mov bl, dl
	xor ebx, ebx
	NEXT 1b
	EXIT
