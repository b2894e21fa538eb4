mov ecx,[ebx]
add ebx,4
mov [edx+4],ecx
add edx,4
