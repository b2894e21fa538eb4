/* The stack of the first thread: as large as its limit says, whatever the environment; made
 * executable. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "check.h"

static uintptr_t low, bytes;

static void look(void)
{
	pthread_attr_t a;
	void *at;

	CHECK(pthread_getattr_np(pthread_self(), &a) == 0);
	CHECK(pthread_attr_getstack(&a, &at, &bytes) == 0);
	low = (uintptr_t)at;
	pthread_attr_destroy(&a);
}

int main(int argc, char **argv)
{
	struct rlimit limit;
	char name[32];
	unsigned char code[] = {0xb8, 42, 0, 0, 0, 0xc3}; /* mov eax, 42; ret */
	void *plain;

	if (!getenv("ENOUGH")) {
		setenv("ENOUGH", "yes", 1);
		for (int i = 0; i < 80; i++) {
			snprintf(name, sizeof(name), "VARIABLE_%d", i);
			setenv(name, "value", 1);
		}
		execv("/proc/self/exe", argv);
	}
	getrlimit(RLIMIT_STACK, &limit);
	look();
	CHECK(bytes <= limit.rlim_cur && bytes + 0x40000 > limit.rlim_cur);
	CHECK((uintptr_t)&limit > low && (uintptr_t)&limit < low + bytes);
	limit.rlim_cur = 3000000;
	setrlimit(RLIMIT_STACK, &limit);
	look();
	CHECK(bytes <= 3000000 && bytes + 0x40000 > 3000000);
	CHECK((uintptr_t)&limit > low && (uintptr_t)&limit < low + bytes);
	*(volatile char *)(low + 0x10000) = 1;
	plain = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(mprotect(plain, 4096, PROT_READ | PROT_GROWSDOWN) == -1 && errno == EINVAL);
	CHECK(mprotect((void *)((uintptr_t)code & ~4095ul), 4096,
		       PROT_READ | PROT_WRITE | PROT_EXEC | PROT_GROWSDOWN) == 0);
	CHECK(((int (*)(void))(void *)code)() == 42);
	return check_end();
}
