again: add eax,edx
mov edx,[esi]
adc eax,ebx
mov ebx,[esi+4]
adc eax,0
add esi,8
dec ecx
jnz again
