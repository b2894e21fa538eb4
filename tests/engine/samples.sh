#!/bin/bash
# samples.sh -- --clocks sampled: estimates lie near what all clocks give, what needs no clock is exact, and everything
# repeats to the digit.
. "$(dirname "$0")/lib.sh"

bare "$work/prog" "$src/static_prog.c" || exit 1
seq 1 60000 >"$work/text"

# run OUT OPTIONS... -- PROGRAM: "event,count" of every event
run() {
	local out=$1
	shift
	timeout 900 "$SOFTPMU" stat --all -x, -o "$out.all" "$@" >/dev/null 2>"$out.err" </dev/null
	echo "status $?" >"$out"
	grep -v '^#' "$out.all" | awk -F, '{ print $3 "," $1 }' >>"$out"
}

# near EXACT ESTIMATED PERCENT_OF_CLOCKS PERCENT: what is further off, of events of 100000 and more
near() {
	awk -F, -v clocks="$3" -v others="$4" '
		NR == FNR { exact[$1] = $2; next }
		exact[$1] < 100000 || $2 == "<too few samples>" { next }
		{ n++; most = $1 == "CPU_CLK_UNHALTED" ? clocks : others
		  off = 100 * ($2 - exact[$1]) / exact[$1]
		  if (off > most || off < -most) printf "%s is %s, estimated as %s; ", $1, exact[$1], $2 }
		END { if (n < 10) printf "only %d events have an estimate", n }' "$1" "$2"
}

# All units: what one machine counts that goes through without a stretch's end. A unit in 64: what the manual promises
# of a run of this length.
for p in "gzip -9 -c $work/text" "sort $work/text"; do
	run "$work/exact" --set stretch_log2=0 -- $p
	run "$work/all" --clocks sampled:1/1 -- $p
	run "$work/some" --clocks sampled -- $p
	cmp -s "$work/exact" "$work/all" && ok ||
		bad "$p, all units: $(diff "$work/exact" "$work/all" | head -n 4 | tr '\n' ' ')"
	off=$(near "$work/exact" "$work/some" 1.5 30)
	[ -z "$off" ] && ok || bad "$p, one unit in 64: $off"

	# A model without clocks drives the same numbers.
	timeout 900 "$SOFTPMU" stat --all --tier 2 -x, -o "$work/tier2" $p >/dev/null
	awk -F, '!/^#/ && $1 ~ /^[0-9]+$/ { print $3 "," $1 }' "$work/tier2" >"$work/counted"
	lost=$(grep -vxFf "$work/some" "$work/counted" | head -n 3 | tr '\n' ' ')
	[ -s "$work/counted" ] && [ -z "$lost" ] && ok || bad "$p: other counts without clocks: $lost"

	for n in 1 3; do
		run "$work/again" --clocks sampled --workers $n -- $p
		cmp -s "$work/some" "$work/again" && ok ||
			bad "$p, $n workers: $(diff "$work/some" "$work/again" | head -n 4 | tr '\n' ' ')"
	done
done

# Shorter than the first quarter of a million instructions: nothing is estimated. The same of a program that replaces itself.
echo "exec $work/prog" >"$work/script"
for p in "$work/prog" "/bin/sh $work/script"; do
	run "$work/exact" --set stretch_log2=0 -- $p
	run "$work/some" --clocks sampled -- $p
	cmp -s "$work/exact" "$work/some" && ok ||
		bad "$p: $(diff "$work/exact" "$work/some" | grep '^[<>]' | head -n 4 | tr '\n' ' ')"
done

# The interval: shown as perf shows a spread, and in JSON as its ends.
"$SOFTPMU" stat --clocks sampled -e cycles,inst_retired -o "$work/table" -- gzip -9 -c "$work/text" >/dev/null
grep -q 'cycles .*( +- *[0-9.]*% )$' "$work/table" && ok || bad "no interval of clocks: $(grep cycles "$work/table")"
grep -q 'inst_retired.*+-' "$work/table" && bad "an exact count has an interval" || ok
"$SOFTPMU" stat --clocks sampled -e cycles --json -o "$work/json" -- gzip -9 -c "$work/text" >/dev/null
"$SOFTPMU" stat -e cycles -x, -o "$work/csv" -- gzip -9 -c "$work/text" >/dev/null
exact=$(awk -F, '$3 == "cycles" { print $1 }' "$work/csv")
low=$(sed -n 's/.*"low": \([0-9]*\).*/\1/p' "$work/json") high=$(sed -n 's/.*"high": \([0-9]*\).*/\1/p' "$work/json")
off=$((100 * (low + high) / 2 / ${exact:-1} - 100))
[ "${low:-0}" -gt 0 ] && [ $low -lt $high ] && [ ${off#-} -lt 2 ] && ok || bad "$exact clocks, estimated as [$low, $high]"

# What does not go with it is said.
for o in "--per-thread" "--per-region" "-I 100" "--clock model" "--cpus 2" "--cpu pentium" "--cpu pentium2,pentium3"; do
	"$SOFTPMU" stat --clocks sampled $o -e cycles -- "$work/prog" >/dev/null 2>"$work/err"
	rc=$?
	[ $rc = 125 ] && grep -q '^softpmu: --clocks sampled' "$work/err" && ok || bad "$o: status $rc: $(head -n 1 "$work/err")"
done
for v in often sampled:1/3 sampled:1/0 sampled:; do
	"$SOFTPMU" stat --clocks $v -e cycles -- "$work/prog" >/dev/null 2>"$work/err"
	[ $? = 125 ] && grep -q "^softpmu: --clocks $v: there are" "$work/err" && ok || bad "$v: $(head -n 1 "$work/err")"
done
finish
