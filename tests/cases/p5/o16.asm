mov eax,[esi]
mov ebx,[esi]
inc ecx
