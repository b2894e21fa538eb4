softpmu asm 'l: mov eax,[esi' 2>&1 | sed 's/says: .*/says/'
softpmu asm --cpu toy 'nop'
softpmu asm 'mov eax,[0]'
softpmu asm '; ;'
softpmu asm --loop-count 0 nop
PATH=${PATH%%:*} softpmu asm nop
softpmu asm -unroll_count 2 'l: dec ecx; jnz l'
