jmp before
.p2align 4
before: {disp32} mov dword ptr [edi+8],0x12345678
mov eax,1
first: mov eax,1
nop
jmp start
.p2align 4
start: nop
out: nop
