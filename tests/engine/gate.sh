#!/bin/bash
# gate.sh -- stat --control and --delay: what is counted between enable and disable, in every tier, by processes, too.
. "$(dirname "$0")/lib.sh"
$CC -O1 -w -o "$work/gate" "$src/gate.c" -lpthread || exit 1
mkfifo "$work/commands" "$work/answers"
exec 8<>"$work/commands" 9<>"$work/answers"
n=1000000
# between WHAT NUMBER LOW HIGH
between() { [ -n "$2" ] && [ "$2" -ge "$3" ] && [ "$2" -le "$4" ] && ok || bad "$1: ${2:-nothing}, not $3 to $4: $(head -n 2 "$work/said" | tr '\n' '|')"; }
stat() { timeout 900 "$SOFTPMU" stat -x, -o "$work/out" "$@" >"$work/said" 2>&1; }

for e in inst_retired inst_retired,l2_rqsts inst_retired,cpu_clk_unhalted; do
	for how in fifo:$work/commands,$work/answers fd:8,9; do
		stat -D -1 --control $how -e $e -- "$work/gate" 8 9 $n || bad "status $?"
		between "$e, $how" "$(count_of "$work/out" inst_retired)" $((2 * n)) $((2 * n + 3000))
	done
	stat -D -1 --control fd:8,9 -e $e -- "$work/gate" 8 9 $n child
	between "$e, a child" "$(count_of "$work/out" inst_retired)" $((2 * n)) $((2 * n + 30000))
	# open from the beginning: what is before "enable", too
	stat --control fd:8,9 -e $e -- "$work/gate" 8 9 $n
	between "$e, open at first" "$(count_of "$work/out" inst_retired)" $((8 * n)) $((8 * n + 200000))
done
# never opened; and a delay that is over before the program is (the middle is missing then), longer where the shell begins late
stat -D -1 -e inst_retired -- "$work/gate" 0 0 1
between "shut" "$(count_of "$work/out" inst_retired)" 0 0
all=$(stat -e inst_retired -- sh -c 'sleep 1.2; /bin/true'; count_of "$work/out" inst_retired)
for ms in 600 3000 12000; do
	stat -D $ms -e inst_retired -- sh -c "sleep $((2 * ms / 1000)).$((2 * ms % 1000)); /bin/true"
	[ "$(count_of "$work/out" inst_retired)" -gt $((all - 50000)) ] || break
done
between "a delay" "$(count_of "$work/out" inst_retired)" 50000 $((all - 50000))
for bad in fd: fd:77 fifo:/nonexistent pipe:3 "fd:8,x"; do
	stat --control "$bad" -e inst_retired -- touch "$work/ran"
	[ $? = 125 ] && [ ! -e "$work/ran" ] && ok || bad "--control $bad: $(cat "$work/said")"
done
stat -D x -e inst_retired -- true
[ $? = 125 ] && ok || bad "-D x"
# counted in parts: threads, regions, processors
part() { awk -F, -v o="$1" '$1 == o && $4 == "inst_retired" { print $2 }' "$work/out"; }
stat -D -1 --control fd:8,9 --per-thread --per-region -e inst_retired -- "$work/gate" 8 9 $n thread
between "a thread of two" "$(part thread-0)" $((2 * n)) $((2 * n + 30000))
between "the other thread" "$(part thread-1)" $((2 * n)) $((2 * n + 1000))
between "a region" "$(part region-all)" $((2 * n)) $((2 * n + 30000))
timeout 900 "$SOFTPMU" stat --json -o "$work/out" -D -1 --control fd:8,9 --cpus 2 -e inst_retired,l2_rqsts -- "$work/gate" 8 9 $n thread >"$work/said" 2>&1
set -- $(sed -n '/per_cpu/,/\]/p' "$work/out" | sed -n '2,3s/[^0-9]//gp')
between "the first processor" "$1" $((2 * n)) $((2 * n + 30000))
between "the second processor" "$2" $((2 * n)) $((2 * n + 1000))
# A program that computes without system calls or new code obeys at once. It has 0.2 s of processor time when it is open, and
# three times as much afterwards, however long that takes.
ticks() { awk '{ sub(/.*\) /, ""); print $12 + $13 }' /proc/$guest/stat; } # hundredths of a second
computes() {
	local end=$(($(ticks) + $1)) i
	for ((i = 0; i < 18000; i++)); do
		[ "$(ticks)" -lt $end ] || break
		sleep 0.05
	done
}
for e in inst_retired inst_retired,l2_rqsts; do
	timeout 900 "$SOFTPMU" stat -x, -o "$work/out" -D -1 --control fd:8,9 -e $e -- "$work/gate" 0 0 1000 loop >"$work/all" 2>"$work/said" &
	server=$!
	acks=
	for line in ping enable disable; do
		echo $line >&8
		read -r -t 20 answer <&9 && acks=$acks$answer
		guest=$(pgrep -P "$(pgrep -P $server)")
		computes 20
	done
	computes 40
	kill -TERM $server && wait $server
	[ "$acks" = ackackack ] && ok || bad "$e, a loop answers ${acks:-nothing}"
	between "$e, a loop of $(cat "$work/all")" "$(count_of "$work/out" inst_retired)" 1 $(($(cat "$work/all") * 9 / 10))
done

# A trace has the whole run: what the gate leaves out would be in a replay of it.
"$SOFTPMU" stat --delay 5 --trace "$work/part.spt" -e instructions -o "$work/out" -- /bin/true 2>"$work/err"
[ $? = 125 ] && [ ! -e "$work/part.spt" ] && grep -q 'replay --from and --to$' "$work/err" && ok || bad "--delay and --trace: $(cat "$work/err")"
finish
