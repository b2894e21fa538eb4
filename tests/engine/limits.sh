#!/bin/bash
# limits.sh -- limits (ulimit, setrlimit) that a shell sets outside and a program inside, small ones: the program runs as natively, or
# one sentence names the limit; softpmu doctor says the same.
. "$(dirname "$0")/lib.sh"
ulimit -c 0

tiers="instructions instructions,dcu_lines_in instructions,cycles"

# inside LIMIT: what a shell sets before it executes a program
inside() {
	local events rc native
	native=$(bash -c "ulimit $1; ulimit -a | tail -n +2 | sed 's/.*) //' | tr '\n' ' '; exec /bin/echo hi" 2>&1 </dev/null)
	for events in $tiers; do
		timeout 900 "$SOFTPMU" stat -e $events -o "$work/counts" -- \
			bash -c "ulimit $1; ulimit -a | tail -n +2 | sed 's/.*) //' | tr '\n' ' '; exec /bin/echo hi" >"$work/out" 2>"$work/err" </dev/null
		rc=$?
		[ $rc = 0 ] && [ "${native##* }" = "$(sed 's/.* //' "$work/out")" ] && ok ||
			bad "ulimit $1 inside ($events): status $rc, $(head -n 1 "$work/out" "$work/err" | tr '\n' '|')"
	done
}
for l in "-f 1" "-f 1000000" "-d 20000" "-d 2000" "-s 256" "-c 0" "-m 1000" "-n 30" "-l 0" "-v 2000000" "-v 40000" "-x 0" "-i 0" "-q 0" \
	"-e 0" "-r 0" "-t 5"; do
	inside "$l"
done

# With one descriptor left, a program that has an interpreter is executed as natively.
for events in $tiers; do
	timeout 900 "$SOFTPMU" stat -e $events -o "$work/counts" -- bash -c 'ulimit -n 4; exec /bin/echo hi' >"$work/out" 2>"$work/err" </dev/null
	rc=$?
	[ $rc = 0 ] && grep -qx hi "$work/out" && ok || bad "ulimit -n 4 inside ($events): status $rc, $(head -n 1 "$work/err")"
done

# outside LIMIT [OPTION-IN-THE-SENTENCE]: runs; or, as not everybody may raise a limit, says which one and exits with 125, as doctor does
outside() {
	local events rc doctor
	(ulimit $1; "$SOFTPMU" doctor) >"$work/doctor" 2>&1
	doctor=$?
	for events in $tiers; do
		(ulimit $1; exec timeout 900 "$SOFTPMU" stat -e $events -o "$work/counts" -- /bin/echo hi) >"$work/out" 2>"$work/err" </dev/null
		rc=$?
		if [ $rc = 0 ] && grep -qx hi "$work/out" && [ $doctor = 0 ]; then
			ok
		elif [ $rc = 125 ] && [ "$2" ] && grep -q "^softpmu: .*ulimit $2 allows .* needs" "$work/err" && [ "$(wc -l <"$work/err")" = 1 ] &&
			grep -qE "^(FAIL|note) .*\(ulimit $2\)" "$work/doctor"; then
			ok
		else
			bad "ulimit $1 outside ($events): status $rc, doctor $doctor: $(head -n 1 "$work/err")"
		fi
	done
}
outside "-f 1000000"
outside "-f 1" -f
outside "-d 20000" -d
outside "-v 2000000" -v
outside "-v 20000" -v
outside "-n 10" -n
outside "-t 100"
for l in "-s 256" "-l 0" "-m 1000" "-i 0" "-q 0" "-x 0"; do outside "$l"; done

# A user who may start no more processes is told which limit that is. Root may always.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	install -m 755 "$SOFTPMU" "$work/softpmu"
	chmod 755 "$work"
	(ulimit -u 1; cd /; exec setpriv --reuid=61234 --regid=61234 --clear-groups "$work/softpmu" stat -- /bin/echo hi) \
		>"$work/out" 2>"$work/err" </dev/null
	rc=$?
	[ $rc = 125 ] && [ ! -s "$work/out" ] && [ "$(wc -l <"$work/err")" = 1 ] && grep -q 'ulimit -u allows' "$work/err" && ok ||
		bad "ulimit -u 1 of another user: status $rc, $(head -n 1 "$work/err")"
	# other LIMIT COMMAND...: softpmu's command under a hard limit of a user who cannot raise it
	other() {
		local limit=$1
		shift
		(ulimit $limit; cd /; exec timeout 300 setpriv --reuid=61234 --regid=61234 --clear-groups "$work/softpmu" "$@") \
			>"$work/out" 2>"$work/err" </dev/null
		rc=$?
	}
	other "-u 1" doctor
	[ $rc = 125 ] && grep -q '^FAIL  processes and threads .*(ulimit -u)' "$work/out" && [ "$(grep -c ^FAIL "$work/out")" = 1 ] && ok ||
		bad "ulimit -u 1: doctor, status $rc: $(grep FAIL "$work/out" | head -n 2)"
	# No room for threads that work clocks out: one does, with a note and the same counts.
	other "-u 100" stat -x, --env clean -e cycles --workers 2 -- /bin/echo hi
	cp "$work/err" "$work/want"
	other "-u 2" stat -x, --env clean -e cycles --workers 2 -- /bin/echo hi
	[ $rc = 0 ] && cmp -s <(cut -d, -f1,3 "$work/err") <(cut -d, -f1,3 "$work/want") && ok ||
		bad "ulimit -u 2, clocks: status $rc, $(head -n 1 "$work/err") instead of $(cat "$work/want")"
	other "-u 2" stat --env clean -e cycles --workers 2 -- /bin/echo hi
	[ $rc = 0 ] && [ "$(grep -c 'ulimit -u lets this user start no more threads' "$work/err")" = 1 ] && ok ||
		bad "ulimit -u 2, clocks: status $rc, no note: $(tail -n 2 "$work/err")"
	other "-u 2" doctor
	[ $rc = 0 ] && grep -q '^note  processes and threads .*(ulimit -u)' "$work/out" && ok || bad "ulimit -u 2: doctor, status $rc"
	# A hard limit of processor time: what was counted is told before the kernel ends softpmu, in whichever process the time went.
	endless='while :; do :; done'
	for t in 1 2; do
		for program in "$endless" "trap '' TERM; $endless" "$endless & wait" ; do
			other "-t $t" stat -e instructions,cycles -- /bin/sh -c "$program"
			[ $rc = 152 ] && grep -q '^softpmu: .*processor time that ulimit -t allows' "$work/err" &&
				[ "$(sed -n 's/^ *\([0-9,]*\)  *cycles.*/\1/p' "$work/err" | tr -d ,)" -gt 100000 ] && ok ||
				bad "ulimit -t $t of another user, $program: status $rc, $(head -n 1 "$work/err")"
		done
	done
	other "-t 1" stat -x, -r 3 -e cycles -- /bin/sh -c "$endless"
	[ $rc = 152 ] && grep -q ',cycles' "$work/err" && ok || bad "ulimit -t 1, -r 3: status $rc, $(head -n 1 "$work/err")"
	# Without clocks the program's own time is over first: it ends as natively.
	(ulimit -t 1; exec /bin/sh -c "$endless") 2>/dev/null
	native=$?
	other "-t 1" stat -x, -e instructions -- /bin/sh -c "$endless"
	[ $rc = $native ] && [ "$(sed -n 's/^\([0-9]*\),.*instructions.*/\1/p' "$work/err")" -gt 1000000 ] && ok ||
		bad "ulimit -t 1, instructions: status $rc instead of $native, $(head -n 1 "$work/err")"
	other "-t 1" doctor
	[ $rc = 0 ] && grep -q '^note  processor time  *1 second' "$work/out" && grep -q '(ulimit -t)' "$work/out" && ok ||
		bad "ulimit -t 1: doctor, status $rc: $(grep 'processor time' "$work/out")"
fi
# With none at all the kernel ends it at the next tick of its clock; that mostly leaves time for a sentence. Some kernels
# count finer and end every other program that does nothing: there is no time for a sentence.
at_once=
for try in {1..20}; do
	bash -c 'ulimit -t 0; exec /bin/true'
	[ $? = 137 ] && at_once=1
done 2>/dev/null
for command in "stat -- /bin/echo hi" "run -- /bin/echo hi" doctor; do
	for try in {1..40}; do
		bash -c 'ulimit -t 0; exec "$@"' - "$SOFTPMU" $command >"$work/out" 2>"$work/err" </dev/null
		rc=$?
		[ $rc = 137 ] || break
	done 2>/dev/null
	if [ $rc = 137 ] && [ $at_once ]; then
		skip "ulimit -t 0, $command: this kernel ends /bin/true, too, before it does anything"
		continue
	fi
	[ $rc = 125 ] && [ "$(wc -l <"$work/err")" = 1 ] && grep -q '^softpmu: ulimit -t allows 0 seconds .*needs' "$work/err" && ok ||
		bad "ulimit -t 0, $command: status $rc, $(head -n 1 "$work/err")"
done

# RLIMIT_DATA is the program's own: natively the same calls fail.
cat >"$work/data.c" <<'E'
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#define MIB (1ul << 20)
static void *map(unsigned long n, int prot, int flags) { return mmap(0, n * MIB, prot, flags | MAP_ANONYMOUS, -1, 0); }
int main(int argc, char **argv)
{
	struct rlimit r = { 64 * MIB, 128 * MIB };
	char *p, *q;
	if (argc > 1) {
		getrlimit(RLIMIT_DATA, &r);
		printf("behind exec %lu %lu %d\n", (unsigned long)r.rlim_cur, (unsigned long)r.rlim_max, map(100, PROT_WRITE, MAP_PRIVATE) == MAP_FAILED);
		return 0;
	}
	setrlimit(RLIMIT_DATA, &r);
	printf("shared %d\n", map(100, PROT_WRITE, MAP_SHARED) == MAP_FAILED);
	q = map(100, PROT_READ, MAP_PRIVATE);
	printf("read-only %d\n", q == MAP_FAILED);
	printf("made writable %d\n", mprotect(q, 100 * MIB, PROT_READ | PROT_WRITE));
	printf("a part %d\n", mprotect(q, 20 * MIB, PROT_READ | PROT_WRITE));
	p = map(30, PROT_WRITE, MAP_PRIVATE);
	printf("30 MiB %d\n", p == MAP_FAILED);
	printf("30 more %d\n", map(30, PROT_WRITE, MAP_PRIVATE) == MAP_FAILED);
	printf("grown %d\n", mremap(p, 30 * MIB, 60 * MIB, MREMAP_MAYMOVE) == MAP_FAILED);
	printf("brk %d\n", sbrk(40 * MIB) == (void *)-1);
	munmap(p, 30 * MIB);
	printf("again %d\n", map(30, PROT_WRITE, MAP_PRIVATE) == MAP_FAILED);
	fflush(stdout);
	execl(argv[0], argv[0], "x", (char *)0);
	return 1;
}
E
sed -i '1i #define _GNU_SOURCE' "$work/data.c"
for bits in 64 32; do
	[ $bits = 64 ] || native_32_bit || continue
	$CC -m$bits -static -O1 -w -o "$work/data" "$work/data.c" 2>/dev/null || { skip "RLIMIT_DATA, $bits bits: no static libc"; continue; }
	"$work/data" >"$work/want"
	for events in $tiers; do
		"$SOFTPMU" stat -e $events -o "$work/counts" -- "$work/data" >"$work/out" 2>"$work/err"
		rc=$?
		[ $rc = 0 ] && cmp -s "$work/want" "$work/out" && ok || bad "RLIMIT_DATA ($bits bits, $events): status $rc: $(diff "$work/want" "$work/out" | head -n 4 | tr '\n' '|')"
	done
done
finish
