#!/bin/bash
# replay --from N --to N: a part of a run counts what the same interval of a run counts, for every machine of a pass;
# parts that follow each other sum up to the whole.
. "$(dirname "$0")/../lib.sh"

trap 'rm -rf "$work"' EXIT
: "${CC:=cc}"
export LC_ALL=C
$CC -O1 -w -o "$work/odd" tests/replay/odd.c || { bad "odd.c does not build"; finish; }
$CC -O1 -D_GNU_SOURCE -w -pthread -o "$work/tree" tests/replay/tree.c || { bad "tree.c does not build"; finish; }

# part OPTIONS...: value and name of each event of a part of $work/t.spt
part() { "$SOFTPMU" replay -x, "$@" "$work/t.spt" 2>&1 | cut -d, -f1,3; }

# Intervals of a run. The last one, which is shorter, is up to the end.
"$SOFTPMU" trace -q --env clean -o "$work/t.spt" -- "$work/tree" threads >/dev/null 2>"$work/err" </dev/null && ok || bad "trace: $(head -n 1 "$work/err")"
for run in "pentium3 instructions,dcu_lines_in,l2_lines_in,br_miss_pred_retired" "pentium3 instructions,cycles,resource_stalls" "pentium-mmx instructions,cycles,data_read_miss"; do
	set -- $run
	"$SOFTPMU" stat --env clean --cpu $1 --cpuid pentium3 -I 70001insn -e $2 -x, -o "$work/live" -- "$work/tree" threads >/dev/null 2>&1 </dev/null
	n=$(cut -d, -f1 "$work/live" | sort -nu | wc -l)
	[ "$n" -ge 4 ] && ok || bad "$1: $n intervals"
	for i in 0 1 $((n - 1)); do
		from=$((i * 70001)) to=$(((i + 1) * 70001))
		end=$(cut -d, -f1 "$work/live" | sort -nu | sed -n "$((i + 1))p" | tr -d ' ')
		sed 's/^ *//' "$work/live" | awk -F, -v e="$end" '$1 == e { print $2 "," $4 }' >"$work/a"
		if [ $i = $((n - 1)) ]; then part --cpu $1 -e $2 --from $from; else part --cpu $1 -e $2 --from $from --to $to; fi >"$work/b"
		[ -s "$work/a" ] && cmp -s "$work/a" "$work/b" && ok || bad "$1 $2, interval $i: $(diff "$work/a" "$work/b" | head -n 4 | tr '\n' ' ')"
	done
done

# Parts of a program that writes its own code, on machines that share work; of the first process alone.
"$SOFTPMU" trace -q --env clean -o "$work/t.spt" -- "$work/odd" >/dev/null 2>"$work/err" </dev/null && ok || bad "trace: $(head -n 1 "$work/err")"
events=instructions,dcu_lines_in,l2_lines_in,data_mem_refs,misalign_mem_ref
for i in 0 1 2 3; do
	set -- "" "--to 100003" "--from 100003 --to 222K" "--from 222K"
	shift $i
	"$SOFTPMU" replay -i --l1d 4K:1,16K,64K:8 --l2 32K -e $events $1 -x, "$work/t.spt" 2>&1 | cut -d, -f2 | grep '^[0-9]' >"$work/part.$i"
done
paste -d, "$work/part.0" "$work/part.1" "$work/part.2" "$work/part.3" | awk -F, '$1 != $2 + $3 + $4 || $2 + $3 + $4 == 0 { print }' >"$work/odds"
[ "$(wc -l <"$work/part.0")" -ge 15 ] && [ ! -s "$work/odds" ] && ok || bad "parts do not sum up: $(head -n 3 "$work/odds" | tr '\n' ' ')"
for i in 1 2; do
	set -- "--to 100003" "--from 100003 --to 222K"
	shift $((i - 1))
	[ "$("$SOFTPMU" replay -i --l1d 16K --l2 32K -x, -e dcu_lines_in $1 "$work/t.spt" 2>&1 | cut -d, -f1)" = "$("$SOFTPMU" replay -i --l1d 4K:1,16K,64K:8 --l2 32K -e dcu_lines_in -x, $1 "$work/t.spt" 2>&1 | sed -n 2p | cut -d, -f2)" ] && ok ||
		bad "part $i: a column is not a pass of its own"
done
"$SOFTPMU" replay -i --from 10K --to 1M -e instructions "$work/t.spt" 2>&1 | grep -q "counted from the program's instruction 10000 to 1000000" && ok || bad "the table does not say which part it is of"
"$SOFTPMU" replay -i --from 10K --json -e instructions "$work/t.spt" 2>&1 | grep -q '"from": 10000' && ok || bad "--json does not say which part it is of"

# refused PATTERN OPTIONS...
refused() {
	local pattern=$1
	shift
	"$SOFTPMU" replay "$@" "$work/t.spt" >"$work/out" 2>&1
	[ $? = 125 ] && grep -q -- "$pattern" "$work/out" && [ "$(grep -c '^softpmu:' "$work/out")" = 1 ] && ok ||
		bad "$*: status or sentence: $(head -n 2 "$work/out" | tr '\n' ' ')"
}
refused "add --no-inherit" --from 10K
refused "nothing lies between" -i --from 10K --to 10000
refused "number of an instruction" -i --from 10X
refused "number of an instruction" -i --to -3
refused "executed [0-9]* instructions" -i --from 10G -x, -e instructions
refused "--clocks sampled and --from" -i --from 10K --clocks sampled -e cycles
finish
