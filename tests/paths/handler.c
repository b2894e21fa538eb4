/* Signals: a handler runs below what it interrupts, on its stack or on one of its own; it returns,
 * or leaves by siglongjmp. */
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>

#include "work.h"

static sigjmp_buf env;

__attribute__((noinline, noclone)) void on_usr1(int signal)
{
	work(30);
}

__attribute__((noinline, noclone)) void on_usr2(int signal)
{
	work(40);
	siglongjmp(env, 1);
}

__attribute__((noinline, noclone)) void raises(void)
{
	raise(SIGUSR1);
	work(50);
}

__attribute__((noinline, noclone)) void leaves(void)
{
	if (!sigsetjmp(env, 1))
		raise(SIGUSR2);
	work(60);
}

/* A fault in the middle of a function: the handler skips the instruction. */
__attribute__((noinline, noclone)) void on_ill(int signal, siginfo_t *info, void *context)
{
	work(70);
	((ucontext_t *)context)->uc_mcontext.gregs[16] += 2; /* RIP, over UD2 */
}

__attribute__((noinline, noclone)) void faults(void)
{
	__asm__ volatile("ud2");
	work(80);
}

int main(void)
{
	struct sigaction ill = {.sa_sigaction = on_ill, .sa_flags = SA_SIGINFO};
	struct sigaction usr1 = {.sa_handler = on_usr1};
	stack_t stack = {.ss_size = 65536};

	signal(SIGUSR2, on_usr2);
	sigaction(SIGILL, &ill, NULL);
	sigaction(SIGUSR1, &usr1, NULL);
	for (int i = 0; i < 5; i++) {
		raises();
		leaves();
		faults();
	}
	stack.ss_sp = malloc(stack.ss_size);
	sigaltstack(&stack, NULL);
	usr1.sa_flags = SA_ONSTACK;
	sigaction(SIGUSR1, &usr1, NULL);
	raises();
	work(20);
}
