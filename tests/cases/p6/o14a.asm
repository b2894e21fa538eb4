again: mov eax,ebp
shr eax,1
jz past
past: dec ecx
jnz again
