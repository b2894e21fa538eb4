# a crash names the instruction, the iteration and the address
softpmu asm 'l: mov eax,[esi]; add esi,0x100000; mov [esi],eax; dec ecx; jnz l'
softpmu asm 'xor esi,esi; mov [esi+8],eax; mov ebx,[foo]'
softpmu asm --bits 64 'xor rsi,rsi; mov [rsi+8],rax'
softpmu asm 'xor esp,esp; push eax'
softpmu asm 'mov eax,[v]; inc eax; mov [v],eax; sub eax,0x3f800c01; jz o; mov eax,[0]; o: nop; .data; v: .long 0x3f800c00' 2>&1
softpmu asm cli
softpmu asm 'xor ecx,ecx; div ecx'
softpmu asm ud2
softpmu asm ret
softpmu asm --asm-init 'xor esi,esi; mov eax,[esi]' nop
