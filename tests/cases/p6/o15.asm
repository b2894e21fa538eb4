again: mov [esi],al
mov ebx,[esi]
dec ecx
jnz again
