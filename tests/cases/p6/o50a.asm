.p2align 4
again: add eax,[esi]
add eax,[esi+4]
add esi,8
dec ecx
jnz again
