again: mov [esi],eax
add esi,4
dec ecx
jnz again
