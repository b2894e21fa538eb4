# A Pentium's store that misses brings no line in. Nothing reads this data, so each store goes to the bus, which takes one in two bus clocks. A bus
# clock is two core clocks, with MMX three. A Pentium has one buffer for stores of U, which costs a third bus clock.
# Data that the loop reads as well, or that --asm-init or --read-data reads before, and the stack are in L1D. A P6 brings lines in for stores.
clocks() { softpmu asm "$@" | sed -n 's/ clocks.*(.*//p'; }
for text in 'l: mov [esi],eax; mov [esi+4],eax; dec ecx; jnz l' 'l: mov [x],eax; dec ecx; jnz l' 'l: fst dword ptr [esi]; dec ecx; jnz l' \
	'l: movq [esi],mm0; dec ecx; jnz l' 'mov ecx,8; cld; rep stosd' 'l: add [esi],eax; dec ecx; jnz l' 'l: push eax; pop ebx; push eax; push ebx; add esp,8; dec ecx; jnz l'; do
	echo "$text"
	for cpu in pentium pentium-mmx pentium3; do
		echo "$cpu:" $(clocks --cpu $cpu "$text"), read before: $(clocks --cpu $cpu --read-data "$text")
	done
done
clocks --warm-up-count 0 'l: mov [esi],eax; mov [esi+4],eax; dec ecx; jnz l'
clocks --no-run 'l: mov [esi],eax; mov [esi+4],eax; dec ecx; jnz l'
clocks --asm-init 'mov eax,[esi]' 'l: mov [esi],eax; mov [esi+4],eax; dec ecx; jnz l'
softpmu asm 'l: mov [esi],eax; dec ecx; jnz l' | grep -A1 Note
softpmu asm --read-data 'l: mov [esi],eax; dec ecx; jnz l' | grep -A1 Note
softpmu asm --warm-up-count 0 'l: mov [esi],eax; dec ecx; jnz l' | grep -A1 Note
# the loop of a program takes the same
printf '.globl _start\n_start: mov $%%d,%%%%ecx; mov $b,%%%%esi\n1: mov %%%%eax,(%%%%esi); mov %%%%eax,4(%%%%esi); dec %%%%ecx; jnz 1b\nmov $1,%%%%eax; xor %%%%ebx,%%%%ebx; int $0x80\n.bss\n.balign 4096\nb: .skip 4096\n' >form
for n in 1000 11000; do
	printf "$(cat form)\n" $n >loop$n.s
	as --32 -o loop.o loop$n.s && ld -m elf_i386 -o loop$n loop.o
done
few=$(softpmu stat --cpu pentium -x, -e cycles ./loop1000 2>&1 | cut -d, -f1)
many=$(softpmu stat --cpu pentium -x, -e cycles ./loop11000 2>&1 | cut -d, -f1)
echo "in a program: $(((many - few) / 100)) hundredths"
