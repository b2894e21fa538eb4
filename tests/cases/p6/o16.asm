again: mov eax,[esi+5]
mov ebx,[esi+9]
mov edx,[esi+14]
dec ecx
jnz again
