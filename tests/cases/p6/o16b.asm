again: mov eax,[esi+4]
mov ebx,[esi+8]
mov edx,[esi+12]
dec ecx
jnz again
