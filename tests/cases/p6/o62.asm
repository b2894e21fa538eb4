.p2align 4
again: mov eax,[esi]
neg eax
mov [edi],eax
mov eax,[esi+4]
neg eax
.byte 0x89,0x87,4,0,0,0
add esi,8
add edi,8
dec ecx
jnz again
