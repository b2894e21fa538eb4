push ebx
mov ebx,[cell]
test ebx,ebx
jz none
mov eax,[ebx]
mov edx,[ebp-8]
none:
