# data of the text's own: 64 reads of it are warm from the first measured pass on, cold without a pass before. A Pentium brings no line in for 64 writes to it, a P6 does;
# --read-data reads all data before
printf '.data\nx: .fill 64,4,1\n.text\nl: mov eax,[x+ecx*4-4]\nadd ebx,eax\ndec ecx\njnz l\n' >read.s
printf '.bss\nx: .skip 256\n.text\nl: mov [x+ecx*4-4],eax\ndec ecx\njnz l\n' >write.s
for options in '' '--read-data' '--read-data --warm-up-count 0' '--no-run' '--cpu pentium3'; do
	softpmu asm $options -f read.s | grep 'clocks per iteration'
	softpmu asm $options -f write.s | grep 'clocks per iteration ('
done
softpmu asm --warm-up-count 0 -f read.s | grep -A1 'clocks per iteration ('
