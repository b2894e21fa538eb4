again: add eax,edx
mov edx,[esi]
adc eax,0
add esi,4
dec ecx
jnz again
