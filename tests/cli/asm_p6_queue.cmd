# six micro-ops wait between decoders, whose work takes two clocks, and rename, which a full station holds up; never more
queue() {
	softpmu asm --cpu pentium3 --json "$1" | jq -r '[.lines[].uops[]] as $u | [$u[].rename] | unique |
		map(. as $at | [$u[] | select(.decode + 2 < $at and $at <= .rename)] | length) | "\(max) at most, \(min) at least"'
}
text=
for i in 1 2 3 4 5 6 7 8; do text="$text imul eax,eax; inc ebx; inc ecx; mov edx,[esi]; add [edi],ebp;"; done
queue "$text"
for i in 1 2 3 4; do text="$text imul eax,eax; imul eax,eax; imul eax,eax; imul eax,eax; imul eax,eax; imul eax,eax;"; done
queue "$text"
