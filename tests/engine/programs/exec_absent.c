/* An instruction across two pages, of which the second comes and goes: each time the handler gives
 * it back. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "check.h"

static char *second; /* of two pages */
static volatile int faults, code;
static void *volatile address;
static volatile uintptr_t pc;

static void give_back(int sig, siginfo_t *info, void *context)
{
	faults++;
	code = info->si_code;
	address = info->si_addr;
	pc = (uintptr_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
	mprotect(second, 4096, PROT_READ | PROT_WRITE | PROT_EXEC);
}

/* mov eax, 1; mov eax, 42 with `before` bytes on the first page; ret */
static int (*place(int before))(void)
{
	static const char text[] = "\xb8\1\0\0\0\xb8\x2a\0\0\0\xc3";

	memcpy(second - 5 - before, text, sizeof(text) - 1);
	return (int (*)(void))(second - 5 - before);
}

int main(void)
{
	struct sigaction sa = {.sa_sigaction = give_back, .sa_flags = SA_SIGINFO};

	sigaction(SIGSEGV, &sa, NULL);
	second = mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
		      -1, 0);
	CHECK(second != MAP_FAILED);
	second += 4096;
	for (int before = 0; before < 5; before++) {
		int (*f)(void) = place(before);

		CHECK(f() == 42);
		for (int round = 1; round <= 3; round++) {
			mprotect(second, 4096, round == 2 ? PROT_READ : PROT_NONE);
			CHECK(f() == 42);
			CHECK(faults == before * 3 + round);
			CHECK(code == SEGV_ACCERR && address == second &&
			      pc == (uintptr_t)second - before);
		}
	}
	return check_end();
}
