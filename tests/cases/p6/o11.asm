again: mov al,[esi]
mov ebx,eax
dec ecx
jnz again
