#!/bin/bash
# stress.sh [ROUNDS [MINUTES]] -- fork, exec, vfork and signals again and again: no run hangs, none loses a count, no
# memory grows with the length of a run, and who kills softpmu leaves no process of the program behind.
#
# stress.c executes the same instructions in every six rounds, so that the count of any number of rounds is known from
# two short runs. ROUNDS: of the long run (60; 300 in make check-all); MINUTES: of stress-ng under chaos modes (0; 1).
. "$(dirname "$0")/lib.sh"
ulimit -c 0

rounds=60 runs=5 kills=5 minutes=0 modes="0 64"
[ "$CHECK_LEVEL" = all ] && rounds=300 runs=300 kills=40 minutes=1 modes="0 1 8 16 32 63 64 256 512"
rounds=$((${1:-$rounds} / 6 * 6))
minutes=${2:-$minutes}
programs=stress
bare "$work/stress" "$src/stress.c" || exit 1
if has_32_bit && bare "$work/stress32" -m32 "$src/stress.c"; then
	programs="stress stress32"
else
	skip "32-bit programs: $CC -m32 does not work here"
fi

# Instructions of one run: counted EVENTS MODE PROGRAM ROUNDS; what went wrong instead.
counted() {
	local events=$1 mode=$2 rc
	shift 2
	timeout -k 5 900 "$SOFTPMU" stat -x, --chaos "$mode" -e "$events" -o "$work/counts" -- "$work/$1" \
		"$(printf %06d "$2")" >"$work/out" 2>"$work/err"
	rc=$?
	[ $rc = 0 ] && count_of "$work/counts" inst_retired || echo "status $rc: $(tail -n 1 "$work/err")"
}

for p in $programs; do
	[ $p = stress32 ] && ! native_32_bit || "$work/$p" 000012 || bad "$p natively: status $?"
	for events in inst_retired inst_retired,dcu_lines_in; do
		one=$(counted $events 0 $p 6)
		two=$(counted $events 0 $p 12)
		case $one$two in *[!0-9]*) bad "$p ($events): $one $two"; continue ;; esac
		for mode in $modes; do
			want=$((one + (two - one) * (rounds / 6 - 1)))
			got=$(counted $events $mode $p $rounds)
			[ "$got" = $want ] && ok || bad "$p ($events, chaos $mode): $rounds rounds count $got, not $want"
		done
		for n in $(seq $runs); do
			got=$(counted $events 0 $p 6)
			[ "$got" = "$one" ] && continue
			bad "$p ($events): run $n counts $got, not $one"
			continue 2
		done
		ok
	done
done

# A program that executes itself 800 times takes as much of softpmu's memory as one that does so 200 times. How much is
# under way when the memory is largest differs between runs, by some 600 KiB on a busy machine: the least of up to three
# runs of each does not.
tool maxrss || exit 1
for events in inst_retired inst_retired,dcu_lines_in,l2_lines_in; do
	few= many=
	for run in 1 2 3; do
		for n in 200 800; do
			"$work/maxrss" "$work/kib$n" "$SOFTPMU" stat -e $events -o "$work/counts" -- "$work/stress" 000$n x ||
				bad "$n execs ($events): status $?"
		done
		few=$(printf '%s\n' $few $(cat "$work/kib200") | sort -n | head -n 1)
		many=$(printf '%s\n' $many $(cat "$work/kib800") | sort -n | head -n 1)
		more=$((many - few))
		[ $more -lt 512 ] && break
	done
	[ $more -lt 512 ] && ok || bad "600 more execs ($events) take $more KiB more memory"
done

# Every process of the program holds the write end of a pipe; when all are gone, its reader comes to the end.
mkfifo "$work/pipe"
for n in $(seq $kills); do
	timeout 900 cat "$work/pipe" >/dev/null &
	reader=$!
	exec 9>"$work/pipe"
	"$SOFTPMU" stat -e inst_retired -o "$work/counts" -- "$work/stress" 999999 2>/dev/null &
	exec 9>&-
	sleep 0.$((RANDOM % 4))$((RANDOM % 10))
	disown $!
	kill -KILL $!
	wait $reader && ok || bad "SIGKILL of softpmu, number $n: a process was left behind"
done

# The same of processes in one memory, or with one table of descriptors: each ends for itself.
for p in mates one_table; do
	$CC -O1 -D_GNU_SOURCE -w -pthread -o "$work/$p" "$src/$p.c" || exit 1
	for events in inst_retired inst_retired,dcu_lines_in; do
		timeout 900 cat "$work/pipe" >/dev/null &
		reader=$!
		exec 9>"$work/pipe"
		"$SOFTPMU" stat -e $events -o "$work/counts" -- "$work/$p" stays 2>/dev/null &
		exec 9>&-
		sleep 0.4
		disown $!
		kill -KILL $!
		wait $reader && ok || bad "SIGKILL of softpmu ($events): a process of $p was left behind"
	done
done

# stress-ng checks itself. A stressor under softpmu has its end after so many seconds, and a while to come to it.
if [ "$minutes" = 0 ]; then
	finish
elif ! command -v stress-ng >/dev/null; then
	skip "stress-ng is not installed"
	finish
fi
end=$((SECONDS + 60 * minutes)) n=0
stressors=(cpu vm fork signal futex pthread)
while [ $SECONDS -lt $end ]; do
	for mode in $modes; do
		s=${stressors[$((n++ % ${#stressors[@]}))]}
		events=inst_retired
		[ $((n % 2)) = 0 ] && events=inst_retired,dcu_lines_in
		timeout -k 5 900 "$SOFTPMU" stat --chaos $mode -e $events -o "$work/counts" -- \
			stress-ng --no-rand-seed --verify --quiet --temp-path "$work" --$s 1 --timeout 2 --vm-bytes 8M --pthread-max 64 \
			>"$work/out" 2>"$work/err" </dev/null
		rc=$?
		[ $rc = 0 ] && ok || bad "stress-ng --$s, chaos $mode ($events): status $rc: $(tail -n 1 "$work/out") $(tail -n 1 "$work/err")"
		[ $SECONDS -lt $end ] || break
	done
done
finish
