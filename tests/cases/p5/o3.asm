push ebx
mov ebx,[cell]
and ebx,ebx
jz none
mov eax,[ebx]
mov edx,[ebp-8]
none:
