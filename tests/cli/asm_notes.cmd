# what the reader of the numbers must know: instructions of later processors, a loop that never ends
softpmu asm 'cmovz eax,ebx' | grep Note
softpmu asm --cpu pentium-mmx 'movq mm0,mm1; addps xmm0,xmm1' | grep Note
softpmu asm --bits 64 'mov r8,rax' | grep Note
softpmu asm 'l: mov ecx,[esi]; dec ecx; jnz l' | tail -n 2
softpmu asm 'l: mov eax,[esi]; dec ecx; jnz l' | grep -c Note
