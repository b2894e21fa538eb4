# clocks are those to issue and those lost; what was lost before the first instruction, or behind the last one, is told where it is timed
softpmu asm 'mov ax,bx' | tail -n 1
softpmu asm 'add edx,4; mov ecx,[edx]; jmp o; o: nop' | grep -e clocks -e issue
softpmu asm 'l: add edx,4; mov eax,[edx]; mov [esi+2],eax; dec ecx; jnz l' | sed -n '/clocks/,/alone/p'
softpmu asm nop | grep clock.*instr
softpmu asm 'jmp o; o:' | grep -e clocks -e issue
