#!/bin/bash
# record.sh -- softpmu record of a machine: counts by address, names from a list of symbols, and what it refuses.
. "$(dirname "$0")/../lib.sh"

command -v qemu-system-i386 >/dev/null || { skip "softpmu bare: there is no qemu-system-i386"; finish; }
ld -V 2>/dev/null | grep -q elf_i386 || { skip "softpmu bare: the linker knows no i386 code"; finish; }

# MOV has 3 bytes in 16-bit code, LOOP 2, NOP 1: the first loop is at 8003H, the second MOV at 8005H, the second loop at 8008H.
code='mov cx, 1000; l: loop l; mov cx, 500; m: nop; loop m'
cat >"$work/symbols" <<'X'
[    0.000000] Linux version 6.1, and other words of a console
00000000 T nowhere
00008000 T first
00008000 t other
00008003 D data_is_no_code
00008005 T second	[module]
00009000 T behind
X
# record OPTIONS...: the status is that of softpmu
record() { timeout 60 "$SOFTPMU" record -q -o "$work/rec" "$@" >/dev/null 2>"$work/err" </dev/null; }
record -e instructions,br_taken_retired --kallsyms "$work/symbols" --code "$code" && ok || bad "record: $(head -n 1 "$work/err")"
# row BY NAME: the two counts of the row
row() {
	"$SOFTPMU" report --by "$1" --json "$work/rec" 2>/dev/null | tr -d ' \n' | grep -o '{"[^{}]*"counts":{[^{}]*}' | grep -F "\"$1\":\"$2\"" |
		sed 's/.*"instructions":\([0-9]*\),"br_taken_retired":\([0-9]*\).*/\1 \2/'
}
while read -r by name counts; do
	got=$(row "$by" "$name")
	[ "$got" = "$counts" ] && ok || bad "$by $name: $counts predicted, $got counted"
done <<'X'
function first 1 0
function second 1001 499
function [nosymbol] 1000 999
object [anon] 2002 1498
X
# Names from the symbol table of a kernel, as an ELF file: the same code, at the same addresses.
cat >"$work/vmlinux.s" <<'X'
.code16
.globl first, second
first:	mov $1000, %cx
1:	loop 1b
second:	mov $500, %cx
2:	nop
	loop 2b
end_of_code: nop
.data
data_is_no_code: .long 0
X
as --32 -o "$work/vmlinux.o" "$work/vmlinux.s" && ld -m elf_i386 -Ttext 0x8000 -e first -o "$work/vmlinux" "$work/vmlinux.o"
record -e instructions,br_taken_retired --vmlinux "$work/vmlinux" --code "$code" && ok || bad "record --vmlinux: $(head -n 1 "$work/err")"
while read -r by name counts; do
	got=$(row "$by" "$name")
	[ "$got" = "$counts" ] && ok || bad "--vmlinux, $by $name: $counts predicted, $got counted"
done <<'X'
function first 1001 999
function second 1001 499
X
# One mode: where the QEMU of `make bare` tells privilege levels. 17 instructions up to IRET and ten times NOP, IRET are of level 0, MOV and
# ten times INT, DEC, JNZ of level 3; no row has both.
with_counters=${SOFTPMU_QEMU:-${SOFTPMU_QEMU_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/softpmu/qemu}/qemu-system-i386}
rings='mov eax, 0x28; ltr ax; mov dword ptr [0x50004], 0x7000; mov dword ptr [0x50008], 0x10; mov eax, offset h; mov [0x60400], ax
	mov dword ptr [0x60402], 0xee000008; mov word ptr [0x60406], 0; mov word ptr [0x70000], 0x7ff; mov dword ptr [0x70002], 0x60000
	lidt [0x70000]; push 0x23; push 0x6800; push 0x3002; push 0x1b; push offset u; iretd; h: nop; iretd
	u: mov ecx, 10; l: int 0x80; dec ecx; jnz l'
if [ -x "$with_counters" ]; then
	record --qemu "$with_counters" -e instructions:u,instructions:k --kallsyms "$work/symbols" --mode protected32 --code "$rings" && ok ||
		bad "record of modes: $(head -n 1 "$work/err")"
	"$SOFTPMU" report --by object --json "$work/rec" | tr -d ' \n' >"$work/modes"
	grep -q '"instructions:u":31,"instructions:k":37' "$work/modes" && ok || bad "modes: 31 and 37 predicted, $(grep -o '"instructions:u":[0-9]*,"instructions:k":[0-9]*' "$work/modes" | head -n 1)"
	"$SOFTPMU" report --by address --json "$work/rec" | tr -d ' \n' | grep -o '"instructions:u":[0-9]*,"instructions:k":[0-9]*' >"$work/modes"
	[ "$(grep -c '' "$work/modes")" -gt 20 ] && ! grep -q '[1-9][0-9]*,"instructions:k":[1-9]' <(sed 1d "$work/modes") && ok || bad "a row of both modes: $(head -n 3 "$work/modes")"
	record --qemu "$with_counters" -e instructions --os 0 --mode protected32 --code "$rings" && "$SOFTPMU" report --by object --json "$work/rec" |
		tr -d ' \n' | grep -q '"instructions:u":31' && ok || bad "record --os 0: $(head -n 1 "$work/err")"
	# A record tells modes apart by its ledger, `bare` by what counts while each runs: every event of both modes agrees. The program goes to level 3
	# and back by INT and UD2; both modes have loads, stores over two lines, and user mode REP STOS, x87 and IMUL.
	busy="${rings%%push 0x23*}mov eax, offset f; mov [0x60030], ax; mov dword ptr [0x60032], 0xee000008; mov word ptr [0x60036], 0
		push 0x23; push 0x6800; push 0x3002; push 0x1b; push offset u; iretd
		h: push ecx; mov ecx, 64; mov esi, 0x20001; k: mov eax, [esi]; mov [esi+0x8003], eax; add esi, 64; dec ecx; jnz k; pop ecx; iretd
		f: add dword ptr [esp], 2; iretd
		u: mov ecx, 30; l: push ecx; mov edi, 0x30000; mov ecx, 100; rep stosd; mov eax, [0x20002]; pop ecx; test cl, 1; jz m; int 0x80
		m: ud2; imul eax, ecx; fld1; fadd st, st; fstp st; dec ecx; jnz l"
	for cpu in pentium3 pentium-mmx; do
		timeout 60 "$SOFTPMU" bare -q --qemu "$with_counters" --cpu $cpu --all --tier 2 -x, -o "$work/all" --code nop >/dev/null 2>&1 </dev/null
		list=$(awk -F, '$1 ~ /^[0-9]/ { print tolower($3) ":u," tolower($3) ":k" }' "$work/all" | paste -sd,)
		timeout 60 "$SOFTPMU" bare -q --qemu "$with_counters" --cpu $cpu -e "$list" -x, -o "$work/all" --mode protected32 --code "$busy" >/dev/null 2>&1 </dev/null
		record --qemu "$with_counters" --cpu $cpu -e "$list" --mode protected32 --code "$busy" || bad "record of every event: $(head -n 1 "$work/err")"
		"$SOFTPMU" report --by object --json "$work/rec" | tr -d ' \n' | grep -o '"totals":{[^{}]*}' | grep -o '"[^"]*:[uk]":[0-9]*' | tr -d '"' |
			sed 's/\(.*\):/\1 /' | sort >"$work/ledger"
		awk -F, '$1 ~ /^[0-9]/ { print $3, $1 }' "$work/all" | sort >"$work/by_time"
		[ "$(awk '$1 ~ /:u$/ && $2 > 0' "$work/by_time" | grep -c '')" -gt 10 ] && cmp -s "$work/ledger" "$work/by_time" && ok ||
			bad "modes of $cpu: $(diff "$work/ledger" "$work/by_time" | head -n 9 | tr '\n' ' ')"
	done
else
	skip "modes of a machine's record: make bare builds the QEMU that tells them"
fi
# What a machine's record is without.
# refuses TITLE TEXT OPTIONS...
refuses() {
	local title=$1 text=$2 rc
	shift 2
	record "$@"
	rc=$?
	[ $rc = 125 ] && grep -q -e "$text" "$work/err" && ok || bad "$title: status $rc: $(head -n 1 "$work/err")"
}
refuses "calls" "--stacks on: of a machine" --stacks on --code nop
refuses "a program" "runs no program" --code nop -- ls
refuses "no such list" "No such file" --kallsyms "$work/none" --code nop
refuses "a list without names" "no line has an address" --kallsyms /dev/null --code nop
refuses "names of a program" "names the code of" --kallsyms "$work/symbols" -- true
refuses "a kernel that is none" "no ELF file for i386" --vmlinux "$work/symbols" --code nop
strip -o "$work/stripped" "$work/vmlinux" && refuses "a kernel without symbols" "has no symbols of code" --vmlinux "$work/stripped" --code nop
refuses "a mode of a program" "of a machine" --os 0 -- true
refuses "two lists" "leave one of them away" --vmlinux "$work/vmlinux" --kallsyms "$work/symbols" --code nop
refuses "vmlinux of a program" "names the code of" --vmlinux "$work/vmlinux" -- true
finish
