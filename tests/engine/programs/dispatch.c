/* Calls that a program lets its own handler take (syscall user dispatch), and RDTSC that faults:
 * what they do, whom they concern, and what the kernel does not take. */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>

#include "check.h"

#define DISPATCH 59
#define OFF	 0
#define ON	 1
#define ALLOW	 0
#define BLOCK	 1
#ifdef __x86_64__
#define RESULT	  REG_RAX
#define AT	  REG_RIP
#define AUDIT	  0xc000003eu
#define MAKE_CALL "syscall"
#else
#define RESULT	  REG_EAX
#define AT	  REG_EIP
#define AUDIT	  0x40000003u
#define MAKE_CALL "int $0x80"
#endif

static volatile char selector;
static volatile int n_caught, number, code, error;
static volatile unsigned audit;
static volatile uintptr_t at, rip;

/* A call from here alone, so that its address is known: getppid, without libc. */
long from_here(void);
extern const char behind_call[];
__asm__(".text\n.globl from_here\nfrom_here: mov $"
#ifdef __x86_64__
	"110"
#else
	"64"
#endif
	", %eax\n" MAKE_CALL
	"\n.globl behind_call\nbehind_call: ret\n.globl end_of_call\nend_of_call:\n");
extern const char end_of_call[];

static void caught(int sig, siginfo_t *i, void *u)
{
	ucontext_t *c = u;

	selector = ALLOW;
	n_caught++;
	number = i->si_syscall;
	code = i->si_code;
	error = i->si_errno;
	audit = i->si_arch;
	at = (uintptr_t)i->si_call_addr;
	rip = (uintptr_t)c->uc_mcontext.gregs[AT];
	if ((long)c->uc_mcontext.gregs[RESULT] != SYS_getppid)
		n_caught = -1000; /* the number is there again */
	c->uc_mcontext.gregs[RESULT] = 4711;
}

static long set(long mode, const void *from, unsigned long bytes, const volatile char *byte)
{
	return prctl(DISPATCH, mode, from, bytes, byte) ? -errno : 0;
}

static long blocked_call(void)
{
	long v;

	selector = BLOCK;
	v = from_here();
	selector = ALLOW;
	return v;
}

/* How a child that does `what` ends. */
static int ends(void (*what)(void))
{
	const struct rlimit none = {0, 0};
	int status = 0;

	fflush(stdout);
	if (fork() == 0) {
		setrlimit(RLIMIT_CORE, &none);
		what();
		_exit(33);
	}
	wait(&status);
	return WIFSIGNALED(status) ? 1000 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void bad_selector(void)
{
	set(ON, NULL, 0, &selector);
	selector = 7;
	from_here();
}

static void no_selector(void)
{
	set(ON, NULL, 0, (const volatile char *)64);
	from_here();
}

static void blocked_signal(void)
{
	sigset_t s;

	sigemptyset(&s);
	sigaddset(&s, SIGSYS);
	sigprocmask(SIG_BLOCK, &s, NULL);
	set(ON, NULL, 0, &selector);
	selector = BLOCK;
	from_here();
}

/* The handler leaves the byte as it is, and returns by a call. */
static void left_blocked(int sig, siginfo_t *i, void *u)
{
	((ucontext_t *)u)->uc_mcontext.gregs[RESULT] = 4711;
}

static void returns_blocked(void)
{
	struct sigaction a = {.sa_sigaction = left_blocked, .sa_flags = SA_SIGINFO};
	long got;

	sigaction(SIGSYS, &a, NULL);
	set(ON, NULL, 0, &selector);
	got = blocked_call();
	_exit(got == 4711 ? 7 : 8);
}

static void in_child(void)
{
	selector = BLOCK;
	_exit(from_here() == 4711 ? 1 : 0);
}

static void in_vfork_child(void)
{
	volatile pid_t parent = getpid();
	pid_t child;
	long got;

	set(ON, NULL, 0, &selector);
	child = vfork();
	if (child == 0) {
		selector = BLOCK;
		_exit(from_here() == parent ? 0 : 1);
	}
	got = from_here(); /* the byte still blocks, and the parent is still asked */
	_exit(got == 4711 ? 5 : 6);
}

static volatile int go, done;

static void *in_thread(void *x)
{
	while (!go)
		;
	*(long *)x = from_here();
	done = 1;
	return x;
}

static void test_dispatch(void)
{
	struct sigaction a = {.sa_sigaction = caught, .sa_flags = SA_SIGINFO};
	pthread_t t;
	long of_thread = 0;

	sigaction(SIGSYS, &a, NULL);
	CHECK(set(OFF, NULL, 0, &selector) == -EINVAL);
	CHECK(set(OFF, NULL, 1, NULL) == -EINVAL);
	CHECK(set(3, NULL, 0, NULL) == -EINVAL);
	CHECK(set(ON, (void *)4096, 0, NULL) == -EINVAL);
	if (sizeof(long) == 8) /* the kernel adds in 64 bits */
		CHECK(set(ON, (void *)-4096l, 8192, NULL) == -EINVAL);
	CHECK(blocked_call() == getppid() && n_caught == 0);

	CHECK(set(ON, NULL, 0, &selector) == 0);
	CHECK(from_here() == getppid() && n_caught == 0);
	CHECK(blocked_call() == 4711 && n_caught == 1);
	CHECK(number == SYS_getppid && code == 2 && error == 0 && audit == AUDIT);
	CHECK(at == (uintptr_t)behind_call && rip == at);
	CHECK(blocked_call() == 4711 && n_caught == 2);
	pthread_create(&t, NULL, in_thread, &of_thread);
	selector = BLOCK; /* for both: this one makes no call meanwhile */
	go = 1;
	while (!done)
		;
	selector = ALLOW;
	pthread_join(t, NULL);
	CHECK(of_thread == getppid() && n_caught == 2);
	CHECK(ends(in_child) == 0);
	CHECK(ends(bad_selector) == 1000 + SIGSYS);
	CHECK(ends(no_selector) == 1000 + SIGSEGV);
	CHECK(ends(blocked_signal) == 1000 + SIGSYS);
	CHECK(ends(in_vfork_child) == 5);
	CHECK(ends(returns_blocked) ==
	      (sizeof(long) == 8 ? 1000 + SIGSYS : 7)); /* 32 bits: by the vdso, which passes */

	/* calls from the range pass, whatever the byte says */
	CHECK(set(ON, (const void *)from_here,
		  (unsigned long)(end_of_call - (const char *)from_here), &selector) == 0);
	CHECK(blocked_call() == getppid() && n_caught == 2);
	CHECK(set(OFF, NULL, 0, NULL) == 0);
	CHECK(blocked_call() == getppid() && n_caught == 2);
}

static sigjmp_buf back;
static volatile int fault_code;
static volatile uintptr_t fault_at, fault_rip;

static void faulted(int sig, siginfo_t *i, void *u)
{
	fault_code = i->si_code;
	fault_at = (uintptr_t)i->si_addr;
	fault_rip = (uintptr_t)((ucontext_t *)u)->uc_mcontext.gregs[AT];
	siglongjmp(back, 1);
}

extern const char at_rdtsc[], at_rdtscp[];

/* noinline, noclone: the labels are there once */
static __attribute__((noinline, noclone)) void look(int has_p)
{
	if (has_p)
		__asm__ volatile(".globl at_rdtscp\nat_rdtscp: rdtscp" : : : "eax", "ecx", "edx");
	else
		__asm__ volatile(".globl at_rdtsc\nat_rdtsc: rdtsc" : : : "eax", "edx");
}

/* 1: RDTSC faults as a general-protection fault does. */
static int is_closed(int has_p)
{
	fault_rip = 0;
	if (sigsetjmp(back, 1) == 0) {
		look(has_p);
		return 0;
	}
	return fault_code == SI_KERNEL && fault_at == 0 &&
	       fault_rip == (uintptr_t)(has_p ? at_rdtscp : at_rdtsc);
}

static int mode(void)
{
	int m = -1;

	return prctl(PR_GET_TSC, &m) ? -errno : m;
}

static void *closed_in_thread(void *x)
{
	CHECK(mode() == PR_TSC_SIGSEGV && is_closed(0));
	CHECK(prctl(PR_SET_TSC, PR_TSC_ENABLE) == 0 && !is_closed(0));
	return x;
}

static void closed_child(void)
{
	_exit(mode() == PR_TSC_SIGSEGV && is_closed(0) ? 0 : 1);
}

static void opens_in_vfork_child(void)
{
	if (vfork() == 0) {
		prctl(PR_SET_TSC, PR_TSC_ENABLE);
		_exit(0);
	}
	_exit(mode() == PR_TSC_SIGSEGV && is_closed(0) ? 5 : 6);
}

static void test_tsc(const char *self)
{
	struct sigaction a = {.sa_sigaction = faulted, .sa_flags = SA_SIGINFO};
	pthread_t t;
	int status = -1;

	sigaction(SIGSEGV, &a, NULL);
	CHECK(mode() == PR_TSC_ENABLE && !is_closed(0));
	CHECK(prctl(PR_SET_TSC, 3) == -1 && errno == EINVAL && mode() == PR_TSC_ENABLE);
	CHECK(prctl(PR_SET_TSC, PR_TSC_SIGSEGV) == 0 && mode() == PR_TSC_SIGSEGV);
	CHECK(is_closed(0));
#ifdef __x86_64__
	CHECK(is_closed(1)); /* a Pentium has no RDTSCP */
#endif
	CHECK(ends(closed_child) == 0);
	CHECK(ends(opens_in_vfork_child) == 5);
	pthread_create(&t, NULL, closed_in_thread, NULL);
	pthread_join(t, NULL);
	CHECK(is_closed(0));
	fflush(stdout);
	if (!getauxval(AT_BASE)) { /* ld.so may look at the counter itself, and fault */
		if (fork() == 0) {
			execl("/proc/self/exe", self, "closed", (char *)NULL);
			_exit(1);
		}
		wait(&status);
		CHECK(status == 0);
	}
	CHECK(prctl(PR_SET_TSC, PR_TSC_ENABLE) == 0 && !is_closed(0));
}

int main(int argc, char **argv)
{
	struct sigaction a = {.sa_sigaction = faulted, .sa_flags = SA_SIGINFO};

	if (argc > 1 && !strcmp(argv[1], "closed")) {
		sigaction(SIGSEGV, &a, NULL);
		return mode() == PR_TSC_SIGSEGV && is_closed(0) ? 0 : 1;
	}
	test_dispatch();
	test_tsc(argv[0]);
	return check_end();
}
