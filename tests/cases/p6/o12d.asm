again: mov bl,dl
xor ebx,ebx
dec ecx
jnz again
