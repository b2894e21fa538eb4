again: mov eax,ebp
shr eax,4
shr eax,1
jc past
past: dec ecx
jnz again
