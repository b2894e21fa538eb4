again: cmp eax,ebx
inc ebp
jz past
past: dec ecx
jnz again
