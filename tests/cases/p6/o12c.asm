again: mov ebx,0
mov bl,dl
mov ebp,ebx
dec ecx
jnz again
