.p2align 4
again: mov eax,[esi+4*ecx]
neg eax
mov [edi+4*ecx],eax
inc ecx
jnz again
