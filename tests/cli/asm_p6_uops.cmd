softpmu asm --cpu pentium3 'l: mov eax,[esi]; add esi,4; neg eax; mov [edi],eax; add edi,4; dec ecx; jnz l'
softpmu asm --cpu pentiumpro --json 'imul eax,eax; fxch st(1)' | jq -c '.lines[].uops'
