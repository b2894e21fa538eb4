#!/bin/bash
# run.sh -- softpmu stat --backend hw: the machine's own counters.
#
# The kernel's software events (page faults, clocks) go the whole way of the backend on any machine. Hardware events are
# asked for, too: where this machine has none, the sentence that says so is tested here, and the counts inside softpmu,
# where the backend finds the virtual counters (tests/clients).
set -u
. "$(dirname "$0")/../lib.sh"
softpmu=$SOFTPMU

# ends WHAT STATUS TEXT COMMAND...: it ends so and says so
ends() {
	local what=$1 status=$2 text=$3 got
	shift 3
	"$@" >"$work/out" 2>&1
	got=$?
	[ $got = "$status" ] && grep -qF -- "$text" "$work/out" && ok ||
		bad "$what: status $got, not $status, or no '$text' in: $(head -n 3 "$work/out")"
}
# field N FILE: of a -x, line
field() { cut -d, -f"$1" "$2" | tail -n 1; }

gcc -O1 -o "$work/pages" tests/hw/pages.c || exit 1

# faults OPTIONS -- ARGS: page faults of the program
faults() {
	"$softpmu" stat --backend hw -x, -o "$work/csv" -e page-faults "${@:1:1}" -- "$work/pages" "${@:2}" || bad "pages $*: status $?"
	field 1 "$work/csv"
}
# 1000 pages more are 1000 faults more; the rest of both runs is the same but for a page or two of the stack
more=$(($(faults -q 2000) - $(faults -q 1000)))
[ $more -ge 990 ] && [ $more -le 1010 ] && ok || bad "1000 pages more are $more faults more"
# the pages of children count, and with -i they do not
more=$(($(faults -q 1000 3) - $(faults -i 1000 3)))
[ $more -ge 3000 ] && [ $more -le 3600 ] && ok || bad "three children with 1000 pages: $more faults more"

"$softpmu" stat --backend hw -x, -o "$work/csv" -e task-clock,page-faults -- "$work/pages" 10
grep -qE '^[0-9]+\.[0-9]{2},msec,task-clock,[1-9][0-9]+,100\.00,,$' "$work/csv" && ok || bad "-x: $(cat "$work/csv")"
"$softpmu" stat --backend hw -j -o "$work/j" -r 2 -e task-clock,page-faults -- "$work/pages" 10
[ "$(jq -r .event "$work/j" | tr '\n' ' ')" = "task-clock page-faults " ] && ok || bad "-j: $(cat "$work/j")"
"$softpmu" stat --backend hw --json -o "$work/json" -r 2 -e '{page-faults,task-clock}' -- "$work/pages" 10
jq -e '.backend == "hw" and (.cpu == null) and .events[0].group == 0 and (.events[0].values | length) == 2 and
	.events[1].unit == "ns" and .ending.exit == 0 and .time.elapsed_s > 0' "$work/json" >/dev/null && ok ||
	bad "--json: $(head -c 300 "$work/json")"
ends "table" 0 "The counters of this machine" "$softpmu" stat --backend hw -e page-faults -- true

# what the program does and how it ends passes through
ends "output" 0 "hello" "$softpmu" stat --backend hw -e page-faults -- echo hello
ends "status" 3 "page-faults" "$softpmu" stat --backend hw -e page-faults -- sh -c 'exit 3'
ends "signal" 143 "Terminated" "$softpmu" stat --backend hw -e page-faults -- sh -c 'kill -TERM $$'
ends "no program" 127 "no such program" "$softpmu" stat --backend hw -e page-faults -- ./no-such-program
ends "no executable" 126 "$work" "$softpmu" stat --backend hw -e page-faults -- "$work"
ends "environment" 0 "FLAVOUR=plain" "$softpmu" stat --backend hw -e page-faults --env clean,FLAVOUR=plain -- env
# a signal for softpmu goes to the program, and what was counted is shown
"$softpmu" stat --backend hw -e task-clock -- sleep 20 >"$work/out" 2>&1 &
pid=$!
for i in $(seq 18000); do pgrep -x -P $pid sleep >/dev/null && break; sleep 0.05; done
sleep 0.2
kill -TERM $pid
wait $pid
[ $? = 143 ] && grep -q task-clock "$work/out" && ok || bad "SIGTERM: $(cat "$work/out")"

# what it cannot do is said before anything runs
ends "backend's name" 125 "there are soft" "$softpmu" stat --backend hard -- true
ends "of a model" 125 "--l1d is for a model" "$softpmu" stat --backend hw --l1d 8K:2:32 -- true
ends "processors" 125 "--cpu is for a model" "$softpmu" stat --backend hw --cpu pentium,pentium3 -- true
ends "unknown event" 125 "did you mean page-faults?" "$softpmu" stat --backend hw -e page-fautls -- true
ends "braces" 125 "the closing } is missing" "$softpmu" stat --backend hw -e '{page-faults' -- true
ends "auto with a model's option" 0 "--backend auto: a model counted, because --l1d is for one" \
	"$softpmu" stat --backend auto --l1d 8K:2:32 -e instructions -- true
ends "auto, software events" 0 "--backend auto: this machine's own counters counted" \
	"$softpmu" stat --backend auto -e page-faults -- true
ends "auto" 0 "--backend auto: " "$softpmu" stat --backend auto -e inst_retired -- true

# Without counters one sentence, and nothing runs; with counters, counts.
if "$softpmu" stat --backend hw -e task-clock,instructions -x, -o "$work/csv" -- touch "$work/ran" 2>"$work/out"; then
	case $(field 1 "$work/csv") in ''|*[!0-9]*|0) bad "instructions: $(cat "$work/csv")" ;; *) ok ;; esac
else
	[ "$(wc -l <"$work/out")" = 1 ] && grep -qF -- "--backend soft" "$work/out" && [ ! -e "$work/ran" ] && ok ||
		bad "no counters: $(cat "$work/out")"
fi

finish
