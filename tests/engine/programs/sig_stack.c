/* Alternate stacks: overflow of the main stack, SS_AUTODISARM, errors. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>

#include "check.h"

#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1u << 31)
#endif

static char alt[65536] __attribute__((aligned(64)));
static sigjmp_buf back;
static volatile int is_on, flags_seen, error_seen, count;

static void handler(int sig, siginfo_t *info, void *context)
{
	char here;
	stack_t now, try = {.ss_sp = alt, .ss_size = sizeof(alt)};

	count++;
	is_on = &here > alt && &here < alt + sizeof(alt);
	sigaltstack(NULL, &now);
	flags_seen = now.ss_flags;
	error_seen = sigaltstack(&try, NULL) == -1 ? errno : 0;
	if (sig == SIGSEGV)
		siglongjmp(back, 1);
}

/* Without SA_SIGINFO: a plain frame in 32-bit programs, which knows nothing of the alternate stack.
 */
static void plain(int sig)
{
	stack_t now;

	sigaltstack(NULL, &now);
	flags_seen = now.ss_flags;
}

static void test_plain_autodisarm(void)
{
	struct sigaction a = {.sa_handler = plain, .sa_flags = SA_ONSTACK};
	stack_t s = {.ss_sp = alt, .ss_size = sizeof(alt), .ss_flags = (int)SS_AUTODISARM}, old;

	sigaction(SIGUSR2, &a, NULL);
	CHECK(sigaltstack(&s, NULL) == 0);
	raise(SIGUSR2);
	CHECK(flags_seen & SS_DISABLE);
	sigaltstack(NULL, &old);
	printf("flags after a plain handler %x\n", (unsigned)old.ss_flags);
	s.ss_flags = SS_DISABLE;
	CHECK(sigaltstack(&s, NULL) == 0);
}

static int deep(int n)
{
	volatile char room[4096];

	room[0] = (char)n;
	room[4095] = 1;
	return deep(n + 1) + room[0];
}

/* Call the handler again, with next to nothing on the stack. */
static void again(int sig)
{
	static long self;

	self = self ? self : getpid();
#ifdef __x86_64__
	long number = SYS_kill;

	__asm__ volatile("syscall"
			 : "+a"(number)
			 : "D"(self), "S"((long)sig)
			 : "rcx", "r11", "memory");
#else
	long number = SYS_kill;

	__asm__ volatile("int $0x80" : "+a"(number) : "b"(self), "c"((long)sig) : "memory");
#endif
}

/* Handlers one in the other until the alternate stack is full: the frame that has no room there is
 * not written anywhere. */
static void test_full_stack(void)
{
	struct sigaction a = {.sa_handler = again, .sa_flags = SA_ONSTACK | SA_NODEFER};
	char *low = mmap(NULL, 32768, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	stack_t s = {.ss_sp = low + 16384, .ss_size = 16384};
	int status = 0;
	pid_t child;

	memset(low, 0x5a, 16384);
	child = fork();
	if (child == 0) {
		signal(SIGSEGV, SIG_DFL);
		sigaltstack(&s, NULL);
		sigaction(SIGUSR1, &a, NULL);
		again(SIGUSR1);
		_exit(0);
	}
	CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status) &&
	      WTERMSIG(status) == SIGSEGV);
	for (int i = 0; i < 16384 - 512; i++)
		if (low[i] != 0x5a) {
			CHECK(!"written below the alternate stack");
			break;
		}
}

int main(void)
{
	struct sigaction a = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	stack_t s = {.ss_sp = alt, .ss_size = sizeof(alt)}, old;

	sigemptyset(&a.sa_mask);
	sigaltstack(NULL, &old);
	CHECK(old.ss_flags == SS_DISABLE);
	CHECK(sigaltstack(&s, NULL) == 0);
	sigaction(SIGSEGV, &a, NULL);
	sigaction(SIGUSR1, &a, NULL);
	raise(SIGUSR1);
	CHECK(count == 1 && is_on && flags_seen == SS_ONSTACK && error_seen == EPERM);
	for (int i = 0; i < 3; i++) {
		if (sigsetjmp(back, 1) == 0)
			deep(0);
		CHECK(count == 2 + i && is_on);
	}
	s.ss_flags = (int)SS_AUTODISARM;
	CHECK(sigaltstack(&s, NULL) == 0);
	raise(SIGUSR1);
	CHECK(is_on && (flags_seen & SS_DISABLE) && error_seen == 0);
	sigaltstack(NULL, &old);
	printf("flags after return %x\n", (unsigned)old.ss_flags);
	s.ss_flags = SS_DISABLE;
	CHECK(sigaltstack(&s, NULL) == 0);
	raise(SIGUSR1);
	CHECK(!is_on);
	s.ss_flags = 0;
	s.ss_size = 100;
	CHECK(sigaltstack(&s, NULL) == -1 && errno == ENOMEM);
	test_plain_autodisarm();
	test_full_stack();
	return check_end();
}
