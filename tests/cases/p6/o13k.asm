again: cld
setz al
dec ecx
jnz again
