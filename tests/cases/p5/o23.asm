again: add al,dl
mov dl,[esi]
adc ah,dh
mov dh,[esi+1]
adc eax,0
add esi,2
dec ecx
jnz again
