/* stress.c -- fork, exec, vfork and signals, again and again: stress ROUNDS; or one exec after the
 * other: stress TIMES x.
 *
 * Every child gets three queued signals while it computes, and some die by a signal; each path
 * executes a number of instructions that does not depend on when a signal comes or who runs first,
 * and the six kinds of rounds take turns: six more rounds cost the same instructions every time.
 * Status 0: every signal and every status came.
 */
#include <asm/unistd.h>

#include "bare.h"

#define N_QUEUED   3
#define SIG_KILL   9
#define SIG_SEGV   11
#define SIG_USR2   12
#define SIG_TERM   15
#define SIG_QUEUED 34 /* real-time signals: none is lost when two come */
#define SIG_LEAF   35
#define BIT(sig)   (1ull << ((sig)-1))
enum { BLOCK, UNBLOCK };

struct action {
	void (*handler)(int);
	unsigned long flags;
	void (*restorer)(void);
	unsigned long long mask;
};
#define SA_RESTORER_FLAG 0x04000000ul

static volatile int n_queued, n_leaf;

void back(void);
#ifdef __i386__
__asm__(".text\nback: pop %eax\n\tmov $119, %eax\n\tint $0x80\n"); /* sigreturn */
#else
__asm__(".text\nback: mov $15, %eax\n\tsyscall\n"); /* rt_sigreturn */
#endif

static void note(int sig)
{
	*(sig == SIG_QUEUED ? &n_queued : &n_leaf) += 1;
}

static void handle(int sig)
{
	struct action act = {note, SA_RESTORER_FLAG, back, 0};

	bare_call(__NR_rt_sigaction, sig, (long)&act, 0, 8, 0, 0);
}

static void mask(int how, unsigned long long set)
{
	bare_call(__NR_rt_sigprocmask, how, (long)&set, 0, 8, 0, 0);
}

static void quit(int status)
{
	for (;;)
		bare_call(__NR_exit_group, status, 0, 0, 0, 0, 0);
}

static void check(int is_right, int line)
{
	if (!is_right)
		quit(line & 127 ? line & 127 : 1);
}
#define CHECK(x) check(x, __LINE__)

static void spin(long n)
{
	__asm__ volatile("1: add $1, %%eax\n\tdec %0\n\tjnz 1b" : "+r"(n) : : "eax", "cc");
}

/* The program that a child becomes: reports to its parent and ends in one of three ways. */
static int leaf(int kind)
{
	bare_call(__NR_kill, bare_call(__NR_getppid, 0, 0, 0, 0, 0, 0), SIG_LEAF, 0, 0, 0, 0);
	spin(1000);
	if (kind == 2)
		bare_call(__NR_kill, bare_call(__NR_getpid, 0, 0, 0, 0, 0, 0), SIG_KILL, 0, 0, 0,
			  0);
	if (kind == 4)
		__asm__ volatile("movl $0, 8");
	return 10 + kind;
}

/* A child of the round: signals come while it spins; the rest of them when it lets them in. Then it
 * becomes another program, or dies, or ends. */
static void child(int kind, char **again)
{
	unsigned long long go = BIT(SIG_USR2);

	spin(3000);
	mask(BLOCK, BIT(SIG_QUEUED));
	CHECK(bare_call(__NR_rt_sigtimedwait, (long)&go, 0, 0, 8, 0, 0) == SIG_USR2);
	mask(UNBLOCK, BIT(SIG_QUEUED));
	CHECK(n_queued == N_QUEUED);
	if (kind % 2 == 0)
		bare_call(__NR_execve, (long)again[0], (long)again, 0, 0, 0, 0);
	if (kind == 1)
		bare_call(__NR_kill, bare_call(__NR_getpid, 0, 0, 0, 0, 0, 0), SIG_TERM, 0, 0, 0,
			  0);
	quit(20 + kind);
}

/* No function may be called and return between vfork and exec: all in one. */
static long vfork_leaf(char **again)
{
	long pid;

#ifdef __i386__
	__asm__ volatile("int $0x80" : "=a"(pid) : "0"(__NR_vfork) : "memory");
#else
	__asm__ volatile("syscall" : "=a"(pid) : "0"(__NR_vfork) : "rcx", "r11", "memory");
#endif
	if (pid == 0) {
		bare_call(__NR_execve, (long)again[0], (long)again, 0, 0, 0, 0);
		quit(1);
	}
	return pid;
}

static void expect(long pid, int status)
{
	int got = 0;

	CHECK(bare_call(__NR_wait4, pid, (long)&got, 0, 0, 0, 0) == pid);
	CHECK((got & ~0x80) == status); /* but for "core dumped" */
}

static void round_of(int kind, char *name)
{
	static const int status[6] = {10 << 8, SIG_TERM, SIG_KILL, 23 << 8, SIG_SEGV, 25 << 8};
	char digit[2] = {(char)('0' + kind), 0}, *again[] = {name, "leaf", digit, 0};
	long pid = bare_call(__NR_fork, 0, 0, 0, 0, 0, 0), other = 0;

	CHECK(pid >= 0);
	if (pid == 0)
		child(kind, again);
	for (int i = 0; i < N_QUEUED; i++)
		bare_call(__NR_kill, pid, SIG_QUEUED, 0, 0, 0, 0);
	bare_call(__NR_kill, pid, SIG_USR2, 0, 0, 0, 0);
	if (kind % 3 == 0) {
		other = vfork_leaf(again);
		CHECK(other > 0);
	}
	expect(pid, status[kind]);
	if (other)
		expect(other, (10 + kind) << 8);
	mask(UNBLOCK, BIT(SIG_LEAF));
	mask(BLOCK, BIT(SIG_LEAF));
	CHECK(n_leaf == (kind % 2 == 0) + (other != 0));
	n_leaf = 0;
}

/* Execute this program again, with one time less to go, and as many pages to touch. */
static int again(char **argv)
{
	static char page[256][4096];
	int at = 5;

	for (int i = 0; i < 256; i++)
		*(volatile char *)page[i] = 1;
	if (!bare_number(argv[1]))
		return 0;
	for (; argv[1][at] == '0'; at--)
		argv[1][at] = '9';
	argv[1][at]--;
	bare_call(__NR_execve, (long)argv[0], (long)argv, 0, 0, 0, 0);
	return 1;
}

int test_main(long argc, char **argv)
{
	if (argc > 2)
		return argv[2][0] == 'x' ? again(argv) : leaf(argv[2][0] - '0');
	mask(BLOCK, BIT(SIG_LEAF) | BIT(SIG_USR2));
	handle(SIG_QUEUED);
	handle(SIG_LEAF);
	for (int n = (int)bare_number(argc > 1 ? argv[1] : "6"), kind = 0; n > 0; n--) {
		round_of(kind, argv[0]);
		kind = kind == 5 ? 0 : kind + 1;
	}
	return 0;
}
