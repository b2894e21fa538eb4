#!/bin/bash
# parts.sh -- --clocks sampled of regions, threads and intervals: what all units say is what exact clocks say, parts sum to what the whole is
# estimated as, intervals hold the truth, and all repeats to the digit.
#
#   parts.c   a thread that walks a table and one that computes, each in a region, and a child that walks, too
. "$(dirname "$0")/lib.sh"

if ! echo '#include <valgrind/callgrind.h>' | $CC -E - >/dev/null 2>&1; then
	skip "client requests: Valgrind's headers are not installed (package valgrind)"
	finish
fi
$CC -O1 -w -pthread -o "$work/parts" "$src/parts.c" || exit 1
events=cycles,resource_stalls,inst_retired

# run OUT OPTIONS... -- PROGRAM: its JSON, and in OUT.parts a line for each part: [name, event, value, low, high]
run() {
	local out=$1
	shift
	timeout 300 "$SOFTPMU" stat --env clean --json -e $events -o "$out" "$@" >/dev/null 2>"$out.err" </dev/null || bad "$*: $(cat "$out.err")"
	jq -c '{total: .events} + ((.regions // []) | map({(.name): .events}) | add // {}) +
		((.threads // []) | map({("\(.process)/\(.number)"): .events}) | add // {}) |
		to_entries[] | .key as $k | .value[] | [$k, .name, .value, .low, .high]' "$out" | sort >"$out.parts"
}

# All units: exact clocks, of each part, in a program of two threads that forks, and has a child by vfork that executes a program.
both="--per-region --per-thread"
run "$work/exact" $both --set stretch_log2=0 -- "$work/parts" 20 3000 /bin/true
run "$work/all" $both --clocks sampled:1/1 -- "$work/parts" 20 3000 /bin/true
n=$(wc -l <"$work/exact.parts")
[ "$n" = 21 ] && cmp -s "$work/exact.parts" "$work/all.parts" && ok || bad "$n lines, all units: $(diff "$work/exact.parts" "$work/all.parts" | head -n 4 | tr '\n' ' ')"

# Some units: in a program that does not fork the whole is what it is without parts.
make -s -C examples/matrix OUT="$work" >/dev/null
run "$work/plain" --clocks sampled:1/16 -- "$work/columns"
run "$work/some" --per-thread --clocks sampled:1/16 -- "$work/columns"
grep total "$work/some.parts" | cmp -s "$work/plain.parts" - && ok || bad "other estimates with --per-thread: $(diff "$work/plain.parts" "$work/some.parts" | head -n 4 | tr '\n' ' ')"

# Threads sum to the whole, and of intervals at 95 % nine in ten hold what exact clocks say.
run "$work/exact" $both --set stretch_log2=0 -- "$work/parts" 8 40000
held=0 of=0
for seed in 0 1 2 3; do
	run "$work/some" $both --seed $seed --clocks sampled:1/16 -- "$work/parts" 8 40000
	off=$(jq -r '.threads as $t | .events[] | .name as $e | .value as $whole | [$t[].events[] | select(.name == $e).value] |
		if any(. == null) then "unknown" else (add - $whole | fabs) end' "$work/some")
	n=$(grep -c '^[0-2]$' <<<"$off")
	sums=$((${sums:-0} + n))
	[ "$n" = "$(grep -vc unknown <<<"$off")" ] && ok || bad "seed $seed: threads do not sum to the whole: $off"
	read -r h k < <(jq -rn --slurpfile x "$work/exact.parts" --slurpfile e "$work/some.parts" '
		[$x[] | {key: "\(.[0]) \(.[1])", value: .[2]}] | from_entries as $of | [$e[] | select(.[1] != "inst_retired" and .[3] != null) |
		$of["\(.[0]) \(.[1])"] as $v | .[3] <= $v and $v <= .[4]] | "\([.[] | select(.)] | length) \(length)"')
	held=$((held + h)) of=$((of + k))
done
[ "$sums" -ge 10 ] && ok || bad "only $sums sums of threads are known"
[ $of -ge 40 ] && [ $((10 * held)) -ge $((9 * of)) ] && ok || bad "$held of $of intervals of parts hold"
cp "$work/some.parts" "$work/two.parts"
run "$work/three" $both --seed 3 --clocks sampled:1/16 --workers 3 -- "$work/parts" 8 40000
cmp -s "$work/two.parts" "$work/three.parts" && ok || bad "other estimates with three workers: $(diff "$work/two.parts" "$work/three.parts" | head -n 4 | tr '\n' ' ')"

# Intervals by instructions: all units say what exact clocks say, but for what is under way at an end: at most 40 clocks, one for
# each entry of the reorder buffer. Exact events are those of an exact run.
lines() {
	local out=$1
	shift
	timeout 300 "$SOFTPMU" stat --env clean -x, -e $events -o "$out" "$@" >/dev/null 2>"$out.err" </dev/null || bad "$*: $(cat "$out.err")"
}
sums() { awk -F, '{ sum[$4] += $2; n[$4]++ } END { print sum["cycles"], sum["resource_stalls"], sum["inst_retired"], n["cycles"] }' "$1"; }
lines "$work/exact" -I 20000insn --set stretch_log2=0 -- "$work/parts" 20 3000 /bin/true
lines "$work/all" -I 20000insn --clocks sampled:1/1 -- "$work/parts" 20 3000 /bin/true
read -r clk stalls insns n < <(sums "$work/exact")
read -r all_clk all_stalls all_insns all_n < <(sums "$work/all")
off=$((all_clk > clk ? all_clk - clk : clk - all_clk)) more=$((all_stalls > stalls ? all_stalls - stalls : stalls - all_stalls))
[ "$n" -gt 40 ] && [ "$all_n" = "$n" ] && [ "$insns" = "$all_insns" ] && [ $off -le $((40 * n)) ] && [ $more -le $((40 * n)) ] && ok ||
	bad "intervals, all units: $all_clk $all_stalls $all_insns $all_n, exact: $clk $stalls $insns $n"

# Some units: intervals of estimates hold, two numbers of workers agree, and short intervals have units enough.
held=0 of=0
for seed in 0 1; do
	lines "$work/exact" -I 1000000insn --seed $seed --set stretch_log2=0 -- "$work/parts" 8 40000
	lines "$work/some" -I 1000000insn --seed $seed --clocks sampled:1/16 -- "$work/parts" 8 40000
	read -r h k < <(paste -d, <(cut -d, -f2,4 "$work/exact") <(cut -d, -f2,5 "$work/some") |
		awk -F, '$2 != "inst_retired" && $3 + 0 { of++; off = $3 > $1 ? $3 - $1 : $1 - $3; held += off <= $3 * $4 / 100 } END { print held + 0, of + 0 }')
	held=$((held + h)) of=$((of + k))
done
[ $of -ge 20 ] && [ $((10 * held)) -ge $((9 * of)) ] && ok || bad "$held of $of intervals of intervals hold"
lines "$work/three" -I 1000000insn --seed 1 --clocks sampled:1/16 --workers 3 -- "$work/parts" 8 40000
cmp -s "$work/some" "$work/three" && ok || bad "-I: other estimates with three workers: $(diff "$work/some" "$work/three" | head -n 4 | tr '\n' ' ')"
lines "$work/short" -I 100000insn --clocks sampled -- "$work/columns"
[ "$(grep -c ',[0-9][0-9]*,,cycles,[0-9]' "$work/short")" -ge 25 ] && ok || bad "-I: short intervals: $(grep -c 'few samples.*,cycles,' "$work/short") of them have no number"
"$SOFTPMU" stat -I 1000000insn --clocks sampled:1/16 -e cycles -o "$work/table" -- "$work/columns"
grep -q '^ *2000000 .*cycles.*( +- *[0-9.]*% )$' "$work/table" && ok || bad "-I: no interval in the table: $(head -n 3 "$work/table")"

# Shown where people read it; a part with few units has no number.
for o in "" -x, -j; do
	"$SOFTPMU" stat --per-region --clocks sampled -e cycles $o -o "$work/shown$o" -- "$work/parts" 1 12000
done
grep -A1 'Region collect' "$work/shown" | grep -q '<too few samples>  *cycles$' && ok || bad "a region of few units: $(cat "$work/shown")"
grep -q '^region-collect,<too few samples>,,cycles,0.00%,' "$work/shown-x," && ok || bad "-x: $(cat "$work/shown-x,")"
grep '"region" : "collect"' "$work/shown-j" | grep -q '"<too few samples>".*"variance" : 0.00' && ok || bad "-j: $(cat "$work/shown-j")"
"$SOFTPMU" stat --per-region --clocks sampled:1/16 -e cycles -o "$work/table" -- "$work/parts" 8 40000
grep -A1 'Region collect' "$work/table" | grep -q 'cycles  *( +- *[0-9.]*% )$' && ok || bad "no interval of a region: $(cat "$work/table")"
finish
