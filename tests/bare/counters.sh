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
# CESR: instructions of both modes in counter 0, of a Pentium with MMX.
says "CESR" 4 --cpu pentium-mmx --mode protected32 -e instructions --code "$(select_ 0xd6 0x11); xor ecx, ecx; nop; nop; rdpmc; $show"
# The other family's registers are none here: QEMU ignores what is written and reads 0, as with any MSR that it does not know.
says "CESR of a P6" 0 --mode protected32 -e instructions --code "$(select_ 0xd6 0x11); mov al, 1; rdmsr; $show"
says "PerfEvtSel0 of a Pentium" 0 --cpu pentium-mmx --mode protected32 -e instructions --code "$(select_ 0x4300c0); mov al, 1; rdmsr; $show"
# Modes by privilege level: the whole of a loop at CPL 3.
timeout 60 "$SOFTPMU" bare -q -x, --qemu "$qemu" -e instructions,instructions:u,instructions:k --mode ring3 \
	--code 'mov ecx, 1000; l: push eax; pop ebx; dec ecx; jnz l; nop' >/dev/null 2>"$work/out" </dev/null
[ "$(cut -d, -f1,3 "$work/out" | tr '\n' ' ')" = "4002,instructions 4002,instructions:u 0,instructions:k " ] && ok || bad "a loop at CPL 3: $(cut -d, -f1,3 "$work/out" | tr '\n' ' ')"
# A counter whose event needs clocks stands still, and the report says so.
timeout 60 "$SOFTPMU" bare --qemu "$qemu" -e instructions --mode protected32 --code "$(select_ 0x430079); xor ecx, ecx; rdpmc; $show" >/dev/null 2>"$work/out" </dev/null
grep -qi 'asked for CPU_CLK_UNHALTED' "$work/out" && ok || bad "an event that needs clocks: $(tail -n 4 "$work/out" | tr '\n' '|')"
finish
