#!/bin/bash
# walks.sh -- the tables of a machine, with the QEMU of `make bare`: walks, flushes, INVLPG, large and global pages, frames.
. "$(dirname "$0")/../lib.sh"

qemu=${SOFTPMU_QEMU:-${SOFTPMU_QEMU_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/softpmu/qemu}/qemu-system-i386}
[ -x "$qemu" ] || { skip "tables of a machine: no QEMU with counters here; make bare builds it"; finish; }
ld -V 2>/dev/null | grep -q elf_i386 || { skip "softpmu bare: the linker knows no i386 code"; finish; }

# count NAME CODE OPTIONS...: the numbers of the events into a file
count() {
	timeout 60 "$SOFTPMU" bare -q -x, --qemu "$qemu" --mode protected32 "${@:3}" --code "$2" 2>"$work/$1.out" >/dev/null </dev/null
	cut -d, -f1 "$work/$1.out" | paste -sd' ' >"$work/$1"
}
# more TITLE 'EVENT=N ...' FEW MANY OPTIONS...: what MANY counts more than FEW
more() {
	local title=$1 wanted=$2 few=() many=() got="" i
	count few "$3" "${@:5}" -e "$(sed 's/=[^ ]*//g; s/ /,/g' <<<"$2")" &
	count many "$4" "${@:5}" -e "$(sed 's/=[^ ]*//g; s/ /,/g' <<<"$2")"
	wait
	read -ra few <"$work/few"
	read -ra many <"$work/many"
	for i in "${!many[@]}"; do got+=" $((many[i] - few[i]))"; done
	[ "${got# }" = "$(sed 's/[^ =]*=//g' <<<"$wanted")" ] && ok || bad "$title: $wanted predicted, counted$got $(head -n 1 "$work/many.out")"
}
# turns TITLE 'EVENT=N ...' SETUP TURN OPTIONS...: what ten more turns count
turns() {
	more "$1" "$2" "$start; $3; $(loop 10 "$4")" "$start; $3; $(loop 20 "$4")" "${@:5}"
}
# loop N TURN: the code of the page at 9000H, alone in it
loop() { echo "mov ecx, $1; jmp l; .org 0x1400; l: $2; dec ecx; jnz l"; }
# reach N [FIRST STEP OPERATION]: N pages, each in a line of its own number
reach() {
	local i
	for ((i = 0; i < $1; i++)); do printf '%s; ' "$(printf "${4:-mov eax, [0x%x]}" $((${2:-0x200000} + i * (${3:-4096} + 32))))"; done
	echo nop
}
# The directory lies at 100000H; a table at 101000H maps the first 4 MB to themselves.
start='cld; mov edi, 0x100000; xor eax, eax; mov ecx, 1024; rep stosd; mov edi, 0x101000; mov eax, 3; mov ecx, 1024
	t: stosd; add eax, 0x1000; dec ecx; jnz t; mov dword ptr [0x100000], 0x101003; mov ebx, 0x100000; mov cr3, ebx'
on='mov eax, cr0; or eax, 0x80000000; mov cr0, eax; jmp p; p:'
pse='mov eax, cr4; or eax, 0x10; mov cr4, eax'
pge='mov eax, cr4; or eax, 0x80; mov cr4, eax'
# large N STEP: N large pages, each to 400000H
large() {
	local i
	for ((i = 0; i < $1; i++)); do printf 'mov dword ptr [0x%x], 0x400083; ' $((0x100004 + 4 * i * ${2:-1})); done
	echo "$pse"
}

# A walk is two loads of L2 on a P6, and so is that of the code's page.
turns "eight pages" "l2_ld=0 itlb_miss=0" "$on" "$(reach 8)"
turns "a load of CR3" "l2_ld=$((20 * 9)) itlb_miss=10" "$on" "mov cr3, ebx; $(reach 8)"
turns "without paging" "l2_ld=0 itlb_miss=0" nop "mov cr3, ebx; $(reach 8)"
turns "a load of CR3 on a Pentium" "r02=80 r0d=10" "$on" "mov cr3, ebx; $(reach 8)" --cpu pentium
turns "a load of CR3 on a Pentium with MMX" "r02=80 r0d=10" "$on" "mov cr3, ebx; $(reach 8)" --cpu pentium-mmx
turns "INVLPG" "l2_ld=$((20 * 1)) itlb_miss=0" "$on; $(reach 8)" "invlpg [0x202040]; $(reach 8)"
turns "INVLPG on a Pentium" "r02=10" "$on; $(reach 8)" "invlpg [0x202040]; $(reach 8)" --cpu pentium
turns "with clocks" "l2_ld=$((20 * 9)) itlb_miss=10 cycles:u=0" "$on" "mov cr3, ebx; $(reach 8)"
# Of eight pages the first five are global.
g=$(for i in 0 1 2 3 4; do printf 'or dword ptr [0x%x], 0x100; ' $((0x101800 + 4 * i)); done; echo "$pge")
turns "global pages" "l2_ld=$((20 * 4)) itlb_miss=10" "$g; $on" "mov cr3, ebx; $(reach 8)"
turns "global pages and INVLPG" "l2_ld=$((20 * 5))" "$g; $on" "mov cr3, ebx; invlpg [0x200000]; $(reach 8)"
turns "global pages without PGE" "l2_ld=$((20 * 9))" "${g%mov eax, cr4*}; $on" "mov cr3, ebx; $(reach 8)"
turns "PGE changes" "l2_ld=$((20 * 9))" "$g; $on; mov edx, cr4" "xor edx, 0x80; mov cr4, edx; $(reach 8)"
# A large page: one entry, one load. Five in one set of four ways: each goes before it comes again.
turns "a large page" "l2_ld=$((10 + 20)) itlb_miss=10" "$(large 1); $on" "mov cr3, ebx; $(reach 8 0x400000)"
turns "a large page on a Pentium" "r02=10" "$(large 1); $on" "mov cr3, ebx; $(reach 8 0x400000)" --cpu pentium
turns "a large page on a Pentium with MMX" "r02=10" "$(large 1); $on" "mov cr3, ebx; $(reach 8 0x400000)" --cpu pentium-mmx
turns "four large pages of a set" "l2_ld=0" "$(large 4 2); $on" "$(reach 4 0x400000 0x800000)"
turns "five large pages of a set" "l2_ld=50" "$(large 5 2); $on" "$(reach 5 0x400000 0x800000)"
turns "INVLPG of a large page" "l2_ld=10" "$(large 1); $on" "invlpg [0x600000]; $(reach 8 0x400000)"
# A page at another address is in the same lines; another page at the same address is not.
lines() { reach 16 "$1" 0; }
alias="mov dword ptr [0x101840], 0x220003; $on"
more "two addresses of a frame" "dcu_lines_in=0" "$start; $alias; $(lines 0x220000); mov eax, [0x210000]" "$start; $alias; $(lines 0x220000); $(lines 0x210000)"
to='mov dword ptr [0x101840], 0x230003; invlpg [0x210000]'
more "another frame at an address" "dcu_lines_in=15" "$start; $alias; $(lines 0x210000); $to; mov eax, [0x210000]" "$start; $alias; $(lines 0x210000); $to; $(lines 0x210000)"
more "two addresses of a frame on a Pentium" "r03=0" "$start; $alias; $(lines 0x220000); mov eax, [0x210000]" "$start; $alias; $(lines 0x220000); $(lines 0x210000)" --cpu pentium
more "another frame at an address on a Pentium" "r03=15" "$start; $alias; $(lines 0x210000); $to; mov eax, [0x210000]" "$start; $alias; $(lines 0x210000); $to; $(lines 0x210000)" --cpu pentium
# Bits that walks set are locked sequences of a Pentium: accessed by a read, dirty by a write, both by one write.
more "accessed bits" "r1c=8" "$start; $on; nop" "$start; $on; $(reach 8)" --cpu pentium
more "dirty bits" "r1c=8" "$start; $on; $(reach 8)" "$start; $on; $(reach 8); $(reach 8 0x200000 4096 'mov [0x%x], eax')" --cpu pentium
finish
