.p2align 4
again: mov eax,[esi]
mov ebx,[esi+4]
neg eax
mov [edi],eax
add esi,8
neg ebx
mov [edi+4],ebx
add edi,8
dec ecx
jnz again
