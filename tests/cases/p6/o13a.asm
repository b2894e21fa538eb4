again: cmp eax,ebx
inc ebp
jbe past
past: dec ecx
jnz again
