/* Code in mappings of a file that becomes shorter, gets holes and grows again: what each call does,
 * and what it counts. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <ucontext.h>

#include "check.h"

#ifdef __x86_64__
#define IP REG_RIP
#else
#define IP REG_EIP
#endif
#define PAGE 4096

static sigjmp_buf back;
static volatile int sig, code, error;
static volatile long address, ip;
static char name[] = "/tmp/file_change.XXXXXX";
static unsigned char *map;
static int fd;

static void note(int n, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	sig = n;
	code = info->si_code;
	address = (long)info->si_addr - (long)map;
	error = (int)uc->uc_mcontext.gregs[REG_ERR];
	ip = (long)uc->uc_mcontext.gregs[IP] - (long)map;
	siglongjmp(back, 1);
}

/* What the code at offset `at` returns, or -1: it faulted. */
static int call(long at)
{
	sig = 0;
	if (sigsetjmp(back, 1))
		return -1;
	return ((int (*)(void))(map + at))();
}

/* Two pages: at 0 a function that returns n, and one of four additions across the two. */
static void fill(int n)
{
	static const unsigned char across[] = {0x31, 0xc0, 0x83, 0xc0, 1,    0x83, 0xc0, 2,
					       0x83, 0xc0, 3,	 0x83, 0xc0, 4,	   0xc3};
	unsigned char page[2 * PAGE];

	memset(page, 0xcc, sizeof(page));
	memcpy(page, "\xb8\0\0\0\0\xc3", 6);
	page[1] = (unsigned char)n;
	memcpy(page + PAGE - 6, across, sizeof(across));
	CHECK(pwrite(fd, page, sizeof(page), 0) == sizeof(page));
}

static void shorten(int how, off_t bytes)
{
	int other = -1;

	switch (how) {
	case 0: CHECK(ftruncate(fd, bytes) == 0); break;
	case 1: CHECK(truncate(name, bytes) == 0); break;
	case 2:
		CHECK((other = open(name, O_RDWR | O_TRUNC)) >= 0 && ftruncate(other, bytes) == 0);
		break;
	case 3: CHECK((other = creat(name, 0600)) >= 0 && ftruncate(other, bytes) == 0); break;
	}
	if (other >= 0)
		close(other);
}

/* kind: MAP_PRIVATE or MAP_SHARED; by a descriptor of which access; shortened how. */
static void one(int kind, int access, int how)
{
	int reader, first = 0;

	fd = open(name, O_RDWR | O_CREAT, 0600);
	fill(7);
	reader = open(name, access);
	CHECK(fd >= 0 && reader >= 0);
	map = mmap(NULL, 2 * PAGE, PROT_READ | PROT_EXEC, kind, reader, 0);
	CHECK(map != MAP_FAILED);
	for (int i = 0; i < 20; i++)
		first += call(0) + call(PAGE - 6);
	CHECK(first == 20 * 17);
	shorten(how, PAGE);
	if (how < 2) /* the others have emptied the first page */
		CHECK(call(0) == 7);
	for (int i = 0; i < 3; i++) {
		if (how < 2)
			CHECK(call(PAGE - 6) == -1 && sig == SIGBUS && code == BUS_ADRERR &&
			      address == PAGE && ip == PAGE - 1 && error == 0x14);
		CHECK(call(PAGE + 8) == -1 && sig == SIGBUS && address == PAGE + 8 &&
		      ip == PAGE + 8 && error == 0x14);
	}
	shorten(how, 0);
	for (int i = 0; i < 3; i++)
		CHECK(call(0) == -1 && sig == SIGBUS && address == 0 && ip == 0);
	shorten(how, 2 * PAGE);
	fill(9);
	for (int i = 0; i < 3; i++)
		CHECK(call(0) == 9 && call(PAGE - 6) == 10);
	/* nothing is shortened: by way of a soft mapping, and of one that was shortened once */
	fill(11);
	CHECK(call(0) == 11);
	if (fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 16) ==
	    0) /* 00 00: add [rax], al */
		CHECK(call(0) == -1 && sig == SIGSEGV && ip == 0);
	munmap(map, 2 * PAGE);
	close(reader);
	close(fd);
	unlink(name);
}

int main(void)
{
	struct sigaction a = {.sa_sigaction = note, .sa_flags = SA_SIGINFO | SA_NODEFER};

	sigaction(SIGSEGV, &a, NULL);
	sigaction(SIGBUS, &a, NULL);
	sigaction(SIGTRAP, &a, NULL);
	close(mkstemp(name));
	for (int how = 0; how < 4; how++) {
		one(MAP_PRIVATE, O_RDONLY, how);
		one(MAP_PRIVATE, O_RDWR, how);
		one(MAP_SHARED, O_RDWR, how);
	}
	return check_end();
}
