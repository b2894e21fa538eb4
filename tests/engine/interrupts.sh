#!/bin/bash
# interrupts.sh -- SIGINT by kill(): it is the program's, once, whether its group got it or softpmu alone; a second one ends the run.
. "$(dirname "$0")/lib.sh"
tool interrupts || exit 1
me=$work/interrupts

# sent HOW TIMES STATUS PATTERN COMMAND...
sent() {
	local how=$1 times=$2 status=$3 pattern=$4 got
	shift 4
	timeout 300 "$me" send ready "$how" "$times" "$@" >"$work/out" 2>&1
	got=$?
	[[ "|$status|" = *"|$got|"* ]] && grep -q -- "$pattern" "$work/out" && ok ||
		bad "$how, $times times, $*: status $got and $(tr '\n' '|' <"$work/out" | tail -c 300)"
}
early='SIGINT ended the run early'
for command in run "stat -e inst_retired"; do
	for how in alone group; do
		sent $how 1 7 '^caught 1$' "$SOFTPMU" $command "$me" catch
		! grep -q early "$work/out" && ok || bad "$command, $how: a program that catches SIGINT is said to be ended early"
		sent $how 1 130 "$early" "$SOFTPMU" $command "$me" die
		sent $how 1 130 "$early" "$SOFTPMU" $command "$me" ignore
	done
done
sent alone 1 7 '^caught 1$' "$SOFTPMU" run "$me" wait
sent group 1 7 '^caught 1$' "$SOFTPMU" run "$me" wait
sent both 1 7 '^caught [12]$' "$SOFTPMU" stat -e dcu_lines_in "$me" catch
sent alone 2 130 "$early" "$SOFTPMU" stat -e inst_retired "$me" stay
grep -q '[0-9] *inst_retired' "$work/out" && grep -q '^caught 1$' "$work/out" && ok || bad "a second SIGINT: no counts: $(cat "$work/out")"
# of several processes the first one gets what was sent to softpmu alone; a shell that waits for a program waits on, one that
# dies of it takes the others along
sent alone 2 130 "$early" "$SOFTPMU" run sh -c "\"$me\" catch; :"
sent alone 1 130 "$early" "$SOFTPMU" run sh -c "\"$me\" ignore & wait"
if command -v perf >/dev/null; then
	# its program's end is SIGCHLD, and perf ends by the signal that it heard of last
	for how in group both; do
		sent $how 1 '0|130' '[0-9]  *instructions' "$SOFTPMU" run --tier 2 perf stat -e instructions "$me" die
	done
else
	skip "SIGINT under perf: no perf here"
fi
finish
