# At a terminal lists, check, asm, doctor and intervals fit its width and lose no word; a pipe has lines of any length.
at() { TERM=dumb script -qc "stty cols $1; $2" /dev/null </dev/null | tr -d '\r'; }
words() { tr -s ' \n' '\n\n' | grep -v '^$'; }
unset COLUMNS
for topic in events cpus groups metrics relations figures names miss "figures --cpu pentium" "events -v --cpu pentium"; do
	softpmu list $topic >pipe
	for c in 60 80; do
		at $c "softpmu list $topic" >terminal
		awk -v c=$c -v t="$topic" 'length > c { print t " at " c ": " $0 }' terminal
		cmp -s <(words <terminal) <(words <pipe) || echo "$topic at $c: words differ"
	done
done
for topic in events groups figures explanations LLC; do
	COLUMNS=80 softpmu list $topic | awk -v t="$topic" 'length > 80 { print t " in a pipe: " $0 }'
done
awk 'length > 100 { n++ } END { print (n > 0) }' pipe
for c in 60 80; do
	for command in "softpmu doctor" "softpmu check -- /bin/true" "softpmu stat -I 50000insn -- /bin/true" \
		"softpmu asm 'add dword ptr [ebx+1000],1234567; add ebx,1; mov eax,[ebx]; imul eax,[ebx+4]'" \
		"softpmu asm --cpu pentium3 'add dword ptr [ebx+1000],1234567; add ebx,1; mov eax,[ebx]; imul eax,[ebx+4]'"; do
		at $c "$command" | awk -v c=$c 'length > c { print c ": " $0 }'
	done
done
at 60 "softpmu list relations" | sed -n 1,4p
