.p2align 4
again: fmul qword ptr [esi]
fmul qword ptr [esi+8]
add esi,16
dec ecx
jnz again
