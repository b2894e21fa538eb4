again: xor eax,eax
mov ah,3
mov ebx,eax
dec ecx
jnz again
