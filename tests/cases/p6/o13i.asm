again: cmp eax,ebx
inc ebp
jc past
past: dec ecx
jnz again
