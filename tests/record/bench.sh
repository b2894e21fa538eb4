#!/bin/bash
# bench.sh -- softpmu bench: counts are those of stat, functions those of diff, reasons those of cpi-stack; who wins; limits; runs
# that do not repeat; commands around a run; words and shells. By the two programs of examples/matrix, which are the same everywhere.
set -u
. "$(dirname "$0")/../lib.sh"
unset COLUMNS MAKEFLAGS MAKELEVEL
make -s -C examples/matrix OUT="$work" || { echo "FAIL the example does not build"; exit 1; }
cd "$work" || exit 1

# run WANTED OPTIONS...: bench, to out and err
run() {
	local want=$1 got
	shift
	"$SOFTPMU" bench "$@" >out 2>err
	got=$?
	[ $got = "$want" ] && ok || bad "bench $* has status $got, not $want: $(cat err)"
}
# says FILE PATTERN
says() { grep -q -e "$2" "$1" && ok || bad "there is no '$2' in: $(cat "$1")"; }
# is NAME GOT WANTED
is() { [ "$2" = "$3" ] && ok || bad "$1 is $2, not $3"; }

# ---- counts, functions, reasons ------------------------------------------------------------------

run 0 ./columns ./rows --json
cp out bench.json
for k in 0:columns 1:rows; do
	"$SOFTPMU" stat -q --json -e cycles,instructions -- ./"${k#*:}" >/dev/null 2>stat.json
	is "what ${k#*:} counts" "$(jq -c ".commands[${k%:*}].events | map(.value)" bench.json)" "$(jq -c '.events | map(.value)' stat.json)"
	is "its digest" "$(jq ".commands[${k%:*}].input_digest" bench.json)" "$(jq .input_digest stat.json)"
done
"$SOFTPMU" record -q -e cycles,instructions -o rows.rec -- ./rows >/dev/null 2>err && "$SOFTPMU" record -q -e cycles,instructions -o columns.rec -- \
	./columns >/dev/null 2>err && "$SOFTPMU" diff --json rows.rec columns.rec >diff.json 2>err || bad "record and diff: $(cat err)"
is "the functions" "$(jq -c '.differences[0].functions' bench.json)" "$(jq -c .functions diff.json)"
is "the winner" "$(jq -r '.differences[0] | .less + " " + .more' bench.json)" "./rows ./columns"
# The reasons are those of stat; this run is so short that no clock is estimated.
for p in rows columns; do
	"$SOFTPMU" stat -q --json --clocks auto -M cpi_stack_memory -- ./$p 2>&1 >/dev/null | jq '.metrics[] | select(.name == "cpi_stack_memory").value' >$p.memory
done
is "the first reason" "$(jq -r '.differences[0].reasons[0] | "\(.metric) \(.clocks + 0.5 | floor)"' bench.json)" \
	"cpi_stack_memory $(jq -n --slurpfile c columns.memory --slurpfile r rows.memory '$c[0] - $r[0] + 0.5 | floor')"
# The rows of reasons and the row for the rest sum to the difference in clocks.
is "the sum of the reasons" "$(jq '.differences[0] | [.reasons[].clocks, .rest.clocks] | add' bench.json)" \
	"$(jq '.commands[0].events[0].value - .commands[1].events[0].value' bench.json)"
run 0 ./columns ./rows
cp out whole
says out "^ *$(jq -r '.differences[0].rest.clocks' bench.json | sed 's/\([0-9]\)\([0-9]\{3\}\)$/\1,\2/')  all other reasons together"
# COLUMNS is heard in a pipe: no line is wider, and -v and no COLUMNS leave all whole.
for width in 60 80; do
	COLUMNS=$width run 0 -n 'a name of a command that no line of sixty columns has room for' -n short ./columns ./rows \
		-e cycles,instructions,dcu_lines_in,dcu_m_lines_in
	is "the lines wider than $width" "$(awk -v w=$width 'length > w' out)" ""
	says out '[.][.].*has room for'
done
COLUMNS=60 run 0 -v ./columns ./rows
is "what -v leaves" "$(diff whole out)" ""
run 0 ./columns ./rows
says out '^ \./rows wins: \./columns takes [34]\.[0-9]* times its cycles\.$'
says out 'memory is waited for'
says out 'Note: one run of each is enough'
run 0 ./rows --markdown ./columns
says out '| `sum` | `columns` |'
run 3 ./rows --markdown ./columns --limit cycles=1%
says out '^\*\*.*columns: .*differs from that of .*--limit cycles=1%.* is broken\*\*$'
run 0 ./rows ./rows -n here -n there -q -e instructions
says out 'here and there take the same instructions'
[ "$(grep -c Note out)" = 0 ] && ok || bad "-q has notes"
# Clocks by samples: what stat says with the same option, and an interval.
run 0 --clocks sampled:1/16 ./rows ./columns --json
for k in 0:rows 1:columns; do
	"$SOFTPMU" stat -q --json --clocks sampled:1/16 -e cycles,instructions -- ./"${k#*:}" >/dev/null 2>stat.json
	is "what ${k#*:} counts by samples" "$(jq -c ".commands[${k%:*}].events | map(.value)" out)" "$(jq -c '.events | map(.value)' stat.json)"
done
is "whether both have an interval" "$(jq '[.commands[].events[0].half > 0] | all' out)" true

# ---- limits --------------------------------------------------------------------------------------

run 0 ./rows ./columns -e instructions,dcu_lines_in --limit instructions=0%
run 3 ./rows ./columns -e instructions,dcu_lines_in --limit dcu_lines_in=+229375
says err 'dcu_lines_in differs from that of ./rows by +229,376'
run 0 ./rows ./columns -e instructions,dcu_lines_in --limit dcu_lines_in=+229376
run 0 ./columns ./rows -e dcu_lines_in --limit main:dcu_lines_in=1%
run 3 ./columns ./rows -e dcu_lines_in --limit main:dcu_lines_in=1% --both-ways
run 125 ./rows ./columns -e instructions --limit cycles=1%
run 125 ./rows --limit instructions=1%

# ---- runs that do not repeat ---------------------------------------------------------------------

# A file that grows from run to run: what wc reads differs, by what --prepare appends.
run 0 -e instructions --setup 'rm -f grows' --prepare 'seq 1000 >>grows' 'wc grows'
says out 'Note: wc grows: .*-r N shows'
run 0 -e instructions --setup 'rm -f grows; echo setup >>log' --prepare 'seq 1000 >>grows; echo prepare >>log' --conclude 'echo conclude >>log' \
	--cleanup 'echo cleanup >>log' -r 3 --json 'wc grows' ./rows
is "the runs" "$(jq -c '.commands | map([.repeats, .runs])' out)" "[[false,3],[true,1]]"
is "the interval" "$(jq '.commands[0].events[0].half > 0' out)" true
want="setup prepare conclude prepare conclude prepare conclude prepare conclude cleanup setup prepare conclude prepare conclude cleanup"
is "what is around" "$(tr '\n' ' ' <log)" "$want "
run 125 --prepare false ./rows
says err "it ended with status 1, and nothing more is run"

# ---- words, shells, output -----------------------------------------------------------------------

run 0 -e instructions "printf '%s|' 'a b'  c\\ d \"e'f\" g" --show-output -q
is "what printf is given" "$(head -c 16 out)" "a b|c d|e'f|g|a "
run 0 -e instructions 'echo lost' --json
is "what is printed" "$(jq -r '.commands[0].command' out)" "echo lost"
run 0 -e instructions 'echo a | cat' ./rows
says out 'all are run by sh -c'
run 125 -e instructions 'false' 'true'
says err "'false' ended with status 1; -i"
run 0 -i -e instructions 'false' 'true'
run 127 ./nowhere
run 125
run 125 ''
run 125 --warmup 3 true
says err 'there is nothing to warm'
run 125 --cpu pentium,pentium3 true
run 125 -n one -n two true
run 0 --cpu pentium -e cycles ./rows ./columns
says out '^ \./rows wins'
# A Pentium has stalls for reasons: the largest is that of stat.
says out 'by stall, in clocks (stalls overlap'
run 0 --cpu pentium --json -e cycles ./rows ./columns
stalls=WAITING_FOR_DATA_MEMORY_READ_STALL_DURATION
for p in rows columns; do
	"$SOFTPMU" stat -q --json --cpu pentium -e $stalls -- ./$p 2>&1 >/dev/null | jq '.events[0].value' >$p.stalls
done
is "the first stall" "$(jq -r '.differences[0] | .reasons[0] | "\(.stall) \(.clocks)"' out)" "$stalls $(($(cat columns.stalls) - $(cat rows.stalls)))"
is "a row for the rest" "$(jq '.differences[0].rest' out)" null
finish
