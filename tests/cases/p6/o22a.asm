again: div ebx
dec ecx
jnz again
