.p2align 5
mov edx,1000
ll: mov dword ptr [esi],eax
{disp32} mov dword ptr [edi+8],0x12345678
lea ebx,[eax+0x1234]
mov byte ptr [esi],5
bsr edx,eax
mov byte ptr [edi+5],7
dec ecx
jnz ll
