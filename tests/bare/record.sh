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
# What a machine's record is without.
# refuses TITLE TEXT OPTIONS...
refuses() {
	local title=$1 text=$2 rc
	shift 2
	record "$@"
	rc=$?
	[ $rc = 125 ] && grep -q -e "$text" "$work/err" && ok || bad "$title: status $rc: $(head -n 1 "$work/err")"
}
refuses "one mode" "has both modes" -e instructions:u --code nop
refuses "calls" "--stacks on: of a machine" --stacks on --code nop
refuses "a program" "runs no program" --code nop -- ls
refuses "no such list" "No such file" --kallsyms "$work/none" --code nop
refuses "a list without names" "no line has an address" --kallsyms /dev/null --code nop
refuses "names of a program" "names the code of" --kallsyms "$work/symbols" -- true
finish
