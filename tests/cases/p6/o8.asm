.p2align 4
nop
nop
again: fld qword ptr [esi]
add esi,8
fmul st,st(1)
fsubr qword ptr [edi]
fstp qword ptr [edi]
add edi,8
dec ecx
jnz again
