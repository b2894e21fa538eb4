again: inc edx
mov [esi],eax
add esi,4
dec ecx
jnz again
