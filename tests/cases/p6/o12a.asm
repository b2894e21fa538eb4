again: xor eax,eax
mov al,3
mov ebx,eax
dec ecx
jnz again
