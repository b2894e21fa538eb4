#!/bin/bash
# keys.sh -- Ctrl-C at a terminal: it is the program's as long as it is not pressed twice at once.
. "$(dirname "$0")/lib.sh"
$CC -O1 -w -o "$work/keys" tests/engine/keys.c -lutil || exit 1
"$work/keys" x 0 true >"$work/out" || { skip "no terminal here: $(tail -n 1 "$work/out")"; finish; }

# press TIMES_AT_MOST STATUS[|STATUS] PATTERN|- COMMAND...: it prints "ready" and then waits
press() {
	local times=$1 status=$2 pattern=$3
	shift 3
	timeout 900 "$work/keys" ready "$times" "$@" >"$work/out" 2>&1
	local got=$?
	[[ "|$status|" = *"|$got|"* ]] && grep -q -- "$pattern" "$work/out" && ok ||
		bad "$times times in $*: status $got and $(tr '\r\n' ' |' <"$work/out" | tail -c 300)"
}
catches='trap "echo caught; exit 7" INT; echo ready; while :; do :; done'
waits='trap "echo caught; exit 7" INT; echo ready; while :; do sleep 1; done'
ignores='trap "" INT; echo ready; exec sleep 50'
dies='echo ready; while :; do :; done'
for command in run "stat -e inst_retired" "stat -e inst_retired,dcu_lines_in"; do
	press 1 7 caught "$SOFTPMU" $command sh -c "$catches"
	! grep -q early "$work/out" && ok || bad "$command: a program that catches SIGINT is said to be ended early"
	press 1 7 caught "$SOFTPMU" $command sh -c "$waits"
	press 1 130 'SIGINT ended the run early' "$SOFTPMU" $command sh -c "$dies"
	press 50 130 'SIGINT ended the run early' "$SOFTPMU" $command sh -c "$ignores"
done
press 1 130 '[0-9],*[0-9]* *inst_retired' "$SOFTPMU" stat -e inst_retired sh -c "$dies"
# perf's own way: it goes on when its program was interrupted, and prints what was counted; last of all it sends itself the signal that came last, which is
# SIGCHLD, or SIGINT when its program ended so soon that it heard of that first
if command -v perf >/dev/null; then
	press 1 '0|130' '[0-9]  *instructions' "$SOFTPMU" run --tier 2 perf stat -e instructions sh -c "echo ready; exec sleep 50"
else
	skip "Ctrl-C under perf: no perf here"
fi
finish
