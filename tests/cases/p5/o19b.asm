again: add ax,[esi]
adc eax,0
add esi,2
dec ecx
jnz again
