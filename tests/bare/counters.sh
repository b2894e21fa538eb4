#!/bin/bash
# counters.sh -- the counters inside a machine, with the QEMU of `make bare`: registers, what RDPMC reads, faults, modes.
. "$(dirname "$0")/../lib.sh"

qemu=${SOFTPMU_QEMU:-${SOFTPMU_QEMU_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/softpmu/qemu}/qemu-system-i386}
[ -x "$qemu" ] || { skip "counters inside a machine: no QEMU with counters here; make bare builds it"; finish; }
ld -V 2>/dev/null | grep -q elf_i386 || { skip "softpmu bare: the linker knows no i386 code"; finish; }

# says TITLE TEXT OPTIONS...: what the machine writes on its console
says() {
	local title=$1 text=$2
	shift 2
	timeout 60 "$SOFTPMU" bare -q -x, --qemu "$qemu" -o "$work/out" "$@" >"$work/console" 2>"$work/err" </dev/null
	[ "$(sed 's/.*Hard Disk\.*//; /^ *$/d' "$work/console" | tail -n 1 | tr -d '\r')" = "$text" ] && ok ||
		bad "$title: '$text' expected, $(tail -c 60 "$work/console" | tr '\n' '|') $(head -n 1 "$work/err")"
}
# a digit of EAX on the console
show='add al, 48; mov dx, 0x3f8; out dx, al'
# select VALUE [MSR]: writes it
select_() { echo "mov ecx, ${2:-0x186}; xor edx, edx; mov eax, $1; wrmsr"; }
# The instructions from the WRMSR that begins it to the RDPMC, which does not see itself.
for mode in real protected16 protected32; do
	says "RDPMC, $mode" 5 --mode $mode -e instructions --code "$(select_ 0x4300c0); xor ecx, ecx; nop; nop; nop; rdpmc; $show"
done
says "the second counter" 7 --mode protected32 -e instructions --code "$(select_ 0x4300c0); $(select_ 0x0300c0 0x187); mov ecx, 1
	nop; nop; nop; nop; nop; rdpmc; $show"
says "RDMSR" 4 --mode protected32 -e instructions --code "$(select_ 0x4300c0); mov ecx, 0xc1; nop; nop; rdmsr; $show"
says "loads" 6 --mode protected32 -e instructions --code "$(select_ 0x430043); mov ecx, 3; l: push eax; pop ebx; loop l; xor ecx, ecx; rdpmc; $show"
says "both counters stand without EN" 0 --mode protected32 -e instructions --code "$(select_ 0x0300c0); nop; nop; xor ecx, ecx; rdpmc; $show"
# A counter takes 32 bits and the copies of bit 31: -3, and 3 instructions behind it.
says "a counter that is written" 1 --mode protected32 -e instructions --code "$(select_ 0x4300c0); mov ecx, 0xc1; xor edx, edx; mov eax, -3
	wrmsr; nop; xor ecx, ecx; nop; rdpmc; $show"
says "its upper half" 255 --mode protected32 -e instructions --code "mov ecx, 0xc1; xor edx, edx; mov eax, 0x80000000; wrmsr; rdmsr
	mov eax, edx; mov bl, 10; xor ah, ah; div bl; push eax; xor ah, ah; div bl; add al, 48; mov ah, al; mov al, ah; mov dx, 0x3f8; out dx, al
	pop eax; push eax; xor ah, ah; div bl; mov al, ah; add al, 48; out dx, al; pop eax; mov al, ah; add al, 48; out dx, al"
# Faults: the handler writes F.
fault='mov word ptr [13 * 4], offset h; mov word ptr [13 * 4 + 2], 0; mov word ptr [6 * 4], offset u; mov word ptr [6 * 4 + 2], 0'
ends="jmp e; h: mov al, 70; jmp o; u: mov al, 85; o: mov dx, 0x3f8; out dx, al; e:"
says "RDPMC of counter 2" F -e instructions --code "$fault; mov ecx, 2; rdpmc; $show; $ends"
says "RDPMC of counter 10000H" F -e instructions --code "$fault; mov ecx, 0x10000; rdpmc; $show; $ends"
says "a reserved bit" F -e instructions --code "$fault; $(select_ 0x6300c0); $show; $ends"
says "RDPMC of a Pentium" U --cpu pentium -e instructions --code "$fault; xor ecx, ecx; rdpmc; $show; $ends"
says "RDPMC of a Pentium with MMX" 0 --cpu pentium-mmx -e instructions --code "$fault; xor ecx, ecx; rdpmc; $show; $ends"
# Without PCE a program may not: the machine, which has no handler, ends there. The instruction that ends a machine counts.
timeout 60 "$SOFTPMU" bare -q -x, --qemu "$qemu" -e instructions --mode ring3 --code 'nop; xor ecx, ecx; rdpmc; nop; nop; nop' >/dev/null 2>"$work/out" </dev/null
[ "$(cut -d, -f1 "$work/out")" = 3 ] && ok || bad "RDPMC at CPL 3 without PCE: $(head -n 1 "$work/out")"
# RDPMC in each mode, with and without PCE, with ECX 0, 1, 2 and 10000H: 48 cases; LOCK; RDTSC and TSD (rdpmc.s).
table=$(cat tests/bare/rdpmc.s)
low=35GG35GGUTT high=GGGG35GGUTG
says "the table of RDPMC" "$low $high $low $high $low $high" -e instructions --code "$table"
says "the table of RDPMC, Pentium with MMX" "$low $high $low $high $low $high" --cpu pentium-mmx -e instructions --code "$table"
low=UUUUUUUUUTT high=UUUUUUUUUTG
says "the table of RDPMC, Pentium" "$low $high $low $high $low $high" --cpu pentium -e instructions --code "$table"
# CESR: instructions of both modes in counter 0, of a Pentium with MMX.
says "CESR" 4 --cpu pentium-mmx --mode protected32 -e instructions --code "$(select_ 0xd6 0x11); xor ecx, ecx; nop; nop; rdpmc; $show"
# The other family's registers are none here: QEMU ignores what is written and reads 0, as with any MSR that it does not know.
says "CESR of a P6" 0 --mode protected32 -e instructions --code "$(select_ 0xd6 0x11); mov al, 1; rdmsr; $show"
says "PerfEvtSel0 of a Pentium" 0 --cpu pentium-mmx --mode protected32 -e instructions --code "$(select_ 0x4300c0); mov al, 1; rdmsr; $show"
# Modes by privilege level: the whole of a loop at CPL 3.
timeout 60 "$SOFTPMU" bare -q -x, --qemu "$qemu" -e instructions,instructions:u,instructions:k --mode ring3 \
	--code 'mov ecx, 1000; l: push eax; pop ebx; dec ecx; jnz l; nop' >/dev/null 2>"$work/out" </dev/null
[ "$(cut -d, -f1,3 "$work/out" | tr '\n' ' ')" = "4002,instructions 4002,instructions:u 0,instructions:k " ] && ok || bad "a loop at CPL 3: $(cut -d, -f1,3 "$work/out" | tr '\n' ' ')"
# CPL 1 is the user's on a P6 (USR) and the kernel's on a Pentium (CC): nine instructions lead there, three run.
ring1='jmp s; .balign 8; g: .quad 0; .long 0xffff, 0xcf9a00, 0xffff, 0xcf9200, 0xffff, 0xcfba00, 0xffff, 0xcfb200; d: .word 39; .long g
	s: lgdt [d]; push 0x3002; popfd; push 0x21; push esp; push 0x19; push offset t; retf; t: nop; nop; nop'
for one in "pentium3 12 3 9" "pentium-mmx 12 0 12"; do
	timeout 60 "$SOFTPMU" bare -q -x, --qemu "$qemu" --cpu "${one%% *}" -e instructions,instructions:u,instructions:k --mode protected32 --code "$ring1" \
		>/dev/null 2>"$work/out" </dev/null
	[ "$(cut -d, -f1 "$work/out" | tr '\n' ' ')" = "${one#* } " ] && ok || bad "CPL 1 of a ${one%% *}: ${one#* } predicted, $(cut -d, -f1 "$work/out" | tr '\n' ' ')"
done
# The time-stamp counter of 2 ns an instruction: 10,000 of them are 9,000 clocks of 450 MHz, 4,000 of 200 MHz. MSR 10H is it; a P6 takes 32 bits.
tsc='rdtsc; mov ebx, eax; mov ecx, 4999; l: dec ecx; jnz l; rdtsc; sub eax, ebx; mov ecx, 1000; xor edx, edx; div ecx'
says "RDTSC" 9 --mode protected32 -e instructions --code "$tsc; $show"
says "RDTSC of 200 MHz" 4 --cpu pentiumpro --mode protected32 -e instructions --code "$tsc; $show"
tsc='mov ecx, 0x10; mov eax, -1; mov edx, 7; wrmsr; .fill 20, 1, 0x90; rdmsr; mov eax, edx'
says "a P6's time stamp that is written" 1 --mode protected32 -e instructions --code "$tsc; $show"
says "a Pentium's" 8 --cpu pentium --mode protected32 -e instructions --code "$tsc; $show"
# Interrupts: those of a clock that HLT waits for, counted by their handler and by the events of both families.
# counts TITLE EVENTS OPTIONS...: one number for each event into $work/counts
counts() {
	local title=$1 events=$2
	shift 2
	timeout 60 "$SOFTPMU" bare -q -x, --qemu "$qemu" -e "$events" "$@" >/dev/null 2>"$work/out" </dev/null
	cut -d, -f1 "$work/out" | tr '\n' ' ' >"$work/counts"
	[ "$(wc -w <"$work/counts")" = "$(tr ',' ' ' <<<"$events" | wc -w)" ] || bad "$title: $(head -n 1 "$work/out")"
}
ticks='mov word ptr [32], offset h; mov word ptr [34], 0; xor bx, bx; mov al, 0xfe; out 0x21, al
	l: sti; hlt; cli; cmp bx, 10; jb l; jmp e; h: inc bx; mov al, 0x20; out 0x20, al; iret; e:'
for one in pentium3:hw_int_rx pentium:r27 pentium-mmx:r27; do
	in_turn || [ $one = pentium3:hw_int_rx ] || continue
	counts "ticks" "${one#*:}" --cpu "${one%:*}" --code "$ticks"
	[ "$(cat "$work/counts")" = "10 " ] && ok || bad "10 interrupts on ${one%:*}: $(cat "$work/counts")"
done
# Without CLI's counterpart all clocks are masked; with STI those of a loop are not, and with a clock that ticks behind 84 us one waits.
all=cycles,cycles_int_masked,cycles_int_pending_and_masked,hw_int_rx
counts "masked" $all --code 'mov ecx, 1000; l: dec ecx; jnz l'
read -r cycles masked waiting taken <"$work/counts"
[ "$cycles" = "$masked" ] && [ "$waiting $taken" = "0 0" ] && ok || bad "interrupts off: $(cat "$work/counts")"
# grew TURNS1 TURNS2 CODE: how much each count grows from the one number of turns to the other, into $work/counts
grew() {
	counts "grew" $all --code "${3/TURNS/$1}"
	cp "$work/counts" "$work/before"
	counts "grew" $all --code "${3/TURNS/$2}"
	paste -d' ' <(tr ' ' '\n' <"$work/before") <(tr ' ' '\n' <"$work/counts") | awk 'NF == 2 { printf "%d ", $2 - $1 }' >"$work/grown"
}
grew 1000 3000 'mov al, 0xff; out 0x21, al; sti; mov ecx, TURNS; l: dec ecx; jnz l; cli'
read -r cycles masked waiting taken <"$work/grown"
[ "$cycles" -ge 2000 ] && [ "$masked $waiting $taken" = "0 0 0" ] && ok || bad "a loop with interrupts on: $(cat "$work/grown")"
grew 100000 101000 'mov word ptr [32], offset h; mov word ptr [34], 0; mov al, 0x34; out 0x43, al; mov al, 100; out 0x40, al; mov al, 0; out 0x40, al
	mov al, 0xfe; out 0x21, al; mov ecx, TURNS; l: dec ecx; jnz l; sti; nop; nop; cli; jmp e; h: mov al, 0x20; out 0x20, al; iret; e:'
read -r cycles masked waiting taken <"$work/grown"
[ "$cycles" -ge 1000 ] && [ "$masked $waiting $taken" = "$cycles $cycles 0" ] && ok || bad "a loop while one waits: $(cat "$work/grown")"
read -r cycles masked waiting taken <"$work/counts"
[ "$taken" -ge 1 ] && [ "$waiting" -lt "$masked" ] && [ "$masked" -lt "$cycles" ] && ok || bad "one waits: $(cat "$work/counts")"
# The interrupt of a counter at -50 that counts instructions, WRMSR included: behind 49 NOPs, and one that has begun.
says "an overflow's interrupt" 50 --mode protected32 -e instructions --code "mov eax, offset h; mov [0x60200], ax; mov dword ptr [0x60202], 0xee000008
	mov word ptr [0x60206], 0; mov word ptr [0x70000], 0x7ff; mov dword ptr [0x70002], 0x60000; lidt [0x70000]
	mov dword ptr [0xfee000f0], 0x1ff; mov dword ptr [0xfee00340], 0x40; mov al, 0xff; out 0x21, al; sti
	mov ecx, 0xc1; xor edx, edx; mov eax, -50; wrmsr; $(select_ 0x5300c0)
	f: .fill 200, 1, 0x90; cli; mov al, 78; jmp o; h: pop eax; sub eax, offset f; aam; xchg al, ah; add eax, 0x3030
	mov dx, 0x3f8; out dx, al; mov al, ah; o: mov dx, 0x3f8; out dx, al"
# A counter whose event needs clocks stands still, and the report says so.
timeout 60 "$SOFTPMU" bare --qemu "$qemu" -e instructions --mode protected32 --code "$(select_ 0x430079); xor ecx, ecx; rdpmc; $show" >/dev/null 2>"$work/out" </dev/null
grep -qi 'asked for CPU_CLK_UNHALTED' "$work/out" && ok || bad "an event that needs clocks: $(tail -n 4 "$work/out" | tr '\n' '|')"
finish
