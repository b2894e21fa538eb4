/* mates.c -- processes that share their memory and run beside each other (clone with CLONE_VM
 * alone); mates NAME runs one.
 *
 * What is printed is the same on every run and every machine. Status 0: as it should be.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

#define STACK 65536
#define ROOMS 16

static char stacks[ROOMS][STACK] __attribute__((aligned(16)));
static unsigned n_stacks;
static volatile int shared, is_done;
static int end[2];

static pid_t mate(int (*f)(void *), int flags)
{
	pid_t pid = clone(f, stacks[n_stacks++ % ROOMS] + STACK, CLONE_VM | flags, NULL);

	CHECK(pid > 0);
	return pid;
}

static int status_of(pid_t pid)
{
	int st;

	CHECK(waitpid(pid, &st, __WALL) == pid);
	return st;
}

/* Number, parent and memory. */
static pid_t seen[4];

static int look(void *arg)
{
	seen[0] = getpid();
	seen[1] = getppid();
	seen[2] = (pid_t)syscall(SYS_gettid);
	shared = 17;
	return 42;
}

static void identity(void)
{
	pid_t c = mate(look, SIGCHLD);

	CHECK(status_of(c) == 42 << 8);
	CHECK(seen[0] == c && seen[1] == getpid() && seen[2] == c && shared == 17);
	c = mate(look, 0); /* no signal at its end: __WALL or __WCLONE finds it */
	CHECK(waitpid(c, NULL, 0) == -1 && errno == ECHILD);
	CHECK(status_of(c) == 42 << 8 && seen[0] == c);
	puts("identity");
}

/* Both go on at the same time: each waits for the other. */
static int answers(void *arg)
{
	for (int i = 0; i < 1000; i++) {
		while (shared != 2 * i + 1)
			sched_yield();
		shared = 2 * i + 2;
	}
	return 0;
}

static void turns(void)
{
	pid_t c;

	shared = 0;
	c = mate(answers, SIGCHLD);
	for (int i = 0; i < 1000; i++) {
		shared = 2 * i + 1;
		while (shared != 2 * i + 2)
			;
	}
	CHECK(status_of(c) == 0);
	puts("turns");
}

/* Tables of descriptors and of dispositions: shared, or each its own. */
static void handler(int sig)
{
}

static int changes(void *arg)
{
	dup2(1, 40);
	dup2(1, 1020);
	signal(SIGUSR1, handler);
	return 0;
}

static void tables(void)
{
	for (int flags = 0; flags < 4; flags++) {
		struct sigaction a;
		pid_t c;

		close(40);
		close(1020);
		signal(SIGUSR1, SIG_DFL);
		c = mate(changes,
			 SIGCHLD | (flags & 1 ? CLONE_FILES : 0) | (flags & 2 ? CLONE_SIGHAND : 0));
		CHECK(status_of(c) == 0);
		CHECK((fcntl(40, F_GETFD) == 0) == (flags & 1));
		CHECK((fcntl(1020, F_GETFD) == 0) == (flags & 1));
		sigaction(SIGUSR1, NULL, &a);
		CHECK((a.sa_handler == handler) == flags >> 1);
	}
	close(40);
	puts("tables");
}

/* How they end, and the signal that says so. */
static volatile sig_atomic_t n_ends;

static void ended(int sig)
{
	n_ends++;
}

static int dies(void *arg)
{
	raise(SIGTERM);
	return 0;
}

static int faults(void *arg)
{
	*(volatile int *)8 = 1;
	return 0;
}

static int spins(void *arg)
{
	shared = 1;
	for (;;)
		;
	return 0;
}

static int sleeps(void *arg)
{
	shared = 1;
	pause();
	return 0;
}

static void ends(void)
{
	static int (*const how[])(void *) = {dies, faults, spins, sleeps};
	static const int sig[] = {SIGTERM, SIGSEGV, SIGKILL, SIGUSR2};
	struct rlimit none = {0, 0};

	setrlimit(RLIMIT_CORE, &none);
	signal(SIGUSR1, ended);
	for (int i = 0; i < 4; i++) {
		pid_t c;

		shared = i < 2;
		c = mate(how[i], SIGUSR1 | (i & 1 ? CLONE_SIGHAND : 0));
		while (!shared)
			sched_yield();
		if (i >= 2)
			kill(c, sig[i]);
		CHECK((status_of(c) & 0x7f) == sig[i]);
		CHECK(n_ends == i + 1);
	}
	puts("ends");
}

/* A mate with threads of its own ends all of them; one that ends by itself leaves the others. */
static void *forever(void *arg)
{
	shared++;
	for (;;)
		usleep(1000);
	return NULL;
}

static int spawns_threads(void *arg)
{
	pthread_t t;

	shared = 0;
	for (int i = 0; i < 3; i++)
		if (pthread_create(&t, NULL, forever, NULL))
			return 1;
	while (shared < 3)
		sched_yield();
	syscall(SYS_exit_group, 9);
	return 0;
}

static void *waits(void *arg)
{
	char byte;

	return (void *)(long)read(end[0], &byte, 1);
}

static void threads(void)
{
	pthread_t t;
	void *got;

	CHECK(pipe(end) == 0 && pthread_create(&t, NULL, waits, NULL) == 0);
	for (int i = 0; i < 3; i++)
		CHECK(status_of(mate(spawns_threads, SIGCHLD | CLONE_FILES)) == 9 << 8);
	CHECK(write(end[1], "x", 1) == 1 && pthread_join(t, &got) == 0 && got == (void *)1);
	puts("threads");
}

/* It forks, starts programs and executes one; who shares its memory goes on. */
static int starts(void *arg)
{
	int st;
	pid_t c = fork();

	if (!c) {
		shared = 5;
		_exit(3);
	}
	if (waitpid(c, &st, 0) != c || st != 3 << 8)
		return 1;
	fflush(stdout);
	if (system("echo from a shell") != 0)
		return 2;
	execl("/nonexistent/program", "program", NULL);
	execlp("sh", "sh", "-c", "echo from another program; exit 6", NULL);
	return 3;
}

static int n_open(void)
{
	int n = 0;

	for (int fd = 0; fd < 1024; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static void execs(void)
{
	const int before = n_open();

	for (int i = 0; i < 2; i++) {
		shared = 4;
		fflush(stdout);
		CHECK(status_of(mate(starts, SIGCHLD | (i ? CLONE_FILES : 0))) == 6 << 8);
		CHECK(shared == 4 && n_open() == before);
	}
	CHECK(status_of(mate(look, SIGCHLD)) == 42 << 8);
	puts("execs");
}

/* The first process executes another program, which ends before its mate does, or after it. */
static int ends_of[2][2];

static int stays_behind(void *arg)
{
	const char *text = "it goes on\n";
	char byte;

	if (read(ends_of[0][0], &byte, 1) != 1)
		return 1;
	while (shared && getppid() == seen[3])
		usleep(1000);
	for (volatile int i = 0; i < 100000; i++)
		;
	if (write(1, text, strlen(text)) < 0 || fork() == 0)
		_exit(0);
	return write(ends_of[1][1], "\n", 1) != 1;
}

static void first_execs(int flags, int is_last)
{
	static const char *script[] = {"echo replaced; echo >&8; read x <&9; exit 6",
				       "echo replaced; echo >&8; exit 7"};

	CHECK(pipe(ends_of[0]) == 0 && pipe(ends_of[1]) == 0);
	CHECK(dup2(ends_of[0][1], 8) == 8 && dup2(ends_of[1][0], 9) == 9);
	shared = is_last;
	seen[3] = getpid();
	mate(stays_behind, SIGCHLD | flags);
	execl("/nonexistent/program", "program", NULL);
	execlp("sh", "sh", "-c", script[is_last], NULL);
	_exit(1);
}

static void first(void)
{
	first_execs(0, 0);
}
static void first_sharing(void)
{
	first_execs(CLONE_FILES | CLONE_SIGHAND | CLONE_FS, 0);
}
static void first_ends(void)
{
	first_execs(0, 1);
}
static void first_ends_sharing(void)
{
	first_execs(CLONE_FILES | CLONE_SIGHAND | CLONE_FS, 1);
}

/* The first process ends before its mate. */
static int remains(void *arg)
{
	while (getppid() == seen[3])
		usleep(1000);
	for (volatile int i = 0; i < 100000; i++)
		;
	return write(1, "outlived\n", 9) == 9 ? 0 : 1;
}

static void outlives(void)
{
	seen[3] = getpid();
	puts("outlives");
	fflush(stdout);
	mate(remains, SIGCHLD);
	_exit(7);
}

/* It stops the threads of its parent and looks at their registers and memory. */
static volatile pid_t traced[2];
static volatile long turns_of[2];
static struct user_regs_struct regs[2];
static long words[2];

#define MARK 0x51a7e

static void *marked(void *arg)
{
	const long n = (long)arg;

	traced[n] = (pid_t)syscall(SYS_gettid);
	while (!is_done) {
		long left = 200;

		turns_of[n]++;
		/* the mark stands in a register of this loop, which takes nearly all of the time */
		__asm__ volatile("mov %1, %%edi\n1: pause\n\tdec %0\n\tjnz 1b"
				 : "+r"(left)
				 : "i"(MARK)
				 : "edi", "cc");
	}
	return NULL;
}

/* waitpid() notes in the memory of the thread that it may be cancelled, and a mate has that of its
 * parent. */
static pid_t wait_raw(pid_t pid, int *st, int options)
{
	return (pid_t)syscall(SYS_wait4, pid, st, options, NULL);
}

static int traces(void *arg)
{
	int st;

	for (int i = 0; i < 2; i++) {
		struct iovec io = {&regs[i], sizeof(regs[i])};
		long before;

		if (ptrace(PTRACE_ATTACH, traced[i], NULL, NULL))
			return 1;
		if (wait_raw(traced[i], &st, __WALL) != traced[i] || !WIFSTOPPED(st) ||
		    WSTOPSIG(st) != SIGSTOP)
			return 2;
		before = turns_of[i];
		for (int k = 0; k < 100; k++)
			sched_yield();
		if (turns_of[i] != before)
			return 3;
		if (ptrace(PTRACE_GETREGSET, traced[i], (void *)1, &io) ||
		    io.iov_len != sizeof(regs[i]))
			return 4;
		errno = 0;
		words[i] = ptrace(PTRACE_PEEKDATA, traced[i], (void *)&turns_of[i], NULL);
		if (errno || words[i] != before)
			return 5;
		if (ptrace(PTRACE_DETACH, traced[i], NULL, NULL))
			return 6;
		while (turns_of[i] == before)
			sched_yield();
		if (ptrace(PTRACE_GETREGSET, traced[i], (void *)1, &io) != -1)
			return 7;
	}
	return 0;
}

static void tracers(void)
{
	pthread_t t;
	pid_t c;
	int st;

	CHECK(pthread_create(&t, NULL, marked, (void *)1) == 0);
	while (!traced[1])
		sched_yield();
	traced[0] = getpid();
	c = mate(traces, CLONE_FS | CLONE_FILES | CLONE_UNTRACED);
	while (wait_raw(c, &st, __WALL | WNOHANG) == 0)
		turns_of[0]++;
	is_done = 1;
	pthread_join(t, NULL);
	CHECK(st == 0);
	for (int i = 0; i < 2; i++) {
#ifdef __x86_64__
		const unsigned long sp = regs[i].rsp, here = (unsigned long)&t, mark = regs[i].rdi;
#else
		const unsigned long sp = (unsigned long)regs[i].esp, here = (unsigned long)&t,
				    mark = (unsigned long)regs[i].edi;
#endif
		CHECK(i ? mark == MARK && sp != 0 : here - sp < 65536);
	}
	puts("tracers");
}

/* For somebody who kills the run: one that runs and one that sleeps, with and without its parent's
 * descriptors. */
static void stays(void)
{
	for (int i = 0; i < 4; i++) {
		shared = 0;
		mate(i & 1 ? spins : sleeps, SIGCHLD | (i & 2 ? CLONE_FILES : 0));
		while (!shared)
			sched_yield();
	}
	pause();
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} all[] = {
	    {"identity", identity},	{"turns", turns},
	    {"tables", tables},		{"ends", ends},
	    {"threads", threads},	{"execs", execs},
	    {"outlives", outlives},	{"tracers", tracers},
	    {"first", first},		{"first_sharing", first_sharing},
	    {"first_ends", first_ends}, {"first_ends_sharing", first_ends_sharing},
	    {"stays", stays},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (argc > 1 && !strcmp(argv[1], all[i].name)) {
			all[i].run();
			return 0;
		}
	}
	return 2;
}
