# what the reader of the numbers must know: instructions of later processors, a loop that never ends
softpmu asm 'cmovz eax,ebx' | grep -E 'Note: (the|names|instr)'
softpmu asm --cpu pentium-mmx 'movq mm0,mm1; addps xmm0,xmm1' | grep -E 'Note: (the|names|instr)'
softpmu asm --bits 64 'mov r8,rax' | grep -E 'Note: (the|names|instr)'
softpmu asm 'l: mov ecx,[esi]; dec ecx; jnz l' | tail -n 2
softpmu asm 'l: mov eax,[esi]; dec ecx; jnz l' | grep -cE 'Note: (the|names|instr)'
