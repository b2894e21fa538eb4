#!/bin/bash
# samples.sh -- record --clocks sampled: what instructions are said to take sums to what stat estimates for the whole, intervals of
# functions hold what an exact record says, what needs no clock is exact, and all repeats to the digit.
. "$(dirname "$0")/../lib.sh"

make -s -C examples/matrix OUT="$work" >/dev/null
seq 1 4000 >"$work/text"

# rec OUT OPTIONS... -- PROGRAM: a record, and its functions in OUT.json.
# Every run is started by timeout: it gives back the signals that a suite in the background ignores, and sort asks which those are.
rec() {
	local out=$1
	shift
	timeout 300 "$SOFTPMU" record -q --env clean -e cycles,inst_retired,dcu_lines_in -o "$out" "$@" >/dev/null 2>"$out.err" </dev/null
	"$SOFTPMU" report --json "$out" >"$out.json" 2>/dev/null
}

sum='[.rows[].counts.cycles] | add'
# xargs waits for its children without a handler: when SIGCHLD comes to a shell's depends on the host.
printf '%s\n' "gzip -c $work/text" "$work/rows" "$work/columns" >"$work/commands"
for p in "$work/columns" "sort $work/text" "xargs -a $work/commands -L 1 env"; do
	rec "$work/exact" -- $p
	rec "$work/some" --clocks sampled:1/16 -- $p
	rec "$work/three" --clocks sampled:1/16 --workers 3 -- $p
	timeout 300 "$SOFTPMU" stat --env clean --clocks sampled:1/16 -e cycles --json -o "$work/stat" -- $p >/dev/null 2>&1 </dev/null
	[ -s "$work/three.json" ] || bad "$p: no record with three workers: $(cat "$work/three.err")"
	of=$(jq '.events[0].value' "$work/stat")
	[ "$(jq "$sum" "$work/some.json")" = "$(jq .totals.cycles "$work/some.json")" ] && ok || bad "$p: rows do not sum to the total"
	case $p in
	xargs*) ;; # a record of a process begins anew where it executes another program
	*) [ "$of" = "$(jq .totals.cycles "$work/some.json")" ] && ok || bad "$p: stat estimates $of clocks, record $(jq .totals.cycles "$work/some.json")" ;;
	esac
	jq -S 'del(.command)' "$work/some.json" >"$work/a"
	jq -S 'del(.command)' "$work/three.json" >"$work/b"
	cmp -s "$work/a" "$work/b" && ok || bad "$p: other estimates with three workers: $(diff "$work/a" "$work/b" | head -n 4 | tr '\n' ' ')"
	exact='[.rows[] | select(.counts.inst_retired != 0 or .counts.dcu_lines_in != 0) | [.object, .function, .counts.inst_retired, .counts.dcu_lines_in]] | sort'
	[ "$(jq -c "$exact" "$work/exact.json")" = "$(jq -c "$exact" "$work/some.json")" ] && ok || bad "$p: counts that need no clock differ"
done

# All units: what an exact record says of each function. A short program, which has one stretch.
rec "$work/exact" -- sort /dev/null
rec "$work/all" --clocks sampled:1/1 -- sort /dev/null
[ "$(jq -cS .rows "$work/exact.json")" = "$(jq -cS .rows "$work/all.json")" ] && ok || bad "all units: other clocks than an exact record"

# Of intervals at 95 % of functions that take a hundredth of the clocks or more, nine in ten hold what the exact record says.
held=0 n=0
for p in "$work/columns" "$work/rows" "sort $work/text"; do
	rec "$work/exact" -- $p
	for seed in 0 1 2 3 4; do
		rec "$work/some" --seed $seed --clocks sampled:1/16 -- $p
		read -r h k < <(jq -rn --slurpfile x "$work/exact.json" --slurpfile e "$work/some.json" '
			[$e[0].rows[] | {key: (.object + .function), value: .}] | from_entries as $of |
			[$x[0].rows[] | select(.counts.cycles > $x[0].totals.cycles / 100) | .counts.cycles as $c | $of[.object + .function] as $r |
			$r != null and $r.low.cycles <= $c and ($r.high.cycles == null or $c <= $r.high.cycles)] |
			"\([.[] | select(.)] | length) \(length)"')
		held=$((held + h)) n=$((n + k))
	done
done
[ $n -ge 60 ] && [ $((10 * held)) -ge $((9 * n)) ] && ok || bad "$held of $n intervals of functions hold"

# Tables show half of an interval, and a note those of totals.
"$SOFTPMU" report "$work/some" >"$work/table" 2>/dev/null
grep -q '%  *+-[0-9.>]*%' "$work/table" && grep -q '^ Note: estimates by samples.*cycles +-[0-9.>]*%' "$work/table" && ok ||
	bad "no intervals: $(head -n 5 "$work/table")"

# What does not go with it is said.
refuses() {
	local said=$1
	shift
	"$SOFTPMU" "$@" >/dev/null 2>"$work/err"
	[ $? = 125 ] && grep -q "$said" "$work/err" && ok || bad "$*: $(head -n 1 "$work/err")"
}
refuses 'record --clocks auto' record --clocks auto -e cycles -o "$work/no" -- "$work/rows"
refuses 'clocks sampled and --per-thread' record --clocks sampled --per-thread -e cycles -o "$work/no" -- "$work/rows"

# ---- what people read ----------------------------------------------------------------------------

# Each place has the halves of report --json: of totals in per cent, of functions as numbers and in per cent.
rec "$work/some" --clocks sampled:1/16 -- "$work/columns"
percent='[.totals_high.cycles - .totals.cycles, .totals.cycles] | 10000 * .[0] / .[1] | round / 100'
note="cycles +-$(printf '%.2f' "$(jq "$percent" "$work/some.json")")%"
# says WHAT: its output on standard input has the note.
says() { grep -aqF "$note" && ok || bad "$1 does not say $note"; }
"$SOFTPMU" annotate sum "$work/some" 2>/dev/null | says annotate
"$SOFTPMU" export cachegrind "$work/some" 2>/dev/null | grep '^desc: Note: estimates' | says cachegrind
"$SOFTPMU" export callgrind "$work/some" 2>/dev/null | grep '^desc: Note: estimates' | says callgrind
"$SOFTPMU" export pprof "$work/some" 2>/dev/null | gzip -dc | says pprof
"$SOFTPMU" export speedscope "$work/some" 2>/dev/null | jq -r .name | says speedscope
"$SOFTPMU" export collapsed "$work/some" 2>&1 >/dev/null | says collapsed
ends='[.totals_low.cycles, .totals.cycles, .totals_high.cycles, .totals.inst_retired, .totals.inst_retired]'
bounds='.[] | [.cycles.lower_value, .cycles.value, .cycles.upper_value, ."inst-retired".lower_value, ."inst-retired".upper_value]'
[ "$("$SOFTPMU" export bencher "$work/some" 2>/dev/null | jq -c "$bounds")" = "$(jq -c "$ends" "$work/some.json")" ] && ok || bad "bencher has other bounds"
cg_annotate "$work/no" >/dev/null 2>&1
if [ $? != 127 ]; then # Valgrind's own reader takes the line
	"$SOFTPMU" export cachegrind "$work/some" -o "$work/cg" 2>/dev/null
	cg_annotate "$work/cg" 2>/dev/null | says cg_annotate
fi

# The page: its head, totals, functions in the table and for the script.
data() { sed -n 's/^<script type="application\/json" id="data">\(.*\)<\/script>$/\1/p' "$1"; }
"$SOFTPMU" html -o "$work/page" "$work/some" 2>/dev/null
grep 'id="estimates"' "$work/page" | says html
total=$(sed 's/.*+-\(.*\)%/\1/' <<<"$note")
grep -q "data-event=\"cycles\" data-value=\"[0-9]*\">[0-9,]* <small class=\"half\">+-$total %</small></td>" "$work/page" && ok || bad "html: the total has no interval"
data "$work/page" | jq -e --slurpfile r "$work/some.json" '$r[0] as $r | (.events[0].half == $r.totals_high.cycles - $r.totals.cycles) and
	(.events[1] | has("half") | not) and (.rows | length >= 3) and all(.rows[]; . as $row | ($r.rows[] | select(.function == $row.f)) as $of |
		$row.h[0] == $of.high.cycles - $of.counts.cycles and $row.h[1] == 0)' >/dev/null && ok || bad "html: other intervals than report: $(data "$work/page" | cut -c1-400)"
sum_percent=$(jq '.rows[] | select(.function == "sum") | 10000 * (.high.cycles - .counts.cycles) / .counts.cycles | round / 100' "$work/some.json")
grep -A4 '<tbody>' "$work/page" | grep -qF "+-$(printf '%.2f' "$sum_percent") %</small>" && ok || bad "html: sum has no interval of $sum_percent %"

# ---- two records ---------------------------------------------------------------------------------

for p in columns rows; do
	rec "$work/$p.exact" -- "$work/$p"
	rec "$work/$p.some" --clocks sampled:1/16 -- "$work/$p"
	rec "$work/$p.three" --clocks sampled:1/16 --workers 3 -- "$work/$p"
done

# One program with exact and with estimated clocks: its clocks and all of its functions are as before, and -v shows why.
"$SOFTPMU" diff "$work/columns.exact" "$work/columns.some" >"$work/out" 2>"$work/err"
grep -q '^ cycles .* as before +-[0-9.]*%$' "$work/out" && ! grep -q 'Functions, by' "$work/out" && grep -q 'intervals of estimates explain' "$work/out" && ok ||
	bad "one program differs from itself: $(cat "$work/out" "$work/err")"
"$SOFTPMU" diff -v "$work/columns.exact" "$work/columns.some" 2>&1 | grep -q 'as before +-[0-9.]*%  sum' && ok || bad "-v does not show sum as before"
"$SOFTPMU" diff "$work/columns.exact" "$work/columns.some" --json 2>/dev/null | jq -e '.functions[] | select(.function == "sum") |
	.half.cycles > 0 and .half.inst_retired == null and ((.new.cycles - .old.cycles) | fabs) <= .half.cycles' >/dev/null && ok || bad "no interval of sum in JSON"

# Columns against rows: the change of the exact records lies in the interval of the estimates, of the whole and of the function that does it.
change='[(.events[0] | .new - .old, .half // 0), (.functions[] | select(.function == "sum") | .new.cycles - .old.cycles, .half.cycles // 0)]'
differs() { "$SOFTPMU" diff "$work/columns.$1" "$work/rows.$2" --json 2>/dev/null | jq -c "$change"; }
exact=$(differs exact exact)
for kinds in 'some some' 'exact some' 'some exact'; do
	got=$(differs $kinds)
	jq -en "$exact as \$x | $got as \$e | \$x[1] == 0 and \$x[3] == 0 and \$e[1] > 0 and \$e[3] > 0 and
		((\$x[0] - \$e[0]) | fabs) <= \$e[1] and ((\$x[2] - \$e[2]) | fabs) <= \$e[3]" >/dev/null && ok || bad "$kinds: changes and halves $got, exact $exact"
done
[ "$(differs some some)" = "$(differs three three)" ] && ok || bad "other differences with three workers"
# A page of two has what diff says: as before where the interval explains the change.
"$SOFTPMU" html -o "$work/page" "$work/columns.some" "$work/columns.exact" 2>/dev/null
grep -q 'data-event="cycles" [^>]*>[0-9,]*</td><td class="n ">as before <small class="half">+-[0-9.]* %</small></td>' "$work/page" && ok || bad "html: one program differs from itself"
for p in 'columns exact columns some' 'columns some rows some'; do
	set -- $p
	"$SOFTPMU" html -o "$work/page" "$work/$3.$4" "$work/$1.$2" 2>/dev/null
	half=$(data "$work/page" | jq -c '[.events[0].half, (.rows[] | select(.f == "sum").h[0])]')
	[ "$half" = "$("$SOFTPMU" diff "$work/$1.$2" "$work/$3.$4" --json 2>/dev/null | jq -c '[.events[0].half, (.functions[] | select(.function == "sum").half.cycles)] | map(floor)')" ] && ok ||
		bad "html of $p: halves $half are not those of diff"
done
"$SOFTPMU" diff "$work/columns.some" "$work/rows.some" --markdown 2>/dev/null | grep -q '[0-9]% +-[0-9.]*% | .sum.' && ok || bad "Markdown has no interval of sum"

# limited STATUS SAID LIMIT: of columns, exact and estimated.
limited() {
	"$SOFTPMU" diff "$work/columns.exact" "$work/columns.some" --limit "$3" >/dev/null 2>"$work/err"
	[ $? = "$1" ] && [[ "$(cat "$work/err")" == *"$2"* ]] && ok || bad "--limit $3 has not status $1: $(cat "$work/err")"
}
limited 0 '' cycles=5%
limited 0 '' main:cycles=5%
limited 0 '' inst_retired=0%
limited 4 'does not decide --limit cycles=0%; --clocks exact in both runs does' cycles=0%
limited 4 'does not decide --limit main:cycles=0%' main:cycles=0%
"$SOFTPMU" diff "$work/rows.some" "$work/columns.exact" --limit cycles=100% >/dev/null 2>&1
[ $? = 3 ] && ok || bad "four times the clocks do not break a limit of twice"

# Merged records: estimates and halves of their intervals add up, rows sum to the total.
"$SOFTPMU" merge -o "$work/two" "$work/columns.some" "$work/columns.some" 2>"$work/err" || bad "merge: $(cat "$work/err")"
"$SOFTPMU" report --json "$work/two" >"$work/two.json" 2>/dev/null
of='[.totals.cycles, .totals_high.cycles, .totals.inst_retired, (.rows[] | select(.function == "sum") | .counts.cycles, .high.cycles)]'
[ "$(jq -c "$of | map(. / 2)" "$work/two.json")" = "$(jq -c "$of" "$work/columns.some.json")" ] && ok ||
	bad "two merged have $(jq -c "$of" "$work/two.json"), one $(jq -c "$of" "$work/columns.some.json")"
[ "$(jq "$sum" "$work/two.json")" = "$(jq .totals.cycles "$work/two.json")" ] && ok || bad "merged: rows do not sum to the total"
finish
