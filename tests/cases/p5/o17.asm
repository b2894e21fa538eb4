mov eax,offset cell
xor ebx,ebx
inc ebx
mov ecx,[eax]
jmp on
.skip 32,0x90
on:
