#!/bin/bash
# threads.sh -- programs with threads: they do what they do natively, their counts repeat bit for bit and do
# not depend on the tier, and rare paths of the engine (--chaos) change nothing.
#
# threads/threads.c has one small program per way in which threads meet. Those that meet through memory alone
# must repeat exactly and report no outside event. Timeouts and sleeps are counted in instructions, rounded up so
# that the way to them does not matter, on most runs; the digest has the time of day. With signals at any time
# only the output counts.
. "$(dirname "$0")/lib.sh"
ulimit -c 0
export OMP_NUM_THREADS=2

exact="mutex atomic cond barrier rwlock sem spin yield many fault robust pi futex exit leave abort exit_group detach word sync sync_alone pipe events"
clocked="timed sleep"
loose="cancel kill short signals fork spawn exec"

$CC -O1 -pthread -o "$work/threads" "$src/threads/threads.c" || exit 1
$CC -O1 -pthread -static -o "$work/threads-static" "$src/threads/threads.c" || exit 1

events1=inst_retired,uops_retired,br_inst_retired
events2=$events1,data_mem_refs,dcu_lines_in,br_miss_pred_retired

# native PROGRAM ARGS...: output and status to $work/native
native() {
	{ timeout 900 "$@" >"$work/native" </dev/null; } 2>/dev/null
	echo "status $?" >>"$work/native"
}

# counted TITLE NAME EVENTS OPTIONS... -- PROGRAM ARGS...: the same under softpmu, counts to $work/NAME
counted() {
	local title=$1 name=$2 events=$3
	shift 3
	timeout 900 "$SOFTPMU" stat --json -e $events -o "$work/$name.json" "$@" >"$work/out" 2>"$work/err" </dev/null
	echo "status $?" >>"$work/out"
	if ! cmp -s "$work/native" "$work/out"; then
		bad "$title: output or status differs: $(diff "$work/native" "$work/out" | head -n 4 | tr '\n' ' ') $(head -n 1 "$work/err")"
		return
	fi
	ok
	grep -oE '"(input_digest|value|name|outside_events)": *("[^"]*"|[0-9]+)' "$work/$name.json" >"$work/$name"
}

# equal TITLE A B: the same counts, as far as both have them
equal() {
	if [ ! -s "$work/$2" ] || [ ! -s "$work/$3" ]; then
		bad "$1: no counts"
	elif cmp -s "$work/$2" "$work/$3"; then
		ok
	else
		bad "$1: $(diff "$work/$2" "$work/$3" | grep '^[<>]' | head -n 4 | tr '\n' ' ')"
	fi
}

# Counts of the plain events and the digest alone.
plain() { awk '/input_digest/ { print } /"name"/ { n = $0 } /"value"/ && n ~ /inst_retired|uops_retired/ { print n, $0 }' "$work/$1" >"$work/$1.plain"; }

for t in $exact; do
	native "$work/threads" $t
	rm -f "$work"/[abc] "$work"/[abc].plain
	counted "$t, tier 1" a $events1 -- "$work/threads" $t
	counted "$t, tier 2" b $events2 -- "$work/threads" $t
	counted "$t, tier 2 again" c $events2 -- "$work/threads" $t
	equal "$t: two runs" b c
	plain a
	plain b
	equal "$t: tiers 1 and 2" a.plain b.plain
	grep -q '"outside_events": *0$' "$work/b" && ok || bad "$t: outside events in a program without any: $(grep outside "$work/b")"
done
# clocked TITLE PROGRAM ARGS...: of four runs two in a row have the same counts
clocked() {
	local title=$1 i
	shift
	native "$@"
	for i in 1 2 3 4; do
		rm -f "$work/a"
		counted "$title, run $i" a $events2 -- "$@"
		grep '"value"' "$work/a" >"$work/b"
		[ $i -gt 1 ] && cmp -s "$work/b" "$work/c" && break
		cp "$work/b" "$work/c"
	done
	equal "$title: two runs" b c
}
for t in $clocked; do
	native "$work/threads" $t
	counted "$t, tier 1" a $events1 -- "$work/threads" $t
	clocked $t "$work/threads" $t
done
for t in $loose; do
	native "$work/threads" $t
	counted "$t, tier 1" a $events1 -- "$work/threads" $t
	counted "$t, tier 2" a $events2 -- "$work/threads" $t
done
for t in mutex cond many cancel leave; do
	native "$work/threads-static" $t
	counted "static $t, tier 1" a $events1 -- "$work/threads-static" $t
	counted "static $t, tier 2" a $events2 -- "$work/threads-static" $t
done

# While one thread waits for a file to be written out, others run.
[ "$("$SOFTPMU" stat -e inst_retired -o "$work/a" -- "$work/threads" sync_turns | tail -n 1)" = 20 ] && ok ||
	bad "sync: no other thread runs during fsync"

# Turns end where the program's branches are, however its code is cut into blocks.
for t in cond spin robust sync events; do
	native "$work/threads" $t
	for events in $events1 $events2; do
		rm -f "$work/b"
		counted "$t" b $events -- "$work/threads" $t
		for mode in 1 2 4 8 16 32 64; do
			rm -f "$work/c"
			counted "$t, chaos $mode" c $events --chaos $mode -- "$work/threads" $t
			equal "$t, chaos $mode" b c
		done
	done
done

# Who wants what another thread gives up for a moment gets it, wherever turns end in that one's loop.
$CC -O1 -pthread -o "$work/starve" "$src/threads/starve.c" || exit 1
native "$work/starve"
counted "starve, tier 1" a $events1 -- "$work/starve"
counted "starve, tier 2" b $events2 -- "$work/starve"
counted "starve, tier 2 again" c $events2 -- "$work/starve"
equal "starve: two runs" b c

# Waits that end with a lock. Those with a time or with signals repeat in what they print alone; the digest has the
# numbers of threads, which they ask for.
$CC -O1 -pthread -o "$work/requeue" "$src/threads/requeue.c" || exit 1
for t in all one_by_one some errors timeouts signals lock_signals; do
	native "$work/requeue" $t
	counted "requeue $t, tier 1" a $events1 -- "$work/requeue" $t
	counted "requeue $t, tier 2" b $events2 -- "$work/requeue" $t
	case $t in timeouts | *signals) continue ;; esac
	counted "requeue $t, tier 2 again" c $events2 -- "$work/requeue" $t
	sed -i /input_digest/d "$work/b" "$work/c"
	equal "requeue $t: two runs" b c
done

# Steps of TF end behind each instruction, also where a block is entered behind its look at the turn (chaos 4 has only
# such) and where it ends with a jump that needs no code.
$CC -O1 -pthread -o "$work/steps" "$src/threads/steps.c" || exit 1
native "$work/steps"
for events in inst_retired $events1 $events2; do
	rm -f "$work/b"
	counted "steps ($events)" b $events -- "$work/steps"
	for mode in 4 8 16; do
		rm -f "$work/c"
		counted "steps, chaos $mode ($events)" c $events --chaos $mode -- "$work/steps"
		equal "steps, chaos $mode" b c
	done
done

# A seed gives turns of other lengths, which repeat too.
native "$work/threads" mutex
counted "mutex, seed 5" a $events2 --seed 5 -- "$work/threads" mutex
counted "mutex, seed 5 again" b $events2 --seed 5 -- "$work/threads" mutex
counted "mutex, seed 6" c $events2 --seed 6 -- "$work/threads" mutex
equal "seed 5: two runs" a b
cmp -s "$work/a" "$work/c" && bad "seeds 5 and 6 give the same turns" || ok

# Counts per thread: each event adds up to its total, which is what it is without them.
for t in mutex cond; do
	"$SOFTPMU" stat -x, -e $events2 -o "$work/sum" -- "$work/threads" $t >/dev/null 2>&1
	"$SOFTPMU" stat -x, -e $events2 --per-thread -o "$work/parts" -- "$work/threads" $t >/dev/null 2>&1
	n=$(grep -c '^thread-4,.*,inst_retired,' "$work/parts")
	[ "$n" = 1 ] && ok || bad "$t: no counts of thread 4"
	awk -F, '!/^#/ && $3 != "" { print $3, $1 }' "$work/sum" | sort >"$work/a"
	awk -F, '$1 == "total" && $4 != "" { print $4, $2 }' "$work/parts" | sort >"$work/b"
	awk -F, '$1 ~ /^thread/ { n[$4] += $2 } END { for (e in n) printf "%s %d\n", e, n[e] }' "$work/parts" | sort >"$work/c"
	equal "$t: totals with --per-thread" a b
	equal "$t: sums over the threads" a c
done

# The threads of all processes: forked ones, those of an exec, a vfork that does not exec; sums are the totals.
cat >"$work/tree.c" <<'E'
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int n;
static void *work(void *arg)
{
	for (int i = 0; i < 1000 * (int)(long)arg; i++)
		n++;
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t t;

	pthread_create(&t, NULL, work, (void *)(long)(argc > 1 ? 30 : 10));
	if (argc == 1) {
		if (fork() == 0) {
			pthread_create(&t, NULL, work, (void *)20l);
			pthread_join(t, NULL);
			execl(argv[0], argv[0], "again", NULL);
		}
		if (vfork() == 0)
			execl(argv[0], argv[0], "again", NULL);
		if (vfork() == 0)
			_exit(0);
		while (wait(NULL) > 0)
			;
	}
	pthread_join(t, NULL);
	return 0;
}
E
$CC -O1 -o "$work/tree" "$work/tree.c" -lpthread || exit 1
for options in "" --no-inherit; do
	"$SOFTPMU" stat -x, -e $events2 $options -o "$work/sum" -- "$work/tree" 2>/dev/null
	"$SOFTPMU" stat -x, -e $events2 $options --per-thread -o "$work/parts" -- "$work/tree" 2>/dev/null
	awk -F, '!/^#/ && $3 == "inst_retired" { print $3, $1 }' "$work/sum" | sort >"$work/a"
	awk -F, '$1 ~ /^thread/ && $4 == "inst_retired" { n[$4] += $2 } END { for (e in n) printf "%s %d\n", e, n[e] }' "$work/parts" | sort >"$work/c"
	equal "threads of all processes $options" a c
	awk -F, '$1 ~ /^thread/ && $4 == "inst_retired" { print $1 }' "$work/parts" | tr '\n' ' ' >"$work/names"
	want="thread-0 thread-1 thread-1.1:0 thread-1.1:1 thread-1.2:0 thread-1.2:1 thread-1.3:0 "
	[ -n "$options" ] && want="thread-0 thread-1 "
	[ "$(cat "$work/names")" = "$want" ] && ok || bad "threads of all processes $options: $(cat "$work/names")"
done

# Journals and traces of all processes: a file for each, which tells the same the next time.
"$SOFTPMU" stat -x, -e inst_retired,dcu_lines_in --per-process --journal "$work/j-%p" --trace "$work/t-%p" -o "$work/parts" -- "$work/tree" 2>/dev/null
[ "$(cd "$work" && echo j-* t-*)" = "j-1 j-1.1 j-1.2 t-1 t-1.1 t-1.2" ] && ok || bad "files of all processes: $(cd "$work" && echo j-* t-*)"
"$SOFTPMU" stat -e inst_retired --journal "$work/j-%p" -o "$work/parts2" -- "$work/tree" 2>/dev/null
grep -q 'calls of 3 processes are as in the journal' "$work/parts2" && ok || bad "journals of all processes: $(grep journal "$work/parts2")"
sed -i '3s/= -*[0-9]* ................/= 77 0123456789abcdef/' "$work/j-1.2"
"$SOFTPMU" stat -e inst_retired --journal "$work/j-%p" -o "$work/parts2" -- "$work/tree" 2>/dev/null
grep -q 'system call 2 of process 1.2 is the first that differs' "$work/parts2" && ok || bad "journal of one process that differs: $(grep journal "$work/parts2")"

# Real programs.
seq 1 40000 | awk '{ print $1 * 7919 % 10007, "text" }' >"$work/text"
cat >"$work/a.py" <<'E'
import queue, threading
q, done, lock = queue.Queue(), [], threading.Lock()
def work():
    while (x := q.get()) is not None:
        with lock:
            done.append(x * x % 97)
threads = [threading.Thread(target=work) for _ in range(3)]
for t in threads: t.start()
for i in range(200): q.put(i)
for t in threads: q.put(None)
for t in threads: t.join()
print(len(done), sum(done))
E
# real TITLE exact|loose PROGRAM ARGS...
real() {
	local title=$1 how=$2
	shift 2
	if [ ! -x "$1" ]; then
		skip "$title: $1 is not installed"
		return
	fi
	native "$@"
	rm -f "$work"/[ab]
	counted "$title, tier 1" c $events1 -- "$@"
	counted "$title, tier 2" a $events2 -- "$@"
	[ $how = exact ] || return
	counted "$title, tier 2 again" b $events2 -- "$@"
	equal "$title: two runs" a b
}
real sort exact /usr/bin/sort --parallel=2 -n "$work/text"
real zstd loose /usr/bin/zstd -q -T2 -c "$work/text"
real xz loose /usr/bin/xz -T2 -1 -c "$work/text"
real python3 loose /usr/bin/python3 -I "$work/a.py"
[ -x /usr/bin/python3 ] && clocked python3 /usr/bin/python3 -I "$work/a.py"
if $CC -O2 -fopenmp -o "$work/matrix" "$src/threads/matrix.c" 2>"$work/err"; then
	real "OpenMP matrix" exact "$work/matrix"
else
	skip "OpenMP: $(head -n 1 "$work/err")"
fi
finish
