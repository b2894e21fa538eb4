mov eax,offset cell
xor ebx,ebx
inc ebx
nop
mov ecx,[eax]
jmp on
.skip 16,0x90
.balign 32
on:
