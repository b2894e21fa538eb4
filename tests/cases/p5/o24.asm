again: mov bh,[esi+3]
add esi,4
shl ebx,16
or ebx,edx
mov dl,[esi]
add eax,ebx
mov bl,[esi+2]
adc eax,0
mov dh,[esi+1]
dec ecx
jnz again
