# the long instruction of a loop is named, and the one of two that cannot pair; data that are in L1D are said to be
softpmu asm 'l: mov eax,[esi]; imul eax,ebx; add edx,eax; shl ebp,3; add edi,4; dec ecx; jnz l'
# no memory, no note; two long ones
softpmu asm 'l: shl ebp,cl; cdq; idiv ebx; dec ecx; jnz l' | grep -A 4 longest
softpmu asm 'l: lea eax,[esi]; dec ecx; jnz l' | grep -c steady
softpmu asm --att 'l: movl (%esi),%eax; decl %ecx; jnz l' | grep -c steady
softpmu asm -warm_up_count 0 'l: mov eax,[esi]; dec ecx; jnz l' | grep -c steady
