jmp start
.p2align 4
start: mov dword ptr [esi],eax
sub eax,1
add ebx,dword ptr [edi]
cmp ebx,ecx
je out
out: nop
