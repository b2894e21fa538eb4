#!/bin/bash
# workers.sh -- with clocks on the P6 every event counts the same however many threads work the clocks out.
#
# Programs longer than a stretch; processes that fork, execute others and run side by side; threads; code that changes; short stretches, so
# that all of it happens behind the end of one; a run that is ended from outside.
. "$(dirname "$0")/lib.sh"
ulimit -c 0

bare "$work/prog" "$src/static_prog.c" || exit 1
$CC -O1 -Wall -o "$work/gencode" "$src/gencode.c" && $CC -O1 -pthread -o "$work/threads" "$src/threads/threads.c" || exit 1
seq 1 2500 | sed 's/$/ some text that repeats/' >"$work/text"
checks=0 i=0
while read -r word; do i=$((i + 1)); echo "insert into t values($i,'$word');"; done <<<"$(seq 100 7 900)" >"$work/rows"
{ echo "create table t(a,b);"; cat "$work/rows"; echo "create index i on t(b); select sum(a),b from t group by a%7;"; } >"$work/sql"

# run OUT OPTIONS... -- PROGRAM: "event,count" of every event
run() {
	local out=$1
	shift
	timeout 900 "$SOFTPMU" stat --all -x, -o "$out.all" "$@" >"$out.stdout" 2>"$out.err" </dev/null
	local rc=$?
	grep -v '^#' "$out.all" | awk -F, '{ print $3 "," $1 }' >"$out"
	echo "status $rc" >>"$out"
	[ "$(awk -F, '$1 == "CPU_CLK_UNHALTED" { print ($2 > 1000) }' "$out")" = 1 ] ||
		{ bad "$*: no clocks: $(head -n 1 "$out.err")"; return 1; }
}

# check NAME OPTIONS... -- PROGRAM...
check() {
	local name=$1 n
	shift
	run "$work/one" --workers 1 "$@" || return
	n=$((++checks % 3 ? 2 : 3))
	run "$work/team" --workers $n "$@" || return
	cmp -s "$work/one" "$work/team" && ok ||
		bad "$name, $n workers: $(diff "$work/one" "$work/team" | grep '^[<>]' | head -n 4 | tr '\n' ' ')"
}

short="--set stretch_log2=12"
check gzip -- /bin/gzip -9 -c "$work/text"
check "gzip, short stretches" $short -- /bin/gzip -c "$work/text"
check "sort on a Pentium Pro" --cpu pentiumpro $short -- "$work/prog" sort 40
check "strings, caches of another shape" --cpu pentium2 --l1d 8K:2:32 --l2 64K:4:32 $short -- "$work/prog" strings 20
check "x87 without L2" --cpu celeron-covington $short -- "$work/prog" x87 100
check "without kept clocks" --memo off $short -- "$work/prog" calls 5
check "random frames" --phys random:3 $short -- /bin/gzip -c "$work/text"
check "all forgotten now and then" --chaos 4 $short -- /bin/gzip -c "$work/text"
steady_numbers
check "processes" --env clean $short -- /bin/sh -c "cksum '$work/text'; sort -rn '$work/text'; (exec wc '$work/text'; :); wc '$work/text'"
check "an exec" $short -- /bin/sh -c "x=0; while [ \$x -lt 400 ]; do x=\$((x + 1)); done; exec gzip -c '$work/text'"
! command -v sqlite3 >/dev/null || check sqlite3 $short -- sqlite3 -batch -init "$work/sql" :memory: .quit
for t in mutex barrier sync_turns; do check "threads, $t" $short -- "$work/threads" $t; done
check "code that changes" $short -- "$work/gencode" rewrite 4 6

# Without stretches, and where one machine does it all, the number is of no account.
check "no stretches" --set stretch_log2=0 -- "$work/prog" sort 40
check "timer" --timer-hz 1000 -- "$work/prog" sort 10
check "two processors" --cpus 2 -- "$work/prog" sort 10
check "comparison" -e cpu_clk_unhalted,uops_retired:c=3 -- "$work/prog" sort 10

# SIGINT in the middle: an answer, soon, and no process is left.
timeout -s INT 2 "$SOFTPMU" stat --workers 2 -e cpu_clk_unhalted,inst_retired -x, -o "$work/int" -- /bin/sh -c 'while :; do :; done' 2>/dev/null
clk=$(awk -F, '$3 == "cpu_clk_unhalted" { print $1 }' "$work/int")
[ "${clk:-0}" -gt 1000 ] 2>/dev/null && ok || bad "SIGINT: clocks are '$clk'"

"$SOFTPMU" stat --workers 9 -e instructions -- true >"$work/out" 2>&1
[ $? = 125 ] && grep -q 'from 1 to 8' "$work/out" && ok || bad "--workers 9: $(head -n 1 "$work/out")"
finish
