again: mov eax,[esi+edx*4]
neg eax
mov [edi+edx*4],eax
inc edx
cmp edx,ecx
jb again
