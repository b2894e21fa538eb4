#!/bin/bash
# bad_input.sh -- what cannot work says so in one sentence, with the right status, and starts nothing;
# what ends early still shows what was counted.
. "$(dirname "$0")/lib.sh"
ulimit -c 0

cat >"$work/hello.c" <<'E'
#include <stdio.h>
int main(void) { puts("hello"); return 0; }
E
$CC -o "$work/hello" "$work/hello.c"

# refuse TITLE STATUS PATTERN ARGS...: softpmu ARGS says a sentence that matches, and runs nothing
refuse() {
	local title=$1 want=$2 pattern=$3 rc lines
	shift 3
	timeout 900 "$SOFTPMU" "$@" >"$work/out" 2>"$work/err" </dev/null
	rc=$?
	lines=$(grep -c . "$work/err")
	if [ $rc != "$want" ]; then
		bad "$title: status $rc, not $want: $(head -n 1 "$work/err")"
	elif [ "$lines" != 1 ]; then
		bad "$title: $lines lines instead of one sentence: $(head -n 2 "$work/err" | tr '\n' '|')"
	elif ! grep -qiE "$pattern" "$work/err"; then
		bad "$title: the sentence misses /$pattern/: $(cat "$work/err")"
	elif grep -q hello "$work/out"; then
		bad "$title: the program was started"
	else
		ok
	fi
}

# counted TITLE STATUS EXTRA-PATTERN -- ARGS...: the run ends with the status and shows a count
counted() {
	local title=$1 want=$2 pattern=$3 rc
	shift 4
	timeout 900 "$SOFTPMU" "$@" >"$work/out" 2>"$work/err" </dev/null
	rc=$?
	if [ $rc != "$want" ]; then
		bad "$title: status $rc, not $want: $(grep -v '^$' "$work/err" | head -n 2 | tr '\n' '|')"
	elif ! grep -qiE '^ *[0-9][0-9,]* +inst_retired' "$work/err"; then
		bad "$title: no count shown: $(head -n 3 "$work/err" | tr '\n' '|')"
	elif ! grep -qiE "$pattern" "$work/err"; then
		bad "$title: nothing says /$pattern/: $(grep -v '^$' "$work/err" | tail -n 2 | tr '\n' '|')"
	else
		ok
	fi
}

h=$work/hello
# --- events ---------------------------------------------------------------------------------------
refuse "unknown event" 125 'inst_retired' stat -e inst_retird -- "$h"
refuse "event of another processor" 125 'pentium' stat --cpu pentium2 -e emon_kni_inst_retired -- "$h"
refuse "event of the P5 on a P6" 125 'pentium' stat -e pipeline_agi_stalls -- "$h"
refuse "bad unit mask" 125 'mask|m, e, s' stat -e l2_ld:q -- "$h"
refuse "unit mask out of range" 125 '.' stat -e l2_ld:0x100 -- "$h"
refuse "bad cmask" 125 'cmask|counter mask|255' stat -e inst_retired:c=256 -- "$h"
refuse "cmask that is no number" 125 '.' stat -e inst_retired:c=x -- "$h"
refuse "undefined code" 125 '.' stat -e r00ff -- "$h"
refuse "empty event" 125 '.' stat -e inst_retired,,flops -- "$h"
refuse "no events" 125 '.' stat -e '' -- "$h"
refuse "unclosed group" 125 '.' stat -e '{inst_retired' -- "$h"
refuse "counter conflict" 125 'counter' stat --counters 2 -e '{flops,fp_comp_ops_exe}' -- "$h"
refuse "three events on two counters" 125 'counter' stat --counters 2 -e '{inst_retired,uops_retired,data_mem_refs}' -- "$h"
refuse "unknown processor" 125 'pentium' stat --cpu pentium9 -- "$h"
refuse "unknown group" 125 '.' stat -g no-such-group -- "$h"
refuse "unknown metric" 125 '.' stat -M no-such-metric -- "$h"
refuse "unknown option" 125 '.' stat --no-such-option -- "$h"
refuse "impossible geometry" 125 '.' stat --l1d 33K:8:32 -- "$h"
refuse "no program" 125 '.' stat -e instructions
refuse "unknown command" 125 '.' no-such-command

# --- programs -------------------------------------------------------------------------------------
: >"$work/empty"
head -c 100 "$h" >"$work/truncated"
head -c 3000 "$h" >"$work/truncated2"
head -c 64 /dev/zero | tr '\0' 'x' >"$work/text"
printf '\x7fELF\x02\x01\x01' >"$work/arm" && head -c 9 /dev/zero >>"$work/arm" &&
	printf '\x02\x00\xb7\x00\x01\x00\x00\x00' >>"$work/arm" && head -c 200 /dev/zero >>"$work/arm"
cp "$h" "$work/not_executable"
chmod 644 "$work/not_executable"
chmod 755 "$work"/{empty,truncated,truncated2,text,arm}
mkdir "$work/directory"
refuse "program that is not there" 127 'no such|not found' stat -e instructions -- no-such-program-anywhere
refuse "path that is not there" 127 'no such|not found' stat -e instructions -- "$work/nothing"
refuse "directory" 126 'directory' stat -e instructions -- "$work/directory"
refuse "not executable" 126 'execut|permission' stat -e instructions -- "$work/not_executable"
refuse "empty file" 126 'empty' stat -e instructions -- "$work/empty"
refuse "truncated header" 126 'truncated|cut|short' stat -e instructions -- "$work/truncated"
refuse "truncated program" 126 'truncated|cut|short|end' stat -e instructions -- "$work/truncated2"
refuse "not an ELF file" 126 'ELF|format' stat -e instructions -- "$work/text"
refuse "other architecture" 126 'x86-64|aarch64|architecture' stat -e instructions -- "$work/arm"
printf '#!%s/nothing\n' "$work" >"$work/script" && chmod 755 "$work/script"
refuse "script without interpreter" 127 'interpreter|no such|not found' stat -e instructions -- "$work/script"

# --- output ---------------------------------------------------------------------------------------
refuse "output in no directory" 125 'no such|cannot' stat -o "$work/nowhere/file" -e instructions -- "$h"
if [ -c /dev/full ]; then
	timeout 900 "$SOFTPMU" stat -o /dev/full -e instructions -- "$h" >"$work/out" 2>"$work/err"
	rc=$?
	[ $rc = 125 ] && grep -qiE 'space|full|writ' "$work/err" && ok || bad "full output: status $rc, $(head -n 1 "$work/err")"
fi

# --- guests that misbehave ------------------------------------------------------------------------
cat >"$work/closer.c" <<'E'
#include <unistd.h>
int main(void) { for (int i = 0; i < 1024; i++) close(i); return 9; }
E
cat >"$work/killer.c" <<'E'
#include <signal.h>
#include <unistd.h>
int main(void) { kill(getpid(), SIGKILL); return 0; }
E
cat >"$work/eater.c" <<'E'
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
int main(void)
{
	struct rlimit r = { 200 << 20, 200 << 20 };
	setrlimit(RLIMIT_AS, &r);
	for (long n = 0; n < 400; n++) {
		char *p = malloc(1 << 20);
		if (!p)
			return n > 10 ? 8 : 1;
		memset(p, 1, 1 << 20);
	}
	return 7; /* the limit was not kept */
}
E
# Writes over every page that the engine could have put beside the program.
cat >"$work/scribbler.c" <<'E'
#include <signal.h>
#include <setjmp.h>
#include <stdio.h>
static sigjmp_buf back;
static void on_fault(int s) { (void)s; siglongjmp(back, 1); }
int main(void)
{
	static const unsigned long area[] = { 0x60000000, 0x70000000, 0x6f0000000000, 0x6f1000000000,
		0x6f2000000000, 0x6f3000000000, 0x6f4000000000 };
	signal(SIGSEGV, on_fault);
	for (volatile unsigned i = 0; i < sizeof(area) / sizeof(area[0]); i++)
		for (volatile unsigned long off = 0; off < (1ul << 22); off += 4096)
			if (!sigsetjmp(back, 1))
				*(volatile unsigned long *)(area[i] + off + 8) = 0xdeadbeefdeadbeef;
			else
				break;
	puts("scribbled");
	return 0;
}
E
cat >"$work/spinner.c" <<'E'
#include <unistd.h>
int main(void) { write(1, "up\n", 3); for (;;) ; }
E
cat >"$work/sleeper.c" <<'E'
#include <unistd.h>
int main(void) { write(1, "up\n", 3); for (;;) pause(); }
E
cat >"$work/ignorer.c" <<'E'
#include <signal.h>
#include <unistd.h>
int main(void) { signal(SIGTERM, SIG_IGN); write(1, "up\n", 3); for (;;) ; }
E
# One instruction is a model's work for a quarter of a minute.
cat >"$work/endless.S" <<'E'
	.globl _start
_start:	mov $1, %eax
	mov $1, %edi
	mov $up, %esi
	mov $3, %edx
	syscall
	mov $room, %esi
	mov $0x40000000, %ecx
	rep lodsb
1:	jmp 1b
up:	.ascii "up\n"
	.comm room, 0x40000000
E
$CC -nostdlib -static -no-pie -o "$work/endless" "$work/endless.S" || exit 1
cat >"$work/forker.c" <<'E'
#include <unistd.h>
int main(void) { return fork() < 0; }
E
# 1000 multiplications since the last system call, then blocks that take milliseconds each and have short records.
cat >"$work/stalled.S" <<'E'
	.globl _start
_start:	mov $1, %eax
	mov $1, %edi
	lea up(%rip), %rsi
	mov $3, %edx
	syscall
	mov $1, %eax
	mov $1000, %ebx
1:	imul %edx, %ebp
	dec %ebx
	jnz 1b
2:	lea room(%rip), %rdi
	mov $0x1000000, %ecx
	repne scasb # slow on the host, too
	jmp 2b
up:	.ascii "up\n"
	.comm room, 0x1000000
E
$CC -nostdlib -static -o "$work/stalled" "$work/stalled.S" || exit 1
for p in closer killer eater scribbler spinner sleeper ignorer forker; do
	$CC -O1 -w -o "$work/$p" "$work/$p.c" -lpthread || exit 1
done
# start EVENTS PROGRAM: softpmu in the background until the program is up; sets pid and guest
start() {
	rm -f "$work/out" # of the run before
	"$SOFTPMU" stat -e $1 -- "$work/$2" >"$work/out" 2>"$work/err" </dev/null &
	pid=$!
	for ((i = 0; i < 18000; i++)); do
		grep -q up "$work/out" 2>/dev/null || ! kill -0 $pid 2>/dev/null && break
		sleep 0.05
	done
	guest=$(pgrep -P $pid)
}

# await: wait until softpmu has ended, 15 minutes at most; sets rc
await() {
	for ((i = 0; i < 18000; i++)); do
		kill -0 $pid 2>/dev/null || break
		sleep 0.05
	done
	kill -KILL $pid 2>/dev/null
	wait $pid 2>/dev/null
	rc=$?
}

# gone TITLE: the guest process has ended too, or does when its turn comes
gone() {
	for ((i = 0; i < 18000; i++)); do
		# Dead is dead, even if init has not collected it yet.
		if [ -z "$guest" ] || ! kill -0 $guest 2>/dev/null || grep -q '^[0-9]* (.*) Z' /proc/$guest/stat 2>/dev/null; then
			ok
			return
		fi
		sleep 0.05
	done
	bad "$1 to softpmu leaves the program running"
	kill -KILL $guest
}

# ticks [PID]: processor time of the guest or another, in hundredths of a second; computes: until it has had 0.1 s more
ticks() { awk '{ sub(/.*\) /, ""); print $12 + $13 }' /proc/${1:-$guest}/stat; }
computes() {
	local end=$(($(ticks) + 10))
	for ((i = 0; i < 18000; i++)); do
		[ "$(ticks)" -lt $end ] || break
		sleep 0.05
	done
}

for events in inst_retired inst_retired,dcu_lines_in; do
	counted "guest closes all descriptors ($events)" 9 . -- stat -e $events -- "$work/closer"
	counted "guest kills itself with SIGKILL ($events)" 137 . -- stat -e $events -- "$work/killer"
	counted "guest exhausts memory ($events)" 8 . -- stat -e $events -- "$work/eater"
	counted "guest forks ($events)" 0 . -- stat -e $events -- "$work/forker"

	# A guest that writes over shared memory harms its own run only: softpmu ends in time with a sentence or
	# with counts, never by a signal.
	timeout -k 5 900 "$SOFTPMU" stat -e $events -- "$work/scribbler" >"$work/out" 2>"$work/err" </dev/null
	rc=$?
	case $rc in
	0 | 125 | 139) [ -s "$work/err" ] && ok || bad "scribbling guest ($events): status $rc and nothing said" ;;
	*) bad "scribbling guest ($events): status $rc: $(head -n 2 "$work/err" | tr '\n' '|')" ;;
	esac

	# Signals to softpmu: counts are printed, and it ends as the signal says.
	for p in spinner sleeper; do
		for sig in INT TERM; do
			start $events "$p"
			kill -$sig $pid
			await
			want=$((128 + $(kill -l $sig)))
			if [ $rc != $want ]; then
				bad "SIG$sig while the program ($p, $events) runs: status $rc, not $want: $(head -n 2 "$work/err" | tr '\n' '|')"
			elif ! grep -qiE '^ *[0-9][0-9,]* +inst_retired' "$work/err"; then
				bad "SIG$sig while the program ($p, $events) runs: nothing counted: $(head -n 3 "$work/err" | tr '\n' '|')"
			elif [ "$(grep -c "^softpmu: SIG$sig ended the run" "$work/err")" != 1 ]; then
				bad "SIG$sig while the program ($p, $events) runs: no sentence says so: $(head -n 3 "$work/err" | tr '\n' '|')"
			else
				ok
			fi
			gone "SIG$sig ($p, $events)"
		done
	done
done

# One that does not want to end is killed after a while; who waits for the model in a long instruction need not.
for events in inst_retired inst_retired,dcu_lines_in inst_retired,cycles; do
	start $events ignorer
	kill -TERM $pid
	await
	[ $rc = 143 ] && grep -q '[0-9] *inst_retired' "$work/err" && ok || bad "SIGTERM while the program ignores it ($events): status $rc"
	gone "SIGTERM (ignorer, $events)"
done
start "instructions,data_read,cycles --cpu pentium" endless
guest=$pid # softpmu itself: it begins when the program has done it
for i in 1 2 3; do computes; done
kill -TERM $pid
await
n=$(awk '$2 == "data_read" { gsub(",", "", $1); print $1 }' "$work/err")
[ $rc = 143 ] && [ "$n" -gt 0 ] && [ "$n" -lt $((1 << 30)) ] && ok || bad "SIGTERM in a long instruction: status $rc, $n elements"

# A guest that is killed from outside leaves what it did since its last system call, too.
for events in mul mul,dcu_lines_in mul,cycles; do
	start $events stalled
	computes
	kill -KILL $guest
	await
	n=$(awk '$2 == "mul" { gsub(",", "", $1); print $1 }' "$work/err")
	[ $rc = 137 ] && [ "$n" = 1000 ] && ok || bad "killed guest ($events): status $rc, $n multiplications instead of 1000"
done

# What is under way between guest and model is bounded by work, not by bytes: with softpmu stopped the guest gets as far as it can
# without it, and is killed there. A turn is 65536 elements in 6 instructions; 2^20 elements may be under way, and what one chunk
# (2^17) and one block hold more. By bytes alone it would be some 10000 turns.
cat >"$work/heavy.S" <<'E'
#ifdef __i386__
# define SYSTEM int $0x80
# define READ 3
# define WRITE 4
# define ARG1 %ebx
# define ARG2 %ecx
#else
# define SYSTEM syscall
# define READ 0
# define WRITE 1
# define ARG1 %edi
# define ARG2 %esi
#endif
	.globl _start
_start:	cld
1:	mov $to, %edi
	mov $from, %esi
	mov n, %ecx
	INSN
	cmpl $65536, n
	je 1b
#ifdef DENSE
	mov n, %ecx
2:	.rept 60
	nop
	.endr
	dec %ecx
	jnz 2b
#endif
	mov $WRITE, %eax # this way twice, with 16 elements: then all that follows is translated
	mov $1, ARG1
	mov $up, ARG2
	mov $3, %edx
	SYSTEM
	mov $READ, %eax
	mov $0, ARG1
	mov $n, ARG2
	mov $4, %edx
	SYSTEM
	jmp 1b
	.data
n:	.long 16
up:	.ascii "up\n"
	.comm to, 0x100000
	.comm from, 0x100000
E
mkfifo "$work/go"
# sleeps: how often the guest went to sleep
sleeps() { awk '/^voluntary/ { print $2 }' /proc/$guest/status; }
# get_far CPU EVENT FIRST LAST: heavy does what FIRST says, and what LAST says as far as it gets; sets n, the instructions
get_far() {
	local before
	rm -f "$work/out"
	"$SOFTPMU" stat --cpu $1 -e instructions,$2 -- "$work/heavy" <"$work/go" >"$work/out" 2>"$work/err" &
	pid=$!
	exec 7>"$work/go"
	printf $3 >&7
	for ((i = 0; i < 18000; i++)); do
		[ "$(grep -c up "$work/out" 2>/dev/null)" = 2 ] && break
		sleep 0.05
	done
	guest=$(pgrep -P $pid)
	kill -STOP $pid
	while ! grep -q '^[0-9]* (.*) T' /proc/$pid/stat; do sleep 0.01; done
	before=$(sleeps)
	printf $4 >&7
	for ((i = 0; i < 18000; i++)); do
		[ $(sleeps) -ge $((before + 4)) ] && break # as it does while it waits for room
		sleep 0.05
	done
	kill -KILL $guest
	kill -CONT $pid
	exec 7>&-
	wait $pid
	n=$(awk '$2 == "instructions" { gsub(",", "", $1); print $1 }' "$work/err")
}
# bounded BITS INSTRUCTION CPU EVENT
bounded() {
	local title="work under way ($1 bits, $2, $3, $4)"
	$CC -m$1 -nostdlib -static -no-pie -DINSN="$2" -o "$work/heavy" "$work/heavy.S" || exit 1
	get_far $3 $4 '\20\0\0\0' '\0\0\1\0'
	# 35 instructions come before it; the block that the guest died in may be left out
	[ "$n" -ge $((35 + 15 * 6)) ] && [ "$n" -le $((35 + 19 * 6)) ] && ok || bad "$title: $n instructions, not about $((35 + 16 * 6))"
}
for bits in 64 32; do
	[ $bits = 64 ] || has_32_bit || continue
	bounded $bits "repne scasb" pentium3 dcu_lines_in
	bounded $bits "rep movsb" pentium3 cycles
	bounded $bits "rep stosb" pentium data_read
	bounded $bits "repe cmpsb" pentium cycles
done

# The same where records say much: a turn is 62 instructions in 4 bytes. It has done 16 and 40000 turns when its records are known
# for that; 2^20 instructions may be under way, and what one chunk more holds. By bytes alone it would be 7 million.
for cpu in pentium3 pentium; do
	$CC -nostdlib -static -no-pie -DINSN=nop -DDENSE -o "$work/heavy" "$work/heavy.S" || exit 1
	get_far $cpu cycles '\100\234\0\0' '\0\0\0\1'
	least=$((62 * 40016 + (1 << 20) * 3 / 4))
	[ "$n" -ge $least ] && [ "$n" -le $((least + (1 << 19))) ] && ok || bad "work under way (dense, $cpu): $n instructions, not about $((least + (1 << 18)))"
done

# Nor does code that the model has not met yet wait there beyond that: it is more work than all that follows. 60000 blocks of 61
# instructions, 4 bytes of records each. softpmu is stopped when it has had 0.4 s of processor time, and then ended; behind that it
# may have 0.1 s, and what ticks and a busy processor make of it. By bytes alone it would be 0.3 to 1 s.
cat >"$work/new.S" <<'E'
	.globl _start
_start:
	.rept 60000
	.rept 60
	nop
	.endr
	jmp 1f
1:
	.endr
	jmp _start
E
$CC -nostdlib -static -o "$work/new" "$work/new.S" || exit 1
# soon EVENTS OPTIONS: both processes' time, as the shell has it that waits for them, less what they had before
soon() {
	local before after
	rm -f "$work/pid"
	bash -c '"$@" & echo $! >"$0/pid"; wait $!; times' "$work" "$SOFTPMU" stat -e $1 $2 -o "$work/counts" -- "$work/new" \
		>"$work/times" 2>/dev/null &
	while [ ! -s "$work/pid" ]; do sleep 0.05; done
	pid=$(cat "$work/pid")
	while kill -0 $pid 2>/dev/null && [ "$(ticks $pid)" -lt 40 ]; do sleep 0.02; done
	kill -STOP $pid
	while ! grep -q '^[0-9]* (.*) T' /proc/$pid/stat; do sleep 0.01; done
	sleep 0.1 # the guest goes as far as it can
	guest=$(pgrep -P $pid)
	before=$(($(ticks $pid) + $(ticks)))
	kill -TERM $pid
	kill -CONT $pid
	wait $!
	after=$(sed -n '2s/0m\|s//gp' "$work/times" | awk '{ printf "%d", ($1 + $2) * 100 }')
	grep -q '^ *[0-9][0-9,]* *instructions' "$work/counts" && [ $((after - before)) -le 15 ] && ok ||
		bad "work under way of new code ($*): $((after - before)) hundredths of a second behind the end"
}
soon instructions,cycles
soon instructions,cycles "--workers 1"

# Tier 1 counts in the program's memory. What a program adds there beyond what can have been executed since the run began is
# noticed: in one counter, in the sum of many, and where a sum would go round at 2^64. A system call that is to write there
# answers EFAULT, as where nothing is mapped, and so in the other areas.
cat >"$work/adder.c" <<'E'
#include <stdint.h>
#include <stdlib.h>
int main(int n, char **v)
{
	volatile uint64_t *counter = (volatile uint64_t *)0x70000000;
	const uint64_t more = strtoull(v[1], NULL, 0);
	for (int i = 0; i < 1 << 13; i++)
		counter[i] += more;
	return 0;
}
E
cat >"$work/kernel_writes.c" <<'E'
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
static int line;
#define FAULTS(call) do { line++; errno = 0; if ((call) != -1 || errno != EFAULT) return line; } while (0)
static void *sleeps(void *x) { pause(); return x; }
int main(int n, char **v)
{
	pthread_t other;
	char *const at = (char *)(uintptr_t)strtoull(v[1], NULL, 0);
	const int zero = open("/dev/urandom", O_RDONLY), one = open("/proc/self/exe", O_RDONLY);
	int pair[2];
	struct iovec piece = { at, 4096 };
	struct msghdr message = { .msg_iov = &piece, .msg_iovlen = 1 };
	if (n > 2 && pthread_create(&other, NULL, sleeps, NULL))
		return 98;
	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) || write(pair[0], "text", 4) != 4)
		return 99;
	FAULTS(syscall(SYS_read, zero, at, 4096));
	FAULTS(syscall(SYS_read, zero, at + 8, 64));
	FAULTS(syscall(SYS_getcwd, at, 4096));
	FAULTS(syscall(SYS_uname, at));
	FAULTS(syscall(SYS_readlink, "/proc/self/exe", at, 64));
	FAULTS(syscall(SYS_pipe, at));
	FAULTS(syscall(SYS_getrandom, at, 64, 0));
	FAULTS(syscall(SYS_getdents64, open("/", O_RDONLY), at, 4096));
	FAULTS(syscall(SYS_clock_gettime, 0, at));
	FAULTS(syscall(SYS_getrusage, 0, at));
	FAULTS(syscall(SYS_sysinfo, at));
#ifdef SYS_pread64
	if (sizeof(long) == 8) {
		FAULTS(syscall(SYS_pread64, one, at, 64, 0));
		FAULTS(syscall(SYS_fstat, one, at));
	}
#endif
	FAULTS(syscall(SYS_ioctl, pair[1], FIONREAD, at));
	if (strtoull(v[1], NULL, 0) >> 32)
		return 0; /* pieces are looked at for counters only */
	FAULTS(readv(zero, &piece, 1));
	FAULTS(preadv(one, &piece, 1, 0));
	if (n > 2 && sizeof(long) == 4)
		return 0; /* the other thread runs during socketcall */
	FAULTS(recvmsg(pair[1], &message, 0));
	return 0;
}
E
for bits in 64 32; do
	[ $bits = 64 ] || has_32_bit || continue
	$CC -m$bits -O1 -w -o "$work/adder" "$work/adder.c" && $CC -m$bits -O1 -w -o "$work/kernel_writes" "$work/kernel_writes.c" -lpthread ||
		continue # no 32-bit libc
	counted "counters with 0 added ($bits bits)" 0 . -- stat -e inst_retired -- "$work/adder" 0
	for more in 0x1000000000 0x1000000000000 0x100000000000000 0x1000000000000000 0xffffffffffff0000; do
		counted "counters with $more added ($bits bits)" 125 'the program damaged the memory' -- \
			stat -e inst_retired -- "$work/adder" $more
		n=$(awk '$2 == "inst_retired" { gsub(",", "", $1); print $1 }' "$work/err")
		[ "$n" -lt 10000000000000 ] && ok || bad "counters with $more added ($bits bits): $n instructions"
	done
	areas="0x70000000 0x70000100 0x71fff000"
	[ $bits = 64 ] && areas="$areas 0x6f0000000000 0x6f1000000000 0x6f2000000000 0x6f3000000000 0x6f4000000000"
	for events in inst_retired inst_retired,dcu_lines_in; do
		for at in $areas "0x70000000 threads"; do
			counted "kernel writes at $at ($bits bits, $events)" 0 . -- stat -e $events -- "$work/kernel_writes" $at
			n=$(awk '$2 == "inst_retired" { gsub(",", "", $1); print $1 }' "$work/err")
			[ "$n" -lt 10000000 ] && ok || bad "kernel writes at $at ($bits bits, $events): $n instructions"
		done
	done
done

# Random words instead of one: softpmu itself must not be what falls.
seeds=$(seq 12)
[ "$CHECK_LEVEL" = all ] && seeds=$(seq 120)
$CC -O1 -o "$work/scribble" "$src/scribble.c" || exit 1
for seed in $seeds; do
	case $((seed / 6 % 3)) in
	0) events=inst_retired ;;
	1) events=inst_retired,dcu_lines_in ;;
	2) events=inst_retired,cycles ;;
	esac
	timeout -k 5 900 "$SOFTPMU" stat -e $events -o "$work/counts" -- "$work/scribble" $seed >"$work/out" 2>"$work/err" </dev/null
	rc=$?
	{ [ $rc = 0 ] || { [ $rc = 125 ] && [ -s "$work/err" ]; }; } && ok ||
		bad "random words over shared memory, seed $seed ($events): status $rc: $(head -n 2 "$work/err" | tr '\n' '|')"
done

# Questions that the runtime never asks, or not then. The program may end as it likes; softpmu ends with counts,
# and when it cannot go on says so.
seeds="$(seq 4) 69 1008"
[ "$CHECK_LEVEL" = all ] && seeds=$(seq 80)
$CC -O1 -w -Isrc -o "$work/asker" "$src/asker.c" || exit 1
for seed in $seeds; do
	case $((seed % 4)) in
	0) options="-e inst_retired" ;;
	1) options="-e inst_retired,dcu_lines_in" ;;
	2) options="--per-process -e inst_retired,cycles" ;;
	3) options="--per-thread -e inst_retired,l2_lines_in" ;;
	esac
	rm -f "$work/counts"
	timeout -k 5 900 "$SOFTPMU" stat $options -o "$work/counts" -- "$work/asker" $seed >"$work/out" 2>"$work/err" </dev/null
	rc=$?
	[ $rc != 124 ] && [ $rc != 137 ] && { [ $rc != 125 ] || grep -q '^softpmu: ' "$work/err"; } && grep -q inst_retired "$work/counts" && ok ||
		bad "random questions, seed $seed ($options): status $rc: $(head -n 1 "$work/err" | cut -c1-80 | tr -cd '[:print:]')"
done

# Numbers of processes in shared memory are the guest's word: a child that names a stranger there, where its own number stood,
# is ended, and the stranger is not.
cat >"$work/namer.c" <<'E'
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	const uint32_t stranger = (uint32_t)atoi(argv[1]);
	volatile uint32_t *ctl = (volatile uint32_t *)0x6f1000000000;
	int at[64], n = 0;
	if (fork())
		for (;;)
			pause();
	const uint32_t own = (uint32_t)getpid();
	signal(SIGTERM, SIG_IGN);
	puts("up");
	fflush(stdout);
	/* Where it stands now: later, what counts chunks may be that number for a moment, too. */
	for (int i = 0; i < (1 << 20) / 4 && n < 64; i++)
		if (ctl[i] == own)
			at[n++] = i;
	for (;;)
		for (int i = 0; i < n; i++)
			if (ctl[at[i]] == own)
				ctl[at[i]] = stranger;
}
E
$CC -O1 -w -o "$work/namer" "$work/namer.c" || exit 1
sleep 300 &
stranger=$!
for events in inst_retired inst_retired,dcu_lines_in; do
	: >"$work/up"
	"$SOFTPMU" stat -e $events -o "$work/counts" -- "$work/namer" $stranger >"$work/up" 2>/dev/null &
	pid=$!
	for i in $(seq 9000); do [ -s "$work/up" ] && break; sleep 0.1; done
	sleep 0.3
	kill -TERM $pid
	wait $pid
	rc=$?
	kill -0 $stranger 2>/dev/null && [ $rc = 143 ] && ok || bad "a guest that names a stranger ($events): status $rc"
done
disown $stranger
kill $stranger

# SIGKILL to softpmu: the guest does not stay behind.
start inst_retired spinner
kill -KILL $pid
await
gone "SIGKILL"
finish
