mov eax,offset cell
xor ebx,ebx
inc ebx
nop
mov ecx,[eax]
jmp on
.skip 32,0x90
on:
