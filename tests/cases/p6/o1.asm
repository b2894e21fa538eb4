jmp start
.p2align 4
start: mov dword ptr [esi],eax
add ebx,dword ptr [edi]
sub eax,1
cmp ebx,ecx
je out
out: nop
