again: mov eax,ebp
shr eax,2
jz past
past: dec ecx
jnz again
