.p2align 4
again: dec ecx
jnz again
