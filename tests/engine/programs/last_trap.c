/* What frames of signals show that are no fault: the thread's last fault, which its threads and
 * children begin with. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>

#include "check.h"

#ifdef __x86_64__
#define IP	REG_RIP
#define CR2(uc) ((unsigned long)(uc)->uc_mcontext.gregs[REG_CR2])
#else
#define IP	REG_EIP
#define CR2(uc) ((unsigned long)(uc)->uc_mcontext.cr2)
#endif

static volatile unsigned long trapno, error, cr2, flags;
static volatile int got;

static void note(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	greg_t *r = uc->uc_mcontext.gregs;

	got = sig;
	trapno = (unsigned long)r[REG_TRAPNO];
	error = (unsigned long)r[REG_ERR];
	cr2 = CR2(uc);
	flags = (unsigned long)r[REG_EFL];
	if (sig == SIGSEGV || sig == SIGILL)
		r[IP] += 2;
}

/* What a signal that is sent shows. */
static int shows(unsigned long number, unsigned long err, unsigned long address)
{
	got = 0;
	raise(SIGUSR1);
	return got == SIGUSR1 && trapno == number && error == err && cr2 == address &&
	       !(flags & 0x10000);
}

static void touch(uintptr_t at)
{
	__asm__ volatile("movb %%al, (%0)" : : "c"(at), "a"(0) : "memory"); /* two bytes */
}

static void *thread(void *from)
{
	CHECK(shows(6, 0, 0x20)); /* its parent's */
	touch(0x40);
	CHECK(shows(14, 6, 0x40));
	return NULL;
}

int main(void)
{
	static const int sigs[] = {SIGSEGV, SIGILL, SIGUSR1, SIGTRAP, SIGALRM};
	struct sigaction a = {.sa_sigaction = note, .sa_flags = SA_SIGINFO};
	pthread_t t;
	pid_t child;
	int status = 0;

	for (unsigned i = 0; i < sizeof(sigs) / sizeof(sigs[0]); i++)
		sigaction(sigs[i], &a, NULL);
	touch(0x20);
	CHECK(got == SIGSEGV && trapno == 14 && error == 6 && cr2 == 0x20 && (flags & 0x10000));
	CHECK(shows(14, 6, 0x20));
	__asm__ volatile("ud2");
	CHECK(got == SIGILL && trapno == 6 && error == 0 && cr2 == 0x20 && (flags & 0x10000));
	CHECK(shows(6, 0, 0x20));
	pthread_create(&t, NULL, thread, NULL);
	pthread_join(t, NULL);
	CHECK(shows(6, 0, 0x20));
	__asm__ volatile("int3");
	CHECK(got == SIGTRAP && trapno == 3 && cr2 == 0x20 && !(flags & 0x10000));
	CHECK(shows(3, 0, 0x20));
	__asm__ volatile(".byte 0xcd, 0x20"); /* INT 20h: #GP with the gate's number */
	CHECK(got == SIGSEGV && trapno == 13 && error == 0x102 && cr2 == 0x20);
	child = fork();
	if (!child) {
		int is_good = shows(13, 0x102, 0x20);

		touch(0x60);
		_exit(is_good && shows(14, 6, 0x60) ? 7 : 8);
	}
	CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7);
	CHECK(shows(13, 0x102, 0x20));
	return check_end();
}
