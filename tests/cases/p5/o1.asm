add edx,4
mov ecx,[ebx]
add ebx,4
mov [edx],ecx
