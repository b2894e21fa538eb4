/* Code at the addresses 0, 1 and 2: calls of it while nothing is mapped there fault, and where the
 * page may be mapped (the superuser) it is code like any other, also when it is written anew. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static sigjmp_buf back;
static void *fault;

static void handler(int sig, siginfo_t *info, void *context)
{
	fault = info->si_addr;
	siglongjmp(back, 1);
}

/* mov eax, value; ret at `at`, executed a few times. */
static int sum(volatile long at, unsigned char value)
{
	const unsigned char code[] = {0xb8, value, 0, 0, 0, 0xc3};
	int total = 0;

	for (volatile size_t i = 0; i < sizeof(code); i++)
		*(volatile unsigned char *)(at + (long)i) = code[i];
	for (int i = 0; i < 3; i++)
		total += ((int (*)(void))at)();
	return total;
}

int main(void)
{
	struct sigaction act = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};

	sigaction(SIGSEGV, &act, NULL);
	for (volatile long at = 0; at < 3; at++) {
		if (!sigsetjmp(back, 1))
			((int (*)(void))at)();
		printf("fault at %p\n", fault);
	}
	if (mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED) {
		puts("not allowed");
		return 0;
	}
	fflush(stdout);
	for (int round = 0; round < 12; round++)
		for (long at = 0; at < 3; at++)
			printf("%ld: %d\n", at, sum(at, (unsigned char)(10 * round + at)));
	munmap(NULL, 4096);
	if (!sigsetjmp(back, 1))
		((int (*)(void))(volatile long){0})();
	printf("fault at %p\n", fault);
	return 0;
}
