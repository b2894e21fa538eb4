again: mov eax,[esi]
xor ebx,ebx
add esi,4
sub ebx,eax
mov [edi],ebx
add edi,4
dec ecx
jnz again
