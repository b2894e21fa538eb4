/* Handlers, masks, queues, nesting, longjmp out of handlers. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "check.h"

#ifdef __i386__
#define REG_RSP REG_ESP
#endif

static volatile sig_atomic_t count, last, depth, deepest, value, order[16], n_order, blocked_seen;
static sigjmp_buf back;

static void plain(int sig)
{
	count++;
	last = sig;
}

static void with_info(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	count++;
	last = sig;
	value = info->si_value.sival_int;
	CHECK(info->si_signo == sig);
	CHECK(info->si_pid == getpid());
	CHECK(uc->uc_mcontext.gregs[REG_RSP] != 0);
}

static void nested(int sig)
{
	depth++;
	if (depth > deepest)
		deepest = depth;
	if (depth < 5)
		raise(sig);
	depth--;
}

static void note_order(int sig)
{
	order[n_order++] = sig;
}

static void note_mask(int sig)
{
	sigset_t now;

	sigprocmask(SIG_SETMASK, NULL, &now);
	blocked_seen = sigismember(&now, SIGUSR1) | sigismember(&now, SIGUSR2) << 1 |
		       sigismember(&now, SIGHUP) << 2;
}

static void jump(int sig)
{
	siglongjmp(back, sig);
}

static void set(int sig, void (*fn)(int), int flags)
{
	struct sigaction a = {.sa_handler = fn, .sa_flags = flags};

	sigemptyset(&a.sa_mask);
	CHECK(sigaction(sig, &a, NULL) == 0);
}

static void test_info(void)
{
	struct sigaction a = {.sa_sigaction = with_info, .sa_flags = SA_SIGINFO}, old;
	union sigval v = {.sival_int = 4711};

	sigemptyset(&a.sa_mask);
	sigaction(SIGUSR1, &a, NULL);
	count = 0;
	sigqueue(getpid(), SIGUSR1, v);
	CHECK(count == 1 && last == SIGUSR1 && value == 4711);
	sigaction(SIGUSR1, NULL, &old);
	CHECK(old.sa_sigaction == with_info && (old.sa_flags & SA_SIGINFO));
	kill(getpid(), SIGUSR1);
	CHECK(count == 2);
	syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGUSR1);
	CHECK(count == 3);
}

static void test_mask(void)
{
	sigset_t s, old, pend;
	struct sigaction a = {.sa_handler = note_mask};

	set(SIGUSR1, plain, 0);
	sigemptyset(&s);
	sigaddset(&s, SIGUSR1);
	sigprocmask(SIG_BLOCK, &s, &old);
	count = 0;
	raise(SIGUSR1);
	raise(SIGUSR1);
	CHECK(count == 0);
	sigpending(&pend);
	CHECK(sigismember(&pend, SIGUSR1) == 1);
	sigprocmask(SIG_SETMASK, &old, NULL);
	CHECK(count == 1);
	sigemptyset(&a.sa_mask);
	sigaddset(&a.sa_mask, SIGHUP);
	sigaction(SIGUSR2, &a, NULL);
	raise(SIGUSR2);
	CHECK(blocked_seen == (2 | 4));
	a.sa_flags = SA_NODEFER;
	sigaction(SIGUSR2, &a, NULL);
	raise(SIGUSR2);
	CHECK(blocked_seen == 4);
	sigprocmask(SIG_SETMASK, NULL, &s);
	CHECK(!sigismember(&s, SIGHUP) && !sigismember(&s, SIGUSR2));
}

static void test_order(void)
{
	sigset_t s, old;

	set(SIGRTMIN, note_order, 0);
	set(SIGRTMIN + 1, note_order, 0);
	sigemptyset(&s);
	sigaddset(&s, SIGRTMIN);
	sigaddset(&s, SIGRTMIN + 1);
	sigprocmask(SIG_BLOCK, &s, &old);
	raise(SIGRTMIN + 1);
	raise(SIGRTMIN);
	raise(SIGRTMIN);
	CHECK(n_order == 0);
	sigprocmask(SIG_SETMASK, &old, NULL);
	CHECK(n_order == 3);
	printf("order %d %d %d\n", order[0] - SIGRTMIN, order[1] - SIGRTMIN, order[2] - SIGRTMIN);
}

static void test_flags(void)
{
	struct sigaction old;
	int from;

	set(SIGUSR1, nested, SA_NODEFER);
	raise(SIGUSR1);
	CHECK(deepest == 5 && depth == 0);
	set(SIGUSR1, plain, SA_RESETHAND);
	count = 0;
	raise(SIGUSR1);
	sigaction(SIGUSR1, NULL, &old);
	CHECK(count == 1 && old.sa_handler == SIG_DFL);
	set(SIGUSR1, SIG_IGN, 0);
	raise(SIGUSR1);
	CHECK(count == 1);
	set(SIGUSR1, jump, 0);
	from = sigsetjmp(back, 1);
	if (from == 0)
		raise(SIGUSR1);
	CHECK(from == SIGUSR1);
	from = sigsetjmp(back, 1);
	if (from == 0)
		raise(SIGUSR1);
	CHECK(from == SIGUSR1);
	CHECK(sigaction(SIGKILL, &old, NULL) == -1 && errno == EINVAL);
	CHECK(sigaction(65, NULL, &old) == -1 && errno == EINVAL);
}

static void test_wait(void)
{
	sigset_t s, none, old, now;
	siginfo_t info;
	struct timespec zero = {0, 1000000};

	set(SIGUSR1, plain, 0);
	sigemptyset(&none);
	sigemptyset(&s);
	sigaddset(&s, SIGUSR1);
	sigprocmask(SIG_BLOCK, &s, &old);
	count = 0;
	raise(SIGUSR1);
	CHECK(sigsuspend(&none) == -1 && errno == EINTR);
	CHECK(count == 1);
	sigprocmask(SIG_SETMASK, NULL, &now);
	CHECK(sigismember(&now, SIGUSR1));
	raise(SIGUSR1);
	CHECK(sigtimedwait(&s, &info, &zero) == SIGUSR1 && info.si_signo == SIGUSR1);
	CHECK(count == 1);
	CHECK(sigtimedwait(&s, &info, &zero) == -1 && errno == EAGAIN);
	sigprocmask(SIG_SETMASK, &old, NULL);
}

int main(void)
{
	test_info();
	test_mask();
	test_order();
	test_flags();
	test_wait();
	return check_end();
}
