#!/bin/bash
# samples.sh -- --clocks sampled: estimates lie near what all clocks give, what needs no clock is exact, and everything
# repeats to the digit.
. "$(dirname "$0")/lib.sh"

bare "$work/prog" "$src/static_prog.c" || exit 1
seq 1 60000 >"$work/text"
head -n 4000 "$work/text" >"$work/short"

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
	in_turn || continue
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

# A program of two loops, one of which writes lines back in each sixteenth unit alone: what lies between units is like them, and
# the interval holds.
make -s -C examples/matrix OUT="$work" >/dev/null
"$SOFTPMU" stat -e cycles -x, -o "$work/exact" -- "$work/columns" >/dev/null
exact=$(awk -F, '$3 == "cycles" { print $1 }' "$work/exact")
for n in 4 16; do
	"$SOFTPMU" stat --clocks sampled:1/$n -e cycles --json -o "$work/json" -- "$work/columns" >/dev/null
	off=$(jq -r --argjson exact "${exact:-0}" '.events[0] | if .low <= $exact and $exact <= .high and .high - .low < $exact / 40 then ""
		else "\($exact) clocks, estimated as [\(.low), \(.high)]" end' "$work/json")
	[ -s "$work/json" ] && [ -z "$off" ] && ok || bad "columns, 1/$n: $off"
done

# Shorter than the first 65536 instructions, or than what auto works out: nothing is estimated. The same of a program that replaces
# itself.
echo "exec $work/prog" >"$work/script"
for p in "sampled $work/prog" "auto /bin/sh $work/script"; do
	run "$work/exact" --set stretch_log2=0 -- ${p#* }
	run "$work/some" --clocks ${p%% *} -- ${p#* }
	cmp -s "$work/exact" "$work/some" && ok ||
		bad "$p: $(diff "$work/exact" "$work/some" | grep '^[<>]' | head -n 4 | tr '\n' ' ')"
done

# The interval: shown as perf shows a spread, and in JSON as its ends.
"$SOFTPMU" stat --clocks sampled -e cycles,inst_retired -o "$work/table" -- gzip -9 -c "$work/text" >/dev/null
grep -q 'cycles .*( +- *[0-9.]*% )$' "$work/table" && ok || bad "no interval of clocks: $(grep cycles "$work/table")"
grep -q 'inst_retired.*( +-' "$work/table" && bad "an exact count has an interval" || ok
"$SOFTPMU" stat --clocks sampled -e cycles --json -o "$work/json" -- gzip -9 -c "$work/text" >/dev/null
"$SOFTPMU" stat -e cycles -x, -o "$work/csv" -- gzip -9 -c "$work/text" >/dev/null
exact=$(awk -F, '$3 == "cycles" { print $1 }' "$work/csv")
low=$(sed -n 's/.*"low": \([0-9]*\).*/\1/p' "$work/json") high=$(sed -n 's/.*"high": \([0-9]*\).*/\1/p' "$work/json")
off=$((100 * (low + high) / 2 / ${exact:-1} - 100))
[ "${low:-0}" -gt 0 ] && [ $low -lt $high ] && [ ${off#-} -lt 2 ] && ok || bad "$exact clocks, estimated as [$low, $high]"

# A seed moves the units: other estimates, each of which repeats.
"$SOFTPMU" stat --clocks sampled -e cycles -r 3 --seed 0 --json -o "$work/seeds" -- gzip -9 -c "$work/text" >/dev/null
n=$(tr -d ' \n' <"$work/seeds" | sed 's/.*"values":\[\([^]]*\)\].*/\1/' | tr , '\n' | sort -u | wc -l)
[ "$n" = 3 ] && ok || bad "three seeds gave $n estimates of clocks"

# Layouts for programs have perf's field of the spread; what is computed from estimates has an interval, too.
"$SOFTPMU" stat --clocks sampled -e cycles,inst_retired -x, -o "$work/csv" -- gzip -9 -c "$work/text" >/dev/null
grep -q '^[0-9]*,,cycles,[0-9.]*%,[0-9]*,100.00,' "$work/csv" && grep -q ',,inst_retired,0.00%,' "$work/csv" && ok ||
	bad "-x: $(cat "$work/csv")"
"$SOFTPMU" stat --clocks sampled -e cycles -j -o "$work/lines" -- gzip -9 -c "$work/text" >/dev/null
grep -q '"event" : "cycles", "variance" : [0-9.]*, "event-runtime"' "$work/lines" && ok || bad "-j: $(cat "$work/lines")"
grep -q 'cycles .* cpi, +-0\.' "$work/table" && ok || bad "no interval of cpi: $(cat "$work/table")"

# Against an older report: a change inside the intervals is none, and a limit inside them is open.
against() {
	"$SOFTPMU" stat --clocks sampled:1/32 --against "$work/json" "$@" --both-ways -o "$work/now" -- \
		gzip -9 -c "$work/text" >/dev/null 2>"$work/err"
	echo $?
}
rc=$(against --limit cycles=20%)
[ "$rc" = 0 ] && grep -q 'cycles .* as before +-' "$work/now" && ok || bad "the same program: $rc, $(cat "$work/now" "$work/err")"
rc=$(against --limit cycles=0.0001%)
[ "$rc" = 4 ] && grep -q 'does not decide --limit cycles=0.0001%; --clocks' "$work/err" && ok ||
	bad "a limit inside the interval: $rc, $(cat "$work/err")"
sed 's/"value": /&9/; s/"low": /&9/; s/"high": /&9/' "$work/json" >"$work/json.more"
mv "$work/json.more" "$work/json"
rc=$(against --limit cycles=1%)
[ "$rc" = 3 ] && ok || bad "a tenth of the clocks: $rc, $(cat "$work/err")"
"$SOFTPMU" check --clocks sampled -o "$work/check" -- gzip -9 -c "$work/text" >/dev/null && grep -q ' 0 identities broken' "$work/check" &&
	ok || bad "check: $(cat "$work/check")"

# The parts of the CPI stack are estimates of one fit: each is rounded, and their sum is three slots a clock. A part whose estimate is
# below 0 is 0, and its interval says by how much. Where a handful of units hold a part it has no number, nor has the sum: the first
# seed with all parts is taken.
for seed in 0 1 2 3 4 5; do
	"$SOFTPMU" stat --env clean --seed $seed --clocks sampled:1/8 -e cycles -M cpi-stack --json -o "$work/stack" -- sort "$work/text" >/dev/null
	[ "$(jq '[.events[] | select(.name | startswith("RETIREMENT_SLOTS")) | .value // empty] | length' "$work/stack")" = 22 ] && break
done
off=$(jq -r '[.events[] | select(.name | startswith("RETIREMENT_SLOTS"))] as $part | (.events[] | select(.name == "cycles").value) as $clocks |
	(([$part[].value // 0] | add) - 3 * $clocks) as $off | ([$part[] | select(.value == 0) | .high // 0] | add // 0) as $unsure |
	"\([$part[] | select(.value != null)] | length) parts, off by \($off), \(if ($off | fabs) <= $unsure + 25 then "within" else "not within" end) \($unsure) and rounding"' "$work/stack")
case $off in
"22 parts"*", within "*) ok ;;
"22 parts"* | "") bad "parts of the CPI stack and clocks: $off" ;;
*) echo "note: the sum of the CPI stack's parts is not known: $off" ;;
esac

# auto: a short run is exact, a long one is not.
"$SOFTPMU" stat --set stretch_log2=0 -e cycles -x, -o "$work/exact" -- sort "$work/short" >/dev/null
"$SOFTPMU" stat --clocks auto -e cycles -x, -o "$work/some" -- sort "$work/short" >/dev/null
exact=$(awk -F, '$3 == "cycles" { print $1 }' "$work/exact") some=$(awk -F, '$3 == "cycles" { print $1, $4 }' "$work/some")
[ "$some" = "$exact 0.00%" ] && ok || bad "auto: a short run takes $exact clocks, not $some"
"$SOFTPMU" stat --clocks auto -e cycles -o "$work/some" -- gzip -9 -c "$work/text" >/dev/null
grep -q 'cycles .*( +- *[0-9.]*% )$' "$work/some" && ok || bad "auto: a long run has no interval: $(cat "$work/some")"

# What does not go with it is said.
for o in "--delay 10" "--clock model" "--cpus 2" "--cpu pentium" "--cpu pentium2,pentium3"; do
	"$SOFTPMU" stat --clocks sampled $o -e cycles -- "$work/prog" >/dev/null 2>"$work/err"
	rc=$?
	[ $rc = 125 ] && grep -q '^softpmu: --clocks sampled' "$work/err" && ok || bad "$o: status $rc: $(head -n 1 "$work/err")"
done
for v in often sampled:1/3 sampled:1/0 sampled:; do
	"$SOFTPMU" stat --clocks $v -e cycles -- "$work/prog" >/dev/null 2>"$work/err"
	[ $? = 125 ] && grep -q "^softpmu: --clocks $v: there are" "$work/err" && ok || bad "$v: $(head -n 1 "$work/err")"
done
finish
