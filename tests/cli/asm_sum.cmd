# clocks are those to issue and those lost; what was lost before the first instruction, or behind the last one, is told where it is timed
softpmu asm --read-data 'mov ax,bx' | tail -n 1
softpmu asm --read-data 'add edx,4; mov ecx,[edx]; jmp o; o: nop' | grep -e clocks -e issue
softpmu asm --read-data 'l: add edx,4; mov eax,[edx]; mov [esi+2],eax; dec ecx; jnz l' | sed -n '/clocks/,/alone/p'
softpmu asm --read-data nop | grep clock.*instr
softpmu asm --read-data 'jmp o; o:' | grep -e clocks -e issue
