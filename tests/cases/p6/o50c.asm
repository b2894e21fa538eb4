.p2align 4
again: fadd qword ptr [esi]
fadd qword ptr [esi+8]
add esi,16
dec ecx
jnz again
