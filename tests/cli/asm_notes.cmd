# what the reader of the numbers must know: instructions of later processors, a loop that never ends
softpmu asm 'cmovz eax,ebx' | grep -E 'Note: (the|names|instr)'
softpmu asm --cpu pentium-mmx 'movq mm0,mm1; addps xmm0,xmm1' | grep -E 'Note: (the|names|instr)'
softpmu asm --bits 64 'mov r8,rax' | grep -E 'Note: (the|names|instr)'
softpmu asm 'l: mov ecx,[esi]; dec ecx; jnz l' | tail -n 2
softpmu asm 'l: mov eax,[esi]; dec ecx; jnz l' | grep -cE 'Note: (the|names|instr)'
# a loop that stores to all of the data and on leaves the counts of rounds and passes alone
for text in 'l: mov [esi],eax; add esi,32; dec ecx; jnz l' 'l: dec ecx; jnz l'; do
	softpmu asm --cpu pentium --json --loop-count 500 "$text" | jq -c '[.is_cut, .iterations]'
done
