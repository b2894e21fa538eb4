again: clc
setz al
dec ecx
jnz again
