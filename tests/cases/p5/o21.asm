cmp dword [ebx],0
mov eax,0
setnz al
