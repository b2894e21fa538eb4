again: imul eax,eax
dec ecx
jnz again
