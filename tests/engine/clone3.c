/* clone3.c -- processes by clone3(2); clone3 NAME runs one test. What is printed is the same on
 * every run. Status 0: as it should be; 77: the kernel has no clone3.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

#define CLEAR_SIGHAND	    0x100000000ull
#define INTO_CGROUP	    0x200000000ull
#define FLAG_VM		    0x100ull
#define FLAG_SIGHAND	    0x800ull
#define FLAG_PIDFD	    0x1000ull
#define FLAG_VFORK	    0x4000ull
#define FLAG_THREAD	    0x10000ull
#define FLAG_PARENT_SETTID  0x100000ull
#define FLAG_CHILD_CLEARTID 0x200000ull
#define FLAG_DETACHED	    0x400000ull
#define FLAG_CHILD_SETTID   0x1000000ull
#define STACK		    65536
#define CALL		    435

/* struct clone_args with words of a later kernel's. */
struct args {
	uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls, set_tid,
	    set_tid_size, cgroup;
	uint64_t later[2];
};
#define BYTES 88

static char stacks[2][STACK] __attribute__((aligned(16)));

/* The child runs f and ends with what f returns; it may have the caller's memory and stack. */
static long start(struct args *a, size_t bytes, int (*f)(void))
{
	long ret;

#ifdef __x86_64__
	__asm__ volatile("syscall\n\ttest %%rax, %%rax\n\tjnz 1f\n\txor %%ebp, %%ebp\n\tand $-16, "
			 "%%rsp\n\tcall *%[f]\n\tmov %%eax, %%edi\n\t"
			 "mov $60, %%eax\n\tsyscall\n1:"
			 : "=a"(ret)
			 : "0"(CALL), "D"(a), "S"(bytes), [f] "r"(f)
			 : "rcx", "r11", "memory");
#else
	__asm__ volatile("int $0x80\n\ttest %%eax, %%eax\n\tjnz 1f\n\tand $-16, %%esp\n\tcall "
			 "*%[f]\n\tmov %%eax, %%ebx\n\t"
			 "mov $1, %%eax\n\tint $0x80\n1:"
			 : "=a"(ret)
			 : "0"(CALL), "b"(a), "c"(bytes), [f] "S"(f)
			 : "memory");
#endif
	return ret;
}

static void on_signal(int sig)
{
	(void)sig;
}

static int status_of(long pid)
{
	int st = -1;

	CHECK(waitpid((pid_t)pid, &st, __WALL) == pid);
	return st;
}

/* The stack of the n-th child in this memory. */
static void give_stack(struct args *a, int n)
{
	a->stack = (uintptr_t)stacks[n];
	a->stack_size = STACK;
}

static int *shared;

static int seven(void)
{
	shared[0]++;
	return 7;
}

/* The ways in which a child may have memory: copied, borrowed, shared. */
static const uint64_t ways[] = {0, FLAG_VM | FLAG_VFORK, FLAG_VM};
#define N_WAYS 3

static void ends(void)
{
	for (int w = 0; w < N_WAYS; w++) {
		struct args a = {.flags = ways[w], .exit_signal = SIGCHLD};
		long pid;

		if (ways[w])
			give_stack(&a, 0);
		pid = start(&a, BYTES, seven);
		CHECK(pid > 0);
		printf("way %d: %x", w, status_of(pid));
		printf(" %d\n", shared[0]);
	}
}

static volatile int32_t child_tid, parent_tid, pidfd;

static int look(void)
{
	shared[1] = child_tid == syscall(SYS_gettid) && getppid() == shared[2];
	shared[3] = (int)((uintptr_t)__builtin_frame_address(0) - (uintptr_t)stacks[1]) < STACK;
	return 3;
}

/* Where the numbers go, apart from each other, and the descriptor. */
static void numbers(void)
{
	shared[2] = getpid();
	for (int w = 0; w < N_WAYS; w++) {
		struct args a = {.flags = ways[w] | FLAG_PIDFD | FLAG_PARENT_SETTID |
					  FLAG_CHILD_SETTID | FLAG_CHILD_CLEARTID,
				 .exit_signal = SIGCHLD,
				 .pidfd = (uintptr_t)&pidfd,
				 .child_tid = (uintptr_t)&child_tid,
				 .parent_tid = (uintptr_t)&parent_tid};
		struct pollfd p = {.events = POLLIN};
		siginfo_t info = {0};
		long pid;

		child_tid = parent_tid = pidfd = -1;
		shared[1] = 0;
		give_stack(&a, 1);
		pid = start(&a, BYTES, look);
		CHECK(pid > 0);
		p.fd = pidfd;
		printf("way %d: %d %d\n", w, parent_tid == pid, poll(&p, 1, -1));
		CHECK(waitid((idtype_t)3 /* P_PIDFD */, (id_t)pidfd, &info, WEXITED) == 0);
		printf("%d %d %d %d\n", info.si_pid == pid, info.si_status, shared[1], shared[3]);
		printf("%d\n", child_tid); /* cleared where the memory is the same */
		close(pidfd);
	}
}

static int ask_actions(void)
{
	struct sigaction a, b, c;

	sigaction(SIGUSR1, NULL, &a);
	sigaction(SIGUSR2, NULL, &b);
	sigaction(SIGSEGV, NULL, &c);
	shared[4] = a.sa_handler == SIG_DFL;
	shared[5] = b.sa_handler == SIG_IGN;
	shared[6] = c.sa_handler == SIG_DFL && !(c.sa_flags & SA_SIGINFO);
	kill(getpid(), SIGUSR2);
	kill(getpid(), SIGUSR1);
	return 5;
}

static volatile int n_caught;

static void count(int sig)
{
	n_caught += sig == SIGUSR1;
}

/* CLONE_CLEAR_SIGHAND: handlers go, what is ignored stays so; the parent keeps its own. */
static void clear(void)
{
	const struct sigaction fault = {.sa_handler = on_signal, .sa_flags = SA_SIGINFO};

	signal(SIGUSR1, count);
	signal(SIGUSR2, SIG_IGN);
	sigaction(SIGSEGV, &fault, NULL);
	for (int w = 0; w < N_WAYS; w++)
		for (int n = 0; n < 2; n++) {
			struct args a = {.flags = ways[w] | (n ? CLEAR_SIGHAND : 0),
					 .exit_signal = SIGCHLD};
			long pid;

			if (ways[w])
				give_stack(&a, 0);
			n_caught = 0;
			pid = start(&a, BYTES, ask_actions);
			CHECK(pid > 0);
			printf("way %d %d: %x", w, n, status_of(pid));
			printf(" %d %d %d", shared[4], shared[5], shared[6]);
			kill(getpid(), SIGUSR1);
			kill(getpid(), SIGUSR2);
			printf(" %d\n", n_caught);
		}
}

/* What the parent hears of the end. */
static void exit_signals(void)
{
	static const int sig[] = {0, SIGUSR1, SIGCHLD};

	signal(SIGUSR1, count);
	for (int i = 0; i < 3; i++) {
		struct args a = {.exit_signal = (uint64_t)sig[i]};
		long pid = start(&a, BYTES, seven);
		int st;

		CHECK(pid > 0);
		st = waitpid((pid_t)pid, NULL, 0) == pid;
		if (!st)
			CHECK(waitpid((pid_t)pid, NULL, __WCLONE) == pid);
		printf("%d: %d %d\n", sig[i], st, n_caught);
	}
}

static void refused(const char *what, struct args a, size_t bytes)
{
	long ret = start(&a, bytes, seven);

	if (ret > 0)
		status_of(ret);
	printf("%s: %s\n", what, ret > 0 ? "started" : strerror((int)-ret));
}
#define REFUSED(bytes, ...) refused(#__VA_ARGS__ " " #bytes, (struct args){__VA_ARGS__}, bytes)

/* What the kernel finds wrong. */
static void errors(void)
{
	int32_t word;

	signal(64, SIG_IGN); /* one of the children below sends it */
	REFUSED(0, .flags = 0);
	REFUSED(63, .flags = 0);
	REFUSED(64, .flags = 0);
	REFUSED(72, .flags = 0);
	REFUSED(5000, .flags = 0);
	REFUSED(104, .flags = 0);
	REFUSED(104, .later = {0, 1});
	REFUSED(88, .flags = 1ull << 40);
	REFUSED(88, .flags = SIGCHLD);
	REFUSED(88, .flags = FLAG_DETACHED);
	REFUSED(88, .exit_signal = 65);
	REFUSED(88, .exit_signal = 64);
	REFUSED(88, .exit_signal = 256);
	REFUSED(88, .exit_signal = 1ull << 32);
	REFUSED(88, .stack = 4096);
	REFUSED(88, .stack_size = 4096);
	REFUSED(88, .stack = 1ull << 63, .stack_size = 4096);
	REFUSED(88, .flags = FLAG_SIGHAND);
	REFUSED(88, .flags = FLAG_VM | FLAG_SIGHAND | CLEAR_SIGHAND);
	REFUSED(88, .flags = FLAG_THREAD);
	REFUSED(88, .flags = FLAG_VM | FLAG_SIGHAND | FLAG_THREAD, .exit_signal = SIGCHLD);
	REFUSED(88, .set_tid_size = 1);
	REFUSED(88, .set_tid = 4096);
	REFUSED(88, .set_tid = (uintptr_t)&word, .set_tid_size = 33);
	REFUSED(88, .flags = FLAG_PIDFD | FLAG_PARENT_SETTID, .pidfd = (uintptr_t)&word,
		.parent_tid = (uintptr_t)&word);
	REFUSED(88, .flags = INTO_CGROUP, .cgroup = 1ull << 32);
	REFUSED(80, .flags = INTO_CGROUP, .cgroup = 1000);
	REFUSED(88, .flags = INTO_CGROUP, .cgroup = 1000);
	printf("nowhere: %s\n", strerror((int)-start((struct args *)16, BYTES, seven)));
}

/* A number that was somebody's before, if one may choose. */
static void chosen(void)
{
	struct args a = {.exit_signal = SIGCHLD};
	long pid = start(&a, BYTES, seven), again;
	int32_t id = (int32_t)pid;

	CHECK(pid > 0);
	status_of(pid);
	a.set_tid = (uintptr_t)&id;
	a.set_tid_size = 1;
	again = start(&a, BYTES, seven);
	if (again > 0)
		printf("%d %x\n", again == pid, status_of(again));
	else
		printf("%s\n", strerror((int)-again));
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} tests[] = {{"ends", ends},	 {"numbers", numbers},
		     {"clear", clear},	 {"exit_signals", exit_signals},
		     {"errors", errors}, {"chosen", chosen}};

	setvbuf(stdout, NULL, _IONBF, 0);
	if (syscall(CALL, NULL, 0) == -1 && errno != EINVAL)
		return 77;
	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (unsigned i = 0; argc > 1 && i < sizeof(tests) / sizeof(tests[0]); i++)
		if (!strcmp(argv[1], tests[i].name))
			tests[i].run();
	return 0;
}
