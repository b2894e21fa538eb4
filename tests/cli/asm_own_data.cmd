# the text's own data is warm: 64 reads of it, 64 writes to it, from the first measured pass on; without running it, too
printf '.data\nx: .fill 64,4,1\n.text\nl: mov eax,[x+ecx*4-4]\nadd ebx,eax\ndec ecx\njnz l\n' >read.s
printf '.bss\nx: .skip 256\n.text\nl: mov [x+ecx*4-4],eax\ndec ecx\njnz l\n' >write.s
for options in '' '--warm-up-count 0' '--no-run' '--cpu pentium3'; do
	softpmu asm $options -f read.s | grep clocks
	softpmu asm $options -f write.s | grep clocks
done
