#!/bin/bash
# left.sh -- a run ends although processes are left: for whom it waits, what it says, and that those who are left go on.
. "$(dirname "$0")/lib.sh"

# A limit that does not make a group of processes of its own: who stops in one that nobody waits for gets SIGHUP.
within() { timeout --foreground -k 5 "$@"; }

# The process named in the file, and what it says of itself.
pid_in() { cut -d' ' -f1 "$1" 2>/dev/null; }
word_in() { cut -d' ' -f2 "$1" 2>/dev/null; }

# goes_on FILE: who writes it ends when it may, and says so.
goes_on() {
	touch "$1.stop"
	for _ in $(seq 9000); do
		[ "$(word_in "$1")" = done ] && return 0
		sleep 0.1
	done
	return 1
}

# left NAME OPTIONS... -- PROGRAM ARGS...: output in text, report in report. Whoever holds one of the descriptors 1, 2 and 9
# would make it wait.
left() {
	name=$1
	shift
	rm -f file file.stop
	text=$(within 900 "$SOFTPMU" stat "$@" 9>&1 2>&1)
	status=$?
	[ $status = 7 ] && ok || bad "$name: status $status, not the first process's: $text"
}

cd "$work" || exit 1
widths=64
has_32_bit && widths="64 32" || skip "32-bit programs: this machine does not build them"
for w in $widths; do
	$CC -m$w -O1 -Wall -o left$w "$src/left.c" || exit 1
	for event in instructions dcu_lines_in cycles; do
		left "daemon, $w bits, $event" -e $event -- ./left$w daemon file
		[ "$(word_in file)" = on ] && ok || bad "daemon, $w bits, $event: the run waited for it"
		case $text in
		*"1 process was left and goes on uncounted: $(pid_in file) (left$w);"*) ok ;;
		*) bad "daemon, $w bits, $event: it is not named: $text" ;;
		esac
		goes_on file && ok || bad "daemon, $w bits, $event: it did not go on: $(cat file)"
	done
done

left "stopped" -e instructions -- ./left64 stopped file
pid=$(pid_in file)
case $text in *"uncounted: $pid (left64);"*) ok ;; *) bad "stopped: it is not named: $text" ;; esac
[ "$(word_in file)" = on ] && kill -CONT "$pid" && goes_on file && ok || bad "stopped: it does not go on: $(cat file)"

# let_end: a while after the process has begun it may end.
let_end() {
	rm -f file
	{
		while [ ! -s file ]; do sleep 0.1; done
		sleep 0.3
		touch file.stop
	} >/dev/null 2>&1 9>&1 &
}
let_end
left "sleeper" -e instructions -- ./left64 sleeper file
[ "$(word_in file)" = done ] && ok || bad "sleeper: the run did not wait for it"
left "--wait first" --wait first -e instructions -- ./left64 sleeper file
[ "$(word_in file)" = on ] && ok || bad "--wait first: the run waited"
goes_on file && ok || bad "--wait first: it did not go on"
let_end
left "--wait all" --wait all -e instructions -- ./left64 daemon file
[ "$(word_in file)" = done ] && ok || bad "--wait all: the run did not wait for the daemon"
left "json" --wait first --json -e instructions -- ./left64 sleeper file
case $(echo "$text" | tr -d ' \n') in
*"\"left\":[{\"pid\":$(pid_in file),\"program\":\"left64\"}]"*) ok ;;
*) bad "json: it is not named: $text" ;;
esac
goes_on file && ok || bad "json: it did not go on"

# a shell's loop of them: each run ends at once, and the daemons go on beside each other
for i in 1 2 3; do
	within 900 "$SOFTPMU" run -- ./left64 daemon file$i >out 2>&1
	[ $? = 7 ] && [ "$(word_in file$i)" = on ] && ok || bad "run, daemon $i: $(cat out file$i)"
done
for i in 1 2 3; do
	goes_on file$i && ok || bad "run, daemon $i did not go on: $(cat file$i)"
done

# SIGTERM while softpmu waits: it says for whom
rm -f file file.stop
"$SOFTPMU" stat -e instructions -o report -- ./left64 sleeper file 2>err &
softpmu=$!
for _ in $(seq 9000); do
	[ -s file ] && ! pgrep -P $softpmu -x left64 >/dev/null && break
	sleep 0.1
done
sleep 0.5 # its first process is gone, and that has been noticed
pid=$(pid_in file)
kill -TERM $softpmu
wait $softpmu
status=$?
[ $status = 143 ] && grep -q "SIGTERM ended the run early: ./left64 was gone, and softpmu waited for $pid (left64);" err && ok ||
	bad "SIGTERM: status $status, $(cat err)"
grep -q '[0-9] *instructions' report && ok || bad "SIGTERM: no report: $(cat report)"
# perhaps nobody reaps orphans here
[ "$(word_in file)" = on ] && { ! kill -0 "$pid" 2>/dev/null || grep -q '^State:.Z' /proc/$pid/status; } && ok ||
	bad "SIGTERM: $pid goes on"
finish
