again: shrd eax,ebx,1
jz past
past: dec ecx
jnz again
