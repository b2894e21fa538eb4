.p2align 4
nop
nop
nop
nop
again: mov ebx,[eax]
add eax,4
lea ecx,[ebx-0x01010101]
not ebx
and ecx,ebx
and ecx,0x80808080
jz again
