softpmu asm --bits 64 -loop_count 7 "l: nop; dec ecx; jnz l" | grep -c "clocks per iteration"
printf "; a comment\nmov eax, dword [v] ; reads\nadd eax,1\n" | softpmu asm -f - | grep -c -e "mov eax, dword .v." -e "add eax,1"
softpmu asm --att "movl (%esi),%eax" | grep -c "movl (%esi)"
