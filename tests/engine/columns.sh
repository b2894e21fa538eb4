#!/bin/bash
# columns.sh -- one run for several processors: a column is what a run of its own counts under the same CPUID.
. "$(dirname "$0")/lib.sh"

events=instructions,branches,data_read,data_write,data_read_miss,data_tlb_miss,data_mem_refs,dcu_lines_in,uops_retired,l2_ifetch

# compare TITLE COMMAND...
compare() {
	local title=$1 cpu column=0 list
	shift
	"$SOFTPMU" stat -o "$work/all" --env clean --cpu pentium,pentium-mmx,pentium3 -e $events -- "$@" >/dev/null 2>&1 </dev/null
	for cpu in pentium pentium-mmx pentium3; do
		column=$((column + 1))
		awk -v c=$column 'NF == 4 && $c ~ /^[0-9]+$/ { print $4, $c }' "$work/all" >"$work/column"
		list=$(cut -d' ' -f1 "$work/column" | paste -sd,)
		"$SOFTPMU" stat -x, -o "$work/csv" --env clean --cpu $cpu --cpuid pentium -e "$list" -- "$@" >/dev/null 2>&1 </dev/null
		awk -F, '$3 != "" { print $3, $1 }' "$work/csv" >"$work/alone"
		if [ "$(wc -l <"$work/column")" -ge 6 ] && cmp -s "$work/column" "$work/alone"; then
			ok
		else
			bad "$title: $cpu: $(diff "$work/column" "$work/alone" | head -n 4 | tr '\n' ' ')"
		fi
	done
}

seq 1 3000 | awk '{ print $1 * 7919 % 10007, "text" }' >"$work/text"
compare "sort" sort -n "$work/text"
compare "processes" sh -c 'sort -n "$0"; ls /; cat "$0"' "$work/text"

"$SOFTPMU" stat --cpu pentium,pentium3 -e instructions -- true >"$work/out" 2>&1
grep -q 'pentium never had' "$work/out" && ok || bad "says nothing of instructions that came later"
"$SOFTPMU" stat --cpu pentium,pentium3 -r 2 -- true >"$work/out" 2>&1
[ $? = 125 ] && grep -q 'are for one processor' "$work/out" && ok || bad "-r with several processors is not refused"
# The program sees the first processor.
cat >"$work/cpuid.c" <<'E'
int test_main(void) { unsigned a = 1, b, c, d; __asm__("cpuid" : "+a"(a), "=b"(b), "=c"(c), "=d"(d)); return a >> 8 & 15; }
E
bare "$work/cpuid" "$work/cpuid.c" 2>/dev/null
for cpus in pentium,pentium3:5 pentium3,pentium:6; do
	"$SOFTPMU" stat --cpu ${cpus%:*} -e instructions -- "$work/cpuid" >/dev/null 2>&1
	[ $? = ${cpus#*:} ] && ok || bad "--cpu ${cpus%:*}: the program does not see the first"
done
finish
