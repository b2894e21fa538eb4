#!/bin/bash
# events.sh -- what no program of user mode causes, with the QEMU of `make bare`: interrupts, exceptions, changes of ring, HLT; CC of CESR.
. "$(dirname "$0")/../lib.sh"

qemu=${SOFTPMU_QEMU:-${SOFTPMU_QEMU_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/softpmu/qemu}/qemu-system-i386}
[ -x "$qemu" ] || { skip "events of a machine: no QEMU with counters here; make bare builds it"; finish; }
ld -V 2>/dev/null | grep -q elf_i386 || { skip "softpmu bare: the linker knows no i386 code"; finish; }

# counts TITLE 'EVENT=N ...' OPTIONS...; without events it runs the machine
counts() {
	local title=$1 wanted=$2 got
	shift 2
	[ -z "$wanted" ] || set -- -e "$(sed 's/=[^ ]*//g; s/ /,/g' <<<"$wanted")" "$@"
	timeout 60 "$SOFTPMU" bare -q -x, --qemu "$qemu" "$@" >"$work/console" 2>"$work/out" </dev/null
	got=$(cut -d, -f1 "$work/out" | paste -sd' ')
	[ -z "$wanted" ] || [ "$got" = "$(sed 's/[^ =]*=//g' <<<"$wanted")" ] && ok || bad "$title: $wanted predicted, counted $got"
}
# on TITLE TEXT: what the machine has written on its console
on() {
	[ "$(sed 's/.*Hard Disk\.*//; /^ *$/d' "$work/console" | tail -n 1 | tr -d '\r')" = "$2" ] && ok || bad "$1: '$2' expected on the console, $(tail -c 60 "$work/console")"
}
show='add al, 48; mov dx, 0x3f8; out dx, al'

# Interrupts need no clocks. Five ticks that HLT waits for: 5 instructions, 5 a turn, 4 of the handler, and one. On a Pentium each delivery is an
# instruction (16H) and a branch (12H) more, and loads CS (0FH); the branches are 5 JB, 5 IRET and JMP, and each IRET loads CS, too.
ticks='mov word ptr [32], offset h; mov word ptr [34], 0; xor bx, bx; mov al, 0xfe; out 0x21, al
	l: sti; hlt; cli; cmp bx, 5; jb l; jmp e; h: inc bx; mov al, 0x20; out 0x20, al; iret; e:'
counts "ticks" "hw_int_rx=5 instructions=51 segment_reg_loads=10" --code "$ticks"
counts "ticks on a Pentium" "r27=5 r16=56 r12=16 r0f=10 instructions:u=0" --cpu pentium-mmx --code "$ticks"
# A divide that faults: its delivery is one more of each, and the IRET loads CS.
fault='mov word ptr [0], offset h; mov word ptr [2], 0; xor dx, dx; xor bx, bx; div bx; nop; jmp e; h: pop ax; add ax, 2; push ax; iret; e: nop'
counts "a fault" "instructions=11 segment_reg_loads=2 hw_int_rx=0" --code "$fault"
counts "a fault on a Pentium" "r16=12 r12=3 r0f=2 r27=0" --cpu pentium --code "$fault"

# Lengths alone do not tell the width of this code; its second instruction crosses the end of a page, and counts once.
counts "the width of code" "instructions=5002 instructions:u=0" --mode protected32 --code 'mov ecx, 1000; jmp l; .org 0x13fa
	l: test eax, eax; mov esi, 0x12345678; nop; dec ecx; jnz l'

# Changes of ring: to CPL 3 by IRET, and back and forth by ten INT and by ten UD2. LTR and LIDT are loads of a Pentium's 0FH, and branches of
# its 12H. Each transfer loads CS, and counts once more where privilege changes.
rings='mov eax, 0x28; ltr ax; mov dword ptr [0x50004], 0x7000; mov dword ptr [0x50008], 0x10
	mov eax, offset h; mov [0x60400], ax; mov dword ptr [0x60402], 0xee000008; mov word ptr [0x60406], 0
	mov eax, offset f; mov [0x60030], ax; mov dword ptr [0x60032], 0xee000008; mov word ptr [0x60036], 0
	mov word ptr [0x70000], 0x7ff; mov dword ptr [0x70002], 0x60000; lidt [0x70000]
	push 0x23; push 0x6800; push 0x3002; push 0x1b; push offset u; iretd; h: iretd; f: add dword ptr [esp], 2; iretd
	u: mov ecx, 10; l: '
counts "INT" "instructions=$((22 + 40)) segment_reg_loads=$((2 + 40))" --mode protected32 --code "$rings int 0x80; dec ecx; jnz l"
counts "INT on a Pentium" "r16=$((22 + 40)) r12=$((3 + 30)) r0f=$((4 + 40))" --cpu pentium --mode protected32 --code "$rings int 0x80; dec ecx; jnz l"
counts "UD2" "instructions=$((22 + 40)) instructions:u=$((1 + 20)) instructions:k=$((21 + 20))" --mode protected32 --code "$rings ud2; dec ecx; jnz l"
counts "UD2 on a Pentium" "r16=$((22 + 50)) r12=$((3 + 30)) r0f=$((4 + 40))" --cpu pentium --mode protected32 --code "$rings ud2; dec ecx; jnz l"
# The same by switches, and by the group whose events are rabbit's "User mode vs. System mode".
counts "--os 0" "" -e instructions,br_inst_retired --os 0 --mode protected32 --code "$rings ud2; dec ecx; jnz l"
[ "$(cut -d, -f1,3 "$work/out" | tr '\n' ' ')" = "21,instructions:u 10,br_inst_retired:u " ] && ok || bad "--os 0: $(cut -d, -f1,3 "$work/out" | tr '\n' ' ')"
counts "--usr 0" "" -e instructions,br_inst_retired --usr 0 --mode protected32 --code "$rings ud2; dec ecx; jnz l"
[ "$(cut -d, -f1,3 "$work/out" | tr '\n' ' ')" = "41,instructions:k 11,br_inst_retired:k " ] && ok || bad "--usr 0: $(cut -d, -f1,3 "$work/out" | tr '\n' ' ')"
counts "user-system" "" -g user-system --mode protected32 --code "$rings ud2; dec ecx; jnz l"
for one in INST_RETIRED:u=21 INST_RETIRED:k=41 BR_INST_RETIRED:u=10 BR_INST_RETIRED:k=11; do
	grep -q "^${one#*=},,${one%=*}," "$work/out" && ok || bad "user-system: $one predicted, $(grep ",${one%=*}," "$work/out")"
done
for one in "--os 2|1 counts this mode" "--os 0 --usr 0|neither in user" "--os 0 -e instructions:k|it counts nothing"; do
	counts "bad" "" -e instructions ${one%|*} --code nop
	grep -q -e "${one#*|}" "$work/out" && ok || bad "${one%|*}: $(head -n 1 "$work/out")"
done

# Each CC of CESR, for code of level 0 and of level 3: 0 and 4 count nothing, 1 and 5 levels 0 to 2, 2 and 6 level 3, 3 and 7 all; from 4 on
# clocks. 16H: ten instructions of level 0, WRMSR the first, and four of level 3. 0FH, of which no two are in one clock: four of level 0 (three MOV, IRET),
# two changes of privilege, which are no instruction's, and two of level 3 (MOV, INT).
# cc CODE OF LEVEL 0, CODE OF LEVEL 3, EVENT: a digit for each CC
cc() {
	echo "${rings%%push 0x23*} mov eax, offset b; mov [0x60400], ax; xor esi, esi; n: mov ecx, 0x11; xor edx, edx; xor eax, eax; wrmsr; inc ecx; wrmsr
		mov ecx, 0x11; mov eax, esi; shl eax, 6; or al, $3; wrmsr; $1; push 0x23; push 0x6800; push 0x3002; push 0x1b; push offset v; iretd
		h: f: hlt; v: $2; int 0x80; b: xor ecx, ecx; rdpmc; mov esp, 0x7c00; $show; inc esi; cmp esi, 8; jb n"
}
counts "CC, instructions" "" -e r16:u --cpu pentium-mmx --mode protected32 --code "$(cc "nop; nop" "nop; nop; nop" 0x16)"
on "CC, instructions" "0:4>0000" # 10, 4, and 14
counts "CC, segments" "" -e cycles:u --cpu pentium-mmx --mode protected32 --code "$(cc "mov edi, 0; mov es, edi; mov es, edi; mov es, edi" "mov es, edi" 0x0f)"
on "CC, segments" "06280628"

# What the machine's counters say of interrupts is what is counted outside, without clocks.
counts "C8H inside" "hw_int_rx=5" --code "mov ecx, 0x186; xor edx, edx; mov eax, 0x4300c8; wrmsr; $ticks xor ecx, ecx; rdpmc; $show"
on "C8H inside" 5
# With clocks: C6H and 79H of a loop with interrupts off are one number, of more than a clock a turn.
counts "C6H inside" "" -e cycles --mode protected32 --code "mov ecx, 0x187; xor edx, edx; mov eax, 0x030079; wrmsr; dec ecx; mov eax, 0x4300c6; wrmsr
	mov ebx, 1000; l: dec ebx; jnz l; mov eax, 0x0300c6; wrmsr; mov ecx, 1; rdpmc; mov ebx, eax; dec ecx; rdpmc; cmp eax, 1000; jb w
	sub eax, ebx; jmp o; w: mov eax, 9; o: $show"
on "C6H inside" 0
# Without clocks they are no number, neither here nor there.
counts "C6H without clocks" "" -e instructions --code "mov ecx, 0x186; xor edx, edx; mov eax, 0x4300c6; wrmsr; xor ecx, ecx; rdpmc; $show"
on "C6H without clocks" 0
timeout 60 "$SOFTPMU" bare -q -x, --qemu "$qemu" --all --tier 2 --code nop >/dev/null 2>"$work/out" </dev/null
[ -s "$work/out" ] && ! grep -qi '^[0-9]*,,cycles_int' "$work/out" && ok || bad "C6H in tier 2: $(grep -i cycles_int "$work/out" | head -n 1)"

# HLT for 12 ms: the time-stamp counter runs, the clocks outside of halt stand still. 12 ms are 5.4 million clocks of 450 MHz.
halt='mov word ptr [32], offset h; mov word ptr [34], 0; mov al, 0x30; out 0x43, al; mov al, 0xee; out 0x40, al; mov al, 0x37; out 0x40, al
	mov al, 0xfe; out 0x21, al; rdtsc; mov ebx, eax; sti; hlt; cli; rdtsc; sub eax, ebx; xor edx, edx; mov ecx, 1000000; div ecx; jmp e
	h: push ax; mov al, 0x20; out 0x20, al; pop ax; iret; e:'
for one in pentium3:cycles:5 pentium-mmx:number_of_cycles_not_in_halt_state:2; do
	IFS=: read -r cpu event digit <<<"$one"
	timeout 60 "$SOFTPMU" bare -q -x, --qemu "$qemu" --cpu $cpu -e $event --code "$halt $show" >"$work/console" 2>"$work/out" </dev/null
	on "the time stamp of HLT, $cpu" $digit
	[ "$(cut -d, -f1 "$work/out")" -gt 30 ] && [ "$(cut -d, -f1 "$work/out")" -lt 10000 ] && ok || bad "clocks of HLT, $cpu: $(head -n 1 "$work/out")"
done
finish
