softpmu asm 'l: mov eax,[esi]; add esi,4; dec ecx; jnz l'
softpmu asm --cpu pentium-mmx 'add edx,4; mov ecx,[ebx]; add ebx,4; mov [edx],ecx'
softpmu asm --bits 16 'push ax; push bx'
softpmu asm -unroll_count 12 'add [esi],eax; add ebx,[edi]'
