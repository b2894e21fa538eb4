/* steps.c -- a program that has had a second thread steps itself with TF: over code that leaves the
 * flags alone, over jumps and over code of more instructions than a block holds. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <ucontext.h>

static volatile unsigned n_trap;
static volatile uint64_t order; /* of the instructions behind the traps */
static volatile uintptr_t base; /* the first of them */

static void trap(int sig, siginfo_t *info, void *context)
{
	const uintptr_t pc = (uintptr_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];

	(void)sig;
	(void)info;
	if (!base)
		base = pc;
	n_trap++;
	order = order * 31 + (pc - base < 4096 ? pc - base : 5000);
}

static void *nothing(void *p)
{
	return p;
}

int main(void)
{
	struct sigaction sa = {.sa_sigaction = trap, .sa_flags = SA_SIGINFO};
	pthread_t other;

	sigaction(SIGTRAP, &sa, NULL);
	if (pthread_create(&other, NULL, nothing, NULL) || pthread_join(other, NULL))
		return 2;
	for (int i = 0; i < 3; i++)
		__asm__ volatile("sub $128, %%rsp\n"
				 "pushfq\n orq $0x100, (%%rsp)\n popfq\n"
				 "mov %%rax, %%rcx\n lea 1(%%rax), %%rdx\n jmp 1f\n"
				 "1: mov %%rcx, %%rdx\n jmp 2f\n"
				 "2: add $1, %%rdx\n mov %%rdx, %%rsi\n adc $0, %%rsi\n"
				 ".rept 150\n mov %%rcx, %%rdx\n .endr\n"
				 "jc 3f\n"
				 "3: mov %%rdx, %%rsi\n"
				 "pushfq\n andq $~0x100, (%%rsp)\n popfq\n"
				 "add $128, %%rsp\n" ::
				     : "rcx", "rdx", "rsi", "cc", "memory");
	printf("%u traps, %016llx\n", n_trap, (unsigned long long)order);
	return 0;
}
