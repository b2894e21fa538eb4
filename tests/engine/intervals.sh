#!/bin/bash
# intervals.sh -- stat -I: the intervals of a run sum to its totals, event by event, in every tier of both families, with
# threads and processes; by instructions they repeat. --timeout ends what runs too long.
. "$(dirname "$0")/lib.sh"
$CC -O1 -w -o "$work/threads" "$src/threads/threads.c" -lpthread || exit 1

# sums WHAT INTERVAL OPTIONS... : each event's intervals, and the summary of the same run
sums() {
	local what=$1 wrong
	shift
	timeout 900 "$SOFTPMU" stat --env clean -x, --summary -o "$work/out" -I "$@" >/dev/null 2>"$work/said" || bad "$what: $(cat "$work/said")"
	wrong=$(awk -F, '$4 == "" || $2 ~ /^</ { next }
		$1 ~ /summary/ { n++; if (sum[$4] != $2) print $4, sum[$4], $2 }
		$1 !~ /summary/ { sum[$4] += $2; lines++ }
		END { if (n < 1 || lines < 3 * n) print "lines:", n, lines }' OFMT=%.0f CONVFMT=%.0f "$work/out")
	[ -z "$wrong" ] && ok || bad "$what: $wrong"
}
# as_without WHAT OPTIONS... : the summary of the last run is what a run without -I counts
as_without() {
	local what=$1
	shift
	timeout 900 "$SOFTPMU" stat --env clean -x, -o "$work/plain" "$@" >/dev/null 2>"$work/said"
	diff <(cut -d, -f1,3 "$work/plain") <(awk -F, '$1 ~ /summary/ { print $2 "," $4 }' "$work/out") >"$work/diff" &&
		ok || bad "$what: $(head -n 6 "$work/diff" | tr '\n' '|')"
}

for cpu in pentium3 pentium-mmx; do
	for events in "-e instructions" "--all --tier 2" "--all"; do
		for every in 37777insn 4; do
			sums "$cpu $events -I $every" $every --cpu $cpu $events -- seq 4000
			as_without "$cpu $events -I $every, whole run" --cpu $cpu $events -- seq 4000
		done
		sums "$cpu $events, threads" 20000insn --cpu $cpu $events -- "$work/threads" mutex
		for every in 60000insn 20; do
			sums "$cpu $events -I $every, processes" $every --cpu $cpu $events -- sh -c 'seq 300 | wc -l; expr 1 + 1; expr 2 + 2 & wait'
		done
	done
done

# repeats to the digit, processes beside each other, too; each interval but the last is whole
run() { timeout 900 "$SOFTPMU" stat --env clean -x, -o "$work/$1" -I 50000insn -e instructions,cycles "${@:2}" 2>"$work/said" >/dev/null; }
run once -- seq 5000
run twice -- seq 5000
diff "$work/once" "$work/twice" >/dev/null && ok || bad "two runs differ: $(diff "$work/once" "$work/twice" | head -n 4)"
[ "$(awk -F, '$4 == "instructions" { print $2 }' "$work/once" | sed '$d' | sort -u)" = 50000 ] && ok || bad "not whole: $(cat "$work/once")"
cat >"$work/beside.c" <<'END'
#include <sys/wait.h>
#include <unistd.h>

static void spin(unsigned long n)
{
	__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(n) : : "cc");
}

int main(void)
{
	for (int i = 1; i <= 3; i++) {
		const pid_t child = fork();

		spin(70000ul * i);
		if (!child)
			_exit(0);
	}
	spin(100000);
	while (wait(NULL) > 0)
		;
	return 0;
}
END
$CC -O1 -o "$work/beside" "$work/beside.c" || exit 1
for i in once twice; do
	run $i -- "$work/beside"
done
awk -F, '$4 == "instructions" && $2 > 50000 { n++ } END { exit n < 5 }' "$work/once" && ok || bad "no processes beside each other: $(cat "$work/once")"
cmp "$work/once" "$work/twice" >"$work/diff" && ok || bad "processes: $(diff "$work/once" "$work/twice" | head -n 6)"

# where counting is switched off there is nothing
timeout 900 "$SOFTPMU" stat -x, -o "$work/out" --summary -D -1 -I 100000insn -e instructions -- seq 5000 >/dev/null 2>&1
[ "$(awk -F, '{ n += $2 } END { print n + 0, (NR > 2) }' "$work/out")" = "0 1" ] && ok || bad "shut: $(cat "$work/out")"

# who asks for the counts so far (SIGUSR1) changes none, with threads that work clocks out, too
for how in "--cpu pentium3 --workers 2" "--cpu pentium3 --workers 1" "--cpu pentium-mmx"; do
	timeout 900 "$SOFTPMU" stat --env clean -x, -o "$work/plain" $how --all -- seq 4000 >/dev/null 2>"$work/said"
	"$SOFTPMU" stat --env clean -x, -o "$work/out" $how --all -- seq 4000 >/dev/null 2>"$work/said" &
	run=$!
	# until softpmu, and no longer the shell that starts it, catches SIGUSR1
	until { [[ $(readlink /proc/$run/exe) == */softpmu ]] && grep -q '^SigCgt:.*[2367abef]..$' /proc/$run/status; } ||
		! kill -0 $run; do sleep 0.01; done
	while kill -USR1 $run 2>/dev/null; do sleep 0.02; done
	wait $run
	grep -q "Counts so far" "$work/said" && ok || bad "$how: SIGUSR1 is not answered: $(head -n 3 "$work/said")"
	diff <(cut -d, -f1,3 "$work/plain") <(cut -d, -f1,3 "$work/out") >"$work/diff" && ok ||
		bad "$how: SIGUSR1 changes counts: $(head -n 6 "$work/diff" | tr '\n' '|')"
done

# --timeout: SIGTERM, and the program's own end counts
timeout 900 "$SOFTPMU" stat -x, -o "$work/out" --timeout 300 -e instructions -- sh -c 'while :; do :; done' 2>"$work/said"
[ $? = 143 ] && [ "$(count_of "$work/out" instructions)" -gt 100000 ] && ok || bad "--timeout: $(cat "$work/said" "$work/out")"
for ms in 300 3000 30000; do # a busy machine may need longer until the shell has its trap
	timeout 900 "$SOFTPMU" stat -x, -o "$work/out" --timeout $ms -e instructions -- sh -c 'trap "exit 3" TERM; sleep 100 & wait' 2>"$work/said"
	status=$?
	[ $status = 143 ] || break
done
[ $status = 3 ] && [ "$(count_of "$work/out" instructions)" -gt 10000 ] && ok || bad "--timeout, caught: $(cat "$work/said" "$work/out")"
timeout 900 "$SOFTPMU" stat -x, -o "$work/out" --timeout 60000 -e instructions -- true && ok || bad "--timeout that is never over"
finish
