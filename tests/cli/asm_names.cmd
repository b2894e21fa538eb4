# registers of another width, missing labels and the other syntax are refused; other names are data, and that is said
softpmu asm 'mov eax,rbx'
softpmu asm 'add ecx,XMM9'
softpmu asm 'push r8'
softpmu asm 'mov cl,sil'
softpmu asm --asm-init 'mov eax,r15d' nop
softpmu asm 'mov %eax,%ebx'
softpmu asm 'movl (%esi),%eax'
softpmu asm 'push $5'
softpmu asm --att 'mov eax,ebx'
softpmu asm --att 'movl (%esi),%eax' | grep -cE 'Note: (the|names|instr)'
softpmu asm 'l: dec ecx; jnz m'
softpmu asm 'call far_away'
softpmu asm 'jmp short far_away'
softpmu asm 'call [table]; mov edx,eaxx' 2>&1 | sed 's,raised.*,,'
softpmu asm 'mov edx,eaxx; add edx,[other]' | grep -E 'Note: (the|names|instr)'
softpmu asm --json 'mov edx,eaxx' | jq -c '[.names_taken_as_data, .lines[0].last]'
softpmu asm "$(for i in $(seq 30); do printf 'mov eax,[a%d]; ' $i; done)"
softpmu asm 'mov eax,10h; mov ebx,0ffH; .data; .ascii "10h"' | grep -c 'mov e'
softpmu asm --cpu pentium,pentium3 nop
echo nop >slow.s
softpmu asm slow.s
# a branch to a bare number, and to a label of that number
softpmu asm '1: dec ecx; jnz 1'
softpmu asm '1: dec ecx; jnz 1b' | grep 'clocks per'
softpmu asm --att '1: dec %ecx; jnz 1'
