.p2align 4
again: mov eax,[esi]
add esi,4
neg eax
mov [edi],eax
add edi,4
dec ecx
jnz again
