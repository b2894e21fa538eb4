/* Handlers that return to addresses and code segments that are none: what the fault shows. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <ucontext.h>

#include "check.h"

static sigjmp_buf back;
static uint64_t to, selector;

static void leave(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	uc->uc_mcontext.gregs[REG_RIP] = (greg_t)to;
	if (selector)
		uc->uc_mcontext.gregs[REG_CSGSFS] =
		    (uc->uc_mcontext.gregs[REG_CSGSFS] & ~0xffffll) | (greg_t)selector;
}

static void note(int sig, siginfo_t *info, void *context)
{
	greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;

	/* whether a return that failed leaves RF in the frame depends on the kernel */
	printf("to %s%lx, selector %lx: signal %d code %d address %lx vector %ld error %lx at %s "
	       "cr2 %lx RF %d\n",
	       to == (uint64_t)note ? "a function, " : "", to == (uint64_t)note ? 0 : to, selector,
	       sig, info->si_code, (long)info->si_addr, (long)r[REG_TRAPNO], (long)r[REG_ERR],
	       (uint64_t)r[REG_RIP] == to ? "the target" : "?", (long)r[REG_CR2],
	       r[REG_TRAPNO] == 14 && (r[REG_EFL] & 0x10000) != 0);
	siglongjmp(back, 1);
}

int main(void)
{
	static const uint64_t target[] = {0x4141414141414141, 0xffffffff81000000, 0x7ffffffff000,
					  0x12345, ~0ull};
	static const uint64_t bad[] = {0x2b, 0x10, 0x7777, 3};
	static char alt[65536];
	stack_t st = {.ss_sp = alt, .ss_size = sizeof(alt)};
	struct sigaction a = {.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK};

	sigaltstack(&st, NULL);
	a.sa_sigaction = leave;
	sigaction(SIGUSR1, &a, NULL);
	a.sa_sigaction = note;
	sigaction(SIGSEGV, &a, NULL);
	for (unsigned i = 0; i < sizeof(target) / sizeof(target[0]); i++) {
		to = target[i];
		if (!sigsetjmp(back, 1))
			raise(SIGUSR1);
	}
	to = (uint64_t)note;
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		selector = bad[i];
		if (!sigsetjmp(back, 1))
			raise(SIGUSR1);
	}
	return check_end();
}
