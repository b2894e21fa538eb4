again: mov [esi],eax
mov bl,[esi]
dec ecx
jnz again
