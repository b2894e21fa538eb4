xor eax,eax
xor ebx,ebx
mov ax,[one]
mov bx,[two]
cmp eax,ebx
