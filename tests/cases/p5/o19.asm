again: add ax,[esi]
adc ax,0
add esi,2
dec ecx
jnz again
