.p2align 4
again: imul eax,[esi]
imul eax,[esi+4]
add esi,8
dec ecx
jnz again
