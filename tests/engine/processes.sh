#!/bin/bash
# processes.sh -- programs of several processes: same output and status as natively, every process counted,
# the same counts on every run.
. "$(dirname "$0")/lib.sh"
ulimit -c 0

$CC -O1 -D_GNU_SOURCE -w -o "$work/processes" "$src/processes.c" || exit 1
events1=inst_retired
events2=inst_retired,dcu_lines_in,br_miss_pred_retired

# Is what both wrote the same? Natively, what outlives the first process may still be writing.
equal() {
	local try
	for try in {1..600}; do
		cmp -s "$work/native" "$work/counted" && return
		sleep 0.1
	done
	false
}

# same NAME PROGRAM ARGS...: native against counted, in both tiers; in make check in one of them, by turns
same() {
	local name=$1 want rc events
	shift
	rm -f "$work/native" # who is late writes into the file that he has open
	timeout 900 "$@" >"$work/native" 2>&1 </dev/null
	want=$?
	in_turn # the next name begins with the other tier
	for events in $events1 $events2; do
		in_turn || continue
		timeout -k 5 900 "$SOFTPMU" stat -x, -e $events -o "$work/counts" -- "$@" >"$work/counted" 2>&1 </dev/null
		rc=$?
		if [ $rc != $want ]; then
			bad "$name ($events): status $rc, not $want: $(tail -n 1 "$work/counted")"
		elif ! equal; then
			bad "$name ($events): $(diff "$work/native" "$work/counted" | head -n 4 | tr '\n' '|')"
		else
			ok
		fi
	done
}

for name in statuses kills tree orphan signals sharing closes code many execs vforks spawns again; do
	same $name "$work/processes" $name
done

# Processes by clone3, as posix_spawn of newer libraries and container tools start them.
clone3_of() {
	local name
	$CC $2 -O1 -D_GNU_SOURCE -w -o "$work/$1" "$src/clone3.c" || return
	"$work/$1" >/dev/null
	[ $? != 77 ] || { skip "$1: the kernel has no clone3"; return; }
	for name in ends numbers clear exit_signals errors chosen; do
		same "$1 $name" "$work/$1" $name
	done
}
clone3_of clone3

# Processes that share their memory, and what searches for leaks in that way.
mates_of() {
	local name
	$CC $2 -O1 -D_GNU_SOURCE -w -pthread -o "$work/$1" "$src/mates.c" || return
	for name in identity turns tables ends threads execs outlives tracers first first_sharing first_ends first_ends_sharing; do
		same "$1 $name" "$work/$1" $name
	done
}
mates_of mates

# Processes that share a table of descriptors, or a directory, and not their memory.
one_table_of() {
	local name
	$CC $2 -O1 -D_GNU_SOURCE -w -pthread -o "$work/$1" "$src/one_table.c" || return
	for name in shared closes races generations execs parts compared mixed outlives directory; do
		same "$1 $name" "$work/$1" $name
	done
}
one_table_of one_table
printf '#include <stdlib.h>\n__attribute__((noinline)) static void f(void) { char *volatile p = malloc(77); p = 0; }\nint main(void) { f(); return 3; }\n' >"$work/leak.c"
if $CC -fsanitize=address -o "$work/leak" "$work/leak.c" 2>/dev/null && ! "$work/leak" 2>/dev/null; then
	for detect in 1 0; do
		same "leaks" sh -c "ASAN_OPTIONS=detect_leaks=$detect $work/leak 2>&1 | grep -o '[0-9]* byte(s) leaked.*'"
		same "status with leaks" env ASAN_OPTIONS=detect_leaks=$detect:log_path=/dev/null "$work/leak"
	done
else
	skip "search for leaks: no AddressSanitizer here"
fi

# A 32-bit program does the same, and the two kinds start each other.
if $CC -m32 -O1 -D_GNU_SOURCE -w -o "$work/processes32" "$src/processes.c" 2>/dev/null && "$work/processes32" exit 0 2>/dev/null; then
	for name in statuses kills tree signals closes execs vforks spawns; do
		same "$name, 32 bits" "$work/processes32" $name
	done
	clone3_of clone3_32 -m32
	mates_of mates32 -m32
	one_table_of one_table32 -m32
	same "64 to 32 to 64 bits" sh -c "$work/processes32 exit 3; echo \$?; exec $work/processes32 spawns"
else
	skip "32-bit processes: no 32-bit C library or no 32-bit system calls here"
fi

# --- programs ---------------------------------------------------------------------------------------
mkdir "$work/bin" "$work/dir"
seq 1 3000 | awk '{ print $1 * 7919 % 10007, "line" }' >"$work/text"
printf '#!/bin/sh -e\necho "script $0 $# $1"; exit 4\n' >"$work/bin/script"
printf '#! %s/bin/script   two words \necho never\n' "$work" >"$work/bin/nested"
printf '#!/nonexistent/interpreter\n' >"$work/bin/broken"
printf 'echo plain text, run by the shell "$@"\n' >"$work/bin/plain"
printf '#!%s/bin/loop\n' "$work" >"$work/bin/loop"
printf '\001\002\003' >"$work/bin/garbage"
cp "$work/processes" "$work/bin/unreadable"
chmod 755 "$work"/bin/*
in=$work/text
PATH=$work/bin:$PATH
same "sh pipeline" sh -c "gzip -c $in | wc -c; sort $in | uniq -c | sort -n | tail -n 3"
same "sh commands" sh -c 'for i in 1 2 3 4 5; do /bin/true && /bin/echo $i; done; /bin/false; echo $?; (exit 7); echo $?; sh -c "kill -TERM \$\$"; echo $?'
same "scripts" sh -c 'script a b; echo $?; nested x y; echo $?; broken; echo $?; plain 1 2; loop; echo $?; garbage; echo $?; ./nothing; echo $?'
same "script run first" script "an argument"
same "bash pipelines" bash -c "shopt -s lastpipe; cat $in | head -n 50 | while read a b; do echo \$((a % 10)); done | sort | uniq -c; echo \${PIPESTATUS[@]}; x=\$(date +%Y >/dev/null; echo sub); echo \$x; diff <(head -n 3 $in) <(tail -n 3 $in)"
same "bash jobs" bash -c 'exec 2>/dev/null; for i in 1 2 3 4; do (sleep 0.0$i; exit $i) & done; wait -n; wait; echo done; trap "echo trapped" USR1; kill -USR1 $$; (kill -9 $BASHPID); echo $?; ulimit -n 40; /bin/echo low limit'
same "exec in sh" sh -c 'exec 5>&1; exec sh -c "echo on five >&5; exec env -i A=b sh -c \"echo \\\$A\""'
same "xargs and find" sh -c "cd $work/bin && find . -type f | sort | xargs -n 2 echo; find . -name 's*' -exec echo found {} ';'"
same "limits" sh -c 'ulimit -v 2000000; ulimit -v; sh -c "ulimit -v; ulimit -Hv"; ulimit -s 100; exec sh -c "ulimit -s; ulimit -Hs; ulimit -s 64; exec /bin/echo small"'
same "no limits" sh -c 'ulimit -s unlimited; exec sh -c "ulimit -s; exec /bin/echo large"'
same "environment" env -i A=1 B= C='x y' env
same "nohup, nice, timeout" sh -c 'nice -n 5 nice; timeout 5 echo in time; timeout 0.2 sleep 5; echo $?; setsid -w sh -c "exit 3"; echo $?'
if command -v perl >/dev/null; then
	same "perl" perl -e 'print `echo backticks`; $p = fork; if (!$p) { exit 3 } waitpid $p, 0; print $? >> 8, "\n"; open F, "-|", "seq 3"; print <F>; close F; print system("exit 2") >> 8, "\n"; exec "echo", "last"'
fi
if command -v python3 >/dev/null; then
	same "python3" python3 -I -c '
import subprocess, os, sys, multiprocessing as mp
print(subprocess.run(["sh", "-c", "cat; exit 3"], input=b"hello", capture_output=True))
p = subprocess.Popen(["sort"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, close_fds=True)
print(p.communicate(b"c\nb\na\n"))
try:
    subprocess.run(["/nonexistent"])
except FileNotFoundError as e:
    print(e)
print(subprocess.run("exit 7", shell=True, preexec_fn=os.setsid).returncode)
pid = os.fork()
if pid == 0:
    os._exit(5)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
'
fi
if command -v make >/dev/null; then
	printf 'int f(int x) { return x * 3; }\n' >"$work/dir/f.c"
	printf '#include <stdio.h>\nint f(int);\nint main(void) { printf("%%d\\n", f(14)); return 0; }\n' >"$work/dir/main.c"
	printf 'main: main.o f.o\n\t@gcc -o main main.o f.o\n\t@./main\n%%.o: %%.c\n\t@gcc -O1 -c -o $@ $<\nclean:\n\t@rm -f main *.o\n' >"$work/dir/Makefile"
	same "make -j2 with gcc" sh -c "cd $work/dir && make -s clean && make -s -j2"
fi
if command -v git >/dev/null; then
	cat >"$work/bin/repository" <<'E'
#!/bin/sh
# A small repository with known names and dates: the same commits everywhere.
rm -rf "$1" && mkdir "$1" && cd "$1" || exit 1
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b HOME=$1 \
	GIT_AUTHOR_DATE='2000-01-01T00:00:00Z' GIT_COMMITTER_DATE='2000-01-01T00:00:00Z' GIT_CONFIG_NOSYSTEM=1
git init -q -b main . && echo one >f && git add f && git commit -q -m first && echo two >>f && git commit -qam second
git log --oneline | cat; git diff HEAD~1 | cat; git checkout -q -b side HEAD~1 && git merge -q --no-edit main; git status --short
E
	chmod 755 "$work/bin/repository"
	same "git" repository "$work/repo"
fi

# Every process counts, those of the tree too: two runs are equal, and a deeper tree has more.
for events in $events1 $events2; do
	for n in 1 2; do
		"$SOFTPMU" stat --json -e $events -o "$work/tree$n" -- "$work/processes" tree >/dev/null
		grep -oE '"(input_digest|value)": *("[^"]*"|[0-9]+)' "$work/tree$n" >"$work/counts$n"
	done
	[ -s "$work/counts1" ] && cmp -s "$work/counts1" "$work/counts2" && ok ||
		bad "tree: two runs differ ($events): $(diff "$work/counts1" "$work/counts2" | head -n 4 | tr '\n' '|')"
done

# A program that predicts its counts: the loop of a child is N turns of 3 instructions, of two children twice
# that, whoever else runs.
cat >"$work/predict.c" <<'E'
#include "bare.h"
int test_main(long argc, char **argv)
{
	for (int i = 0; i < 2; i++) {
		if (bare_call(57, 0, 0, 0, 0, 0, 0) == 0) { /* fork */
			long n = argc > 1 ? 2000 : 1000;
			__asm__ volatile("1: add $1, %%rax; dec %0; jnz 1b" : "+r"(n) : : "rax", "cc");
			bare_call(60, 0, 0, 0, 0, 0, 0);
		}
		bare_call(61, -1, 0, 0, 0, 0, 0); /* wait4 */
	}
	return 0;
}
E
bare "$work/predict" -I"$src" "$work/predict.c" || exit 1
for events in $events1 $events2; do
	for n in "" more; do
		"$SOFTPMU" stat -x, -e $events -o "$work/stat$n" -- "$work/predict" $n
	done
	n=$(($(count_of "$work/statmore" inst_retired) - $(count_of "$work/stat" inst_retired)))
	# mov of the other constant aside, which is one instruction either way
	[ $n = 6000 ] && ok || bad "predicted counts of children ($events): $n, not 6000"
done

# --per-process: every process by order of birth, the sums are the totals, and each child of the program above
# has done its own 3000 instructions more. --no-inherit counts what the first line shows.
own() { awk -F, -v p="$2" -v e="$3" '$1 == p && $4 == e { print $2 }' "$1"; }
for events in $events1 $events2; do
	for n in "" more; do
		"$SOFTPMU" stat -x, --per-process -e $events -o "$work/each$n" -- "$work/predict" $n
	done
	names=$(awk -F, '/inst_retired/ { printf "%s|", $1 }' "$work/each")
	[ "$names" = "total|1 predict|1.1 predict|1.2 predict|" ] && ok || bad "names of processes ($events): $names"
	for e in ${events//,/ }; do
		sum=$(awk -F, -v e=$e '$4 == e && $1 != "total" { n += $2 } END { print n }' "$work/each")
		[ "$sum" = "$(own "$work/each" total $e)" ] && ok || bad "$e: $sum over the processes, $(own "$work/each" total $e) in total"
	done
	for c in 1.1 1.2; do
		n=$(($(own "$work/eachmore" "$c predict" inst_retired) - $(own "$work/each" "$c predict" inst_retired)))
		[ $n = 3000 ] && ok || bad "predicted count of child $c ($events): $n, not 3000"
	done
	"$SOFTPMU" stat -x, -i -e $events -o "$work/alone" -- "$work/predict"
	[ "$(count_of "$work/alone" inst_retired)" = "$(own "$work/each" "1 predict" inst_retired)" ] && ok ||
		bad "--no-inherit ($events): $(count_of "$work/alone" inst_retired)"
done

# What a vfork child does counts for the child, whether it executes a program or ends.
cat >"$work/borrow.c" <<'E'
#include "bare.h"
int test_main(long argc, char **argv)
{
	static char *again[] = { "borrow", 0 };
	long pid;

	if (argc < 2)
		return 0;
	__asm__ volatile("syscall" : "=a"(pid) : "a"(58) : "rcx", "r11", "memory"); /* vfork */
	if (pid == 0) {
		long n = argc > 2 ? 2000 : 1000;
		__asm__ volatile("1: add $1, %%rax; dec %0; jnz 1b" : "+r"(n) : : "rax", "cc");
		if (argv[1][0] == 'x')
			bare_call(59, (long)argv[0], (long)again, 0, 0, 0, 0);
		bare_call(60, 0, 0, 0, 0, 0, 0);
	}
	bare_call(61, -1, 0, 0, 0, 0, 0);
	return 0;
}
E
bare "$work/borrow" -I"$src" "$work/borrow.c" || exit 1
for events in $events1 $events2; do
	for how in ends x; do
		for n in "" more; do
			"$SOFTPMU" stat -x, --per-process -e $events -o "$work/each$n" -- "$work/borrow" $how $n
		done
		n=$(($(own "$work/eachmore" "1.1 borrow" inst_retired) - $(own "$work/each" "1.1 borrow" inst_retired)))
		parent=$(($(own "$work/eachmore" "1 borrow" inst_retired) - $(own "$work/each" "1 borrow" inst_retired)))
		[ "$n $parent" = "3000 0" ] && ok || bad "predicted count of a vfork child that $how ($events): $n, its parent's $parent"
	done
done

# So do processes in one memory, which take turns meanwhile; one that executes a program takes its counts along, and its child's
# name begins with its own.
cat >"$work/beside.c" <<'E'
#include "bare.h"
static char stack[4096];
static char *again[] = { "beside", 0 };
int test_main(long argc, char **argv)
{
	register long n __asm__("rbx") = 998000 + argc * 1000, how __asm__("rbp") = argc > 1 ? argv[1][0] : 0;
	register char *path __asm__("r12") = argv[0], **args __asm__("r13") = again;
	long pid = 56, turns = 1000000;

	if (argc < 2)
		return 0;
	__asm__ volatile("syscall\n\ttest %%rax, %%rax\n\tjnz 1f\n"
	                 "2:\tadd $1, %%rax\n\tdec %%rbx\n\tjnz 2b\n\tcmp $102, %%ebp\n\tjne 4f\n" /* 'f': fork */
	                 "\tmov $57, %%eax\n\tsyscall\n"
	                 "4:\tcmp $120, %%ebp\n\tjne 3f\n" /* 'x': execve */
	                 "\tmov $59, %%eax\n\tmov %%r12, %%rdi\n\tmov %%r13, %%rsi\n\txor %%edx, %%edx\n\tsyscall\n"
	                 "3:\tmov $60, %%eax\n\txor %%edi, %%edi\n\tsyscall\n1:"
	                 : "+a"(pid), "+r"(n), "+r"(how), "+r"(path), "+r"(args) : "D"(0x111), "S"(stack + sizeof(stack)), "d"(0)
	                 : "rcx", "r11", "memory", "cc"); /* clone: CLONE_VM, SIGCHLD */
	__asm__ volatile("1: add $1, %%rax; dec %0; jnz 1b" : "+r"(turns) : : "rax", "cc");
	bare_call(61, -1, 0, 0x40000000, 0, 0, 0);
	return 0;
}
E
bare "$work/beside" -I"$src" "$work/beside.c" || exit 1
for events in $events1 $events2; do
	for how in ends x f; do
		for n in "" more; do
			"$SOFTPMU" stat -x, --per-process -e $events -o "$work/each$n" -- "$work/beside" $how $n
		done
		"$SOFTPMU" stat -x, -e $events -o "$work/stat" -- "$work/beside" $how
		n=$(($(own "$work/eachmore" "1.1 beside" inst_retired) - $(own "$work/each" "1.1 beside" inst_retired)))
		parent=$(($(own "$work/eachmore" "1 beside" inst_retired) - $(own "$work/each" "1 beside" inst_retired)))
		[ "$n $parent" = "3000 0" ] && ok || bad "predicted count of a process in its parent's memory ($how, $events): $n, its parent's $parent"
		total=$(own "$work/each" total inst_retired)
		sum=$(awk -F, '/inst_retired/ && $1 != "total" { n += $2 } END { print n }' "$work/each")
		[ "$total" = "$sum" ] && [ "$total" = "$(count_of "$work/stat" inst_retired)" ] && ok ||
			bad "processes in one memory ($how, $events): $total in total, $sum over them, $(count_of "$work/stat" inst_retired) together"
		names=$(awk -F, '/inst_retired/ { printf "%s|", $1 }' "$work/each")
		want="total|1 beside|1.1 beside|"
		[ $how = f ] && want="${want}1.1.1 beside|"
		[ "$names" = "$want" ] && ok || bad "names of processes in one memory ($how, $events): $names"
	done
done

# Rare paths made common (chaos.sh): over fork, vfork and exec too every count stays. 256 and 512: the model without
# short cuts and without host code; 1024: every process translates for itself.
modes="64 256 512 1024"
[ "$CHECK_LEVEL" = all ] && modes="$modes 1 8 16 32 63" # these translate ld.so again and again
# (No shell here: it makes a text of its parent's number.)
for events in $events1 $events2; do
	for name in tree vforks; do
		"$SOFTPMU" stat -x, --env clean -e $events -o "$work/plain" -- "$work/processes" $name >"$work/plain.out"
		for mode in $modes; do
			"$SOFTPMU" stat -x, --env clean --chaos $mode -e $events -o "$work/chaos" -- "$work/processes" $name >"$work/chaos.out"
			cmp -s "$work/plain.out" "$work/chaos.out" && cmp -s <(cut -d, -f1,3 "$work/plain") <(cut -d, -f1,3 "$work/chaos") && ok ||
				bad "$name, chaos $mode ($events): $(diff <(cut -d, -f1,3 "$work/plain") <(cut -d, -f1,3 "$work/chaos") | grep '^[<>]' | tr '\n' ' ')"
		done
	done
done
finish
