# each width is reached and never passed: instructions and micro-ops decoded, renamed, dispatched, on one port, retired in a clock
widths() {
	softpmu asm --cpu pentium3 --json "$1" | jq -r '.lines as $l | [$l[].uops[]] as $u | def most(f): group_by(f) | map(length) | max;
		[([$l[].uops[0].decode] | most(.)), ($u | most(.decode)), ($u | most(.rename)), ($u | most(.dispatch)),
		 ($u | most([.dispatch, .port])), ($u | most(.retire))] | map(tostring) | join(" ")'
}
widths 'add [esi],eax; inc ebx; inc edx; add [edi],eax; inc ebx; inc edx; inc ecx; inc ebp; inc eax'
widths 'imul ebx,esi,1; nop; nop; mov ecx,[ebx+64]; add eax,ebx; add edx,ebx; mov [ebx],ebx; inc ebp; inc edi; inc esi'
