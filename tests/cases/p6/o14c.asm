again: mov eax,ebp
shr eax,2
or eax,eax
jz past
past: dec ecx
jnz again
