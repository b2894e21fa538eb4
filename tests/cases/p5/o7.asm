again: mov [marks+edx],al
add edx,ecx
cmp edx,300
jle again
