# straight code on a P6: what it adds between its neighbours; long flows say how many micro-ops are not listed
softpmu asm --cpu pentium3 'mov eax,[esi]'
softpmu asm --cpu pentium3 nop | grep clocks
softpmu asm --cpu pentium3 cpuid | sed -n '4,5p;/more/,$p'
softpmu asm --cpu pentium3 --json cpuid | jq -c '.lines[] | [(.uops | length), .more_uops, .stalls]'
# the reads that bring the data in leave no part of a register under way
softpmu asm --cpu pentium3 --bits 16 'add ax,bx; mov ax,[bx]' | grep -c partial
