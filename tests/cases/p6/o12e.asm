again: mov bh,0
add bx,ax
dec ecx
jnz again
