# each clock of the decoders has its reason: clocks per iteration as the rules of 4-1-1 decoders and of 16-byte blocks say
decoders() {
	softpmu asm --cpu pentium3 --json "$@" | jq -c '.iterations as $n | [.clocks / $n, .limit, (.decoder_clocks | map_values(. / $n))]'
}
echo 'three per clock: 3, 3, 2'
decoders 'l: mov eax,[esi]; nop; nop; mov edx,[esi]; nop; nop; dec ecx; jnz l'
echo 'two micro-ops: each begins a clock; 8 micro-ops would be renamed in 2.67'
decoders 'l: add eax,[esi]; add edx,[esi]; add ebx,[esi]; dec ecx; jnz l'
echo '4-1-1 decodes 12 micro-ops in 3 clocks, rename takes 4'
decoders 'l: mov [edi],edx; inc eax; mov edx,[ebx]; mov [edi],edx; inc esi; mov edx,[ebx]; mov [edi],edx; dec ecx; jnz l'
echo 'nine bytes with two prefixes: long and prefixes'
decoders --no-run 'l: nop; lea ax,fs:[esi+edx*4+12345678h]; dec ecx; jnz l'
echo 'the second of ten bytes does not end in the first 16'
decoders 'l: mov dword [esi+1000h],12345678h; mov dword [esi+1000h],12345678h; dec ecx; jnz l'
echo 'a length-changing prefix: three clocks'
decoders 'l: add ax,1234h; dec ecx; jnz l'
echo 'two branches'
decoders 'l: js m; m: dec ecx; jnz l'
echo 'microcode'
decoders 'l: cpuid; mov ecx,[esi]; loop l' | jq -c '[.[1], (.[2] | keys)]'
echo 'a divide holds up what is behind it'
decoders 'l: mov eax,1; cdq; div ecx; dec ecx; jnz l' | jq -c '[.[1], (.[2] | keys)]'
softpmu asm --cpu pentium3 'l: add eax,[esi]; add edx,[esi]; add ebx,[esi]; dec ecx; jnz l' | sed -n '/per iteration/,$p'
softpmu explain --cpu pentium3 '16 bytes end'
# not of a Pentium, and not of code that runs once
softpmu asm --json 'l: dec ecx; jnz l' | grep -c decoder
softpmu asm --cpu pentium3 nop | grep -c decoder
