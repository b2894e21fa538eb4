/* A known zero lies above what was written only behind XOR or SUB of the whole register with itself, or of AH for AX: behind the
 * forms over AL, AX and AH a read of EAX waits as behind any other write, once in each of the ten cases here. */
# bits both
# size 500
# expect p6: partial_rat_stalls:e = 10*N
# between p6: partial_rat_stalls = 50*N .. 100*N
#include "model.inc"
.macro CASE code
	mov eax, 5
	mov ebx, 5
	mov ecx, 5
	mov edx, 5
	PAUSE
	\code
	PAUSE
.endm
_start:
	LOOP 1
	CASE "xor al, al; mov al, [data]; mov ebx, eax"
	CASE "xor ah, ah; mov al, [data]; mov ebx, eax"
	CASE "xor ax, ax; mov al, [data]; mov ebx, eax"
	CASE "sub cl, cl; mov cl, [data]; mov ebx, ecx"
	CASE "sub dx, dx; mov ebx, edx"
	CASE "xor bh, bh; mov edx, ebx"
	CASE "xor eax, eax; mov ah, 3; mov ebx, eax"
	CASE "mov ebx, 0; mov bl, dl; mov ecx, ebx"
	CASE "xor eax, eax; mov ax, [data]; mov al, [data]; mov ebx, eax"
	CASE "mov ax, 0; fnstsw ax"
	NEXT 1b
	EXIT
