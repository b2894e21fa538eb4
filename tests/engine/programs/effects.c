/* Calls that answer 0 must have an effect: locked memory, code that may not be written, a table of
 * descriptors of one's own, what seccomp offers. Natively the same program finds the same. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "check.h"

#define PAGE	    4096
#define N	    16
#define RW	    (PROT_READ | PROT_WRITE)
#define RX	    (PROT_READ | PROT_EXEC)
#define RWX	    (RW | PROT_EXEC)
#define SET_MDWE    65
#define GET_MDWE    66
#define CLOSE_RANGE 436
#define UNSHARE	    2

static char *room(int prot)
{
	char *at = mmap(NULL, N * PAGE, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return at == MAP_FAILED ? NULL : at;
}

/* Pages of the N that are in memory. */
static int present(char *at)
{
	unsigned char page[N] = {0};
	int n = 0;

	mincore(at, N * PAGE, page);
	for (int i = 0; i < N; i++)
		n += page[i] & 1;
	return n;
}

static long locked_kib(void)
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[256];
	long kib = -1;

	while (f && fgets(line, sizeof(line), f))
		sscanf(line, "VmLck: %ld", &kib);
	if (f)
		fclose(f);
	return kib;
}

static void test_locks(void)
{
	char *before = room(RW), *after, *end;
	long kib;
	int status = 0;

	CHECK(mlockall(0) == -1 && errno == EINVAL);
	CHECK(mlockall(8) == -1 && errno == EINVAL);
	CHECK(mlockall(MCL_ONFAULT) == -1 && errno == EINVAL);
	CHECK(locked_kib() == 0 && present(before) == 0);
	if (mlockall(MCL_CURRENT)) /* the limit may be small, and who runs this not root */
		return;
	kib = locked_kib();
	CHECK(present(before) == N && kib >= N * PAGE / 1024 && kib < 65536);
	CHECK(present(after = room(RW)) == 0);
	CHECK(mlockall(MCL_FUTURE) == 0 && present(room(RW)) == N);
	CHECK(locked_kib() == kib + N * PAGE / 1024);
	end = sbrk(0);
	end += -(unsigned long)end % PAGE;
	CHECK(brk(end + N * PAGE) == 0 && present(end) == N);
	after = mremap(after, N * PAGE, 2 * N * PAGE, MREMAP_MAYMOVE);
	CHECK(present(after) == 0); /* it was not locked */
	CHECK(mlockall(MCL_FUTURE | MCL_ONFAULT) == 0);
	kib = locked_kib();
	CHECK(present(after = room(RW)) == 0 && locked_kib() == kib + N * PAGE / 1024);
	after[PAGE] = 1;
	CHECK(present(after) == 1);
	fflush(stdout);
	if (fork() == 0) {
		check_done = check_failed = 0;
		CHECK(locked_kib() == 0 && present(room(RW)) == 0);
		fflush(stdout);
		_exit(check_failed);
	}
	wait(&status);
	CHECK(status == 0);
	CHECK(munlockall() == 0 && locked_kib() == 0 && present(room(RW)) == 0);
}

/* In a child: less than the program has may be locked, and it is nobody. */
static void test_limit(void)
{
	struct rlimit limit = {16 * PAGE, 16 * PAGE};
	int status = 0;

	fflush(stdout);
	if (geteuid() == 0 && fork() == 0) {
		check_done = check_failed = 0;
		setrlimit(RLIMIT_MEMLOCK, &limit);
		if (setuid(12345))
			_exit(0);
		CHECK(mlockall(MCL_CURRENT) == -1 && errno == ENOMEM);
		CHECK(mlockall(MCL_FUTURE) == 0);
		CHECK(mmap(NULL, 2 * N * PAGE, RW, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) ==
			  MAP_FAILED &&
		      errno == EAGAIN);
		CHECK(mlockall(MCL_FUTURE | MCL_ONFAULT) == 0);
		CHECK(mmap(NULL, 2 * N * PAGE, RW, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) ==
			  MAP_FAILED &&
		      errno == EAGAIN);
		CHECK(munlockall() == 0 && room(RW));
		limit.rlim_cur = limit.rlim_max = 0;
		setrlimit(RLIMIT_MEMLOCK, &limit);
		CHECK(mlockall(MCL_FUTURE) == -1 && errno == EPERM);
		fflush(stdout);
		_exit(check_failed);
	}
	wait(&status);
	CHECK(status == 0);
}

static void expect_no_writing(void)
{
	char *data = room(RW), *code = room(RX);

	CHECK(prctl(GET_MDWE, 0, 0, 0, 0) == 1);
	CHECK(!room(RWX) && errno == EACCES);
	CHECK(!room(PROT_WRITE | PROT_EXEC) && errno == EACCES);
	CHECK(data && code);
	CHECK(mprotect(data, PAGE, RX) == -1 && errno == EACCES);
	CHECK(mprotect(data, PAGE, PROT_EXEC) == -1 && errno == EACCES);
	CHECK(mprotect(code, PAGE, RWX) == -1 && errno == EACCES);
	CHECK(mprotect(code, PAGE, RX) == 0 && mprotect(data, PAGE, PROT_READ) == 0);
	CHECK(mprotect(code, PAGE, PROT_READ) == 0 && mprotect(code, PAGE, RX) == -1 &&
	      errno == EACCES);
	CHECK(data[0] == 0 && (data[PAGE] = 7) == 7);
}

/* PR_SET_MDWE (Linux 6.3): in a child, its child, and the program that it executes. */
static void test_no_writing(const char *self)
{
	int status = 0;

	fflush(stdout);
	if (fork() == 0) {
		check_done = check_failed = 0;
		CHECK(prctl(SET_MDWE, 1, 1, 0, 0) == -1 && errno == EINVAL);
		CHECK(prctl(SET_MDWE, 2, 0, 0, 0) == -1);
		if (prctl(SET_MDWE, 1, 0, 0, 0))
			_exit(0);
		expect_no_writing();
		CHECK(prctl(SET_MDWE, 0, 0, 0, 0) == -1 && errno == EPERM);
		if (fork() == 0) {
			expect_no_writing();
			fflush(stdout);
			execl("/proc/self/exe", self, "no writing", (char *)NULL);
			_exit(9);
		}
		wait(&status);
		CHECK(status == 0);
		fflush(stdout);
		_exit(check_failed);
	}
	wait(&status);
	CHECK(status == 0);
	CHECK(room(RWX));
}

static __attribute__((noinline)) int deep(int pages)
{
	volatile char room[PAGE];

	room[0] = 1;
	return pages ? deep(pages - 1) + room[0] : 0;
}

/* How a child ends whose stack may have so many pages, and that uses `used`; first: what it uses
 * before. */
static int with_stack(unsigned pages, int used, int first)
{
	struct rlimit limit = {(rlim_t)pages * PAGE, RLIM_INFINITY}, none = {0, 0};
	int status = 0;

	fflush(stdout);
	if (fork() == 0) {
		deep(first);
		setrlimit(RLIMIT_CORE, &none);
		if (setrlimit(RLIMIT_STACK, &limit))
			_exit(9);
		deep(used);
		_exit(0);
	}
	wait(&status);
	return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

/* A new limit of the stack holds at once, in both directions. */
static void test_stack(void)
{
	struct rlimit limit;

	getrlimit(RLIMIT_STACK, &limit);
	if (limit.rlim_cur != 8 << 20 || limit.rlim_max != RLIM_INFINITY)
		return; /* the user's */
	CHECK(with_stack(256, 100, 0) == 0);
	CHECK(with_stack(256, 400, 0) == SIGSEGV);
	CHECK(with_stack(256, 400, 500) == 0); /* what it has, it has */
	CHECK(with_stack(2048, 4000, 0) == SIGSEGV);
	CHECK(with_stack(8192, 4000, 0) == 0); /* compilers ask for 64 MiB */
}

static void *close_own(void *x)
{
	CHECK(syscall(CLOSE_RANGE, 100, 100, UNSHARE) == 0 && fcntl(100, F_GETFD) == -1);
	CHECK(dup2(1, 101) == 101);
	return x;
}

static void *unshare_own(void *x)
{
	CHECK(syscall(SYS_unshare, 0x400 /* CLONE_FILES */) == 0);
	return close(100) ? NULL : x;
}

static char some[1]; /* any address */

/* One of several threads gets a table of descriptors of its own. */
static void test_tables(void)
{
	pthread_t t;
	void *ret = NULL;

	CHECK(dup2(1, 100) == 100);
	pthread_create(&t, NULL, close_own, NULL);
	pthread_join(t, NULL);
	CHECK(fcntl(100, F_GETFD) == 0 && fcntl(101, F_GETFD) == -1);
	pthread_create(&t, NULL, unshare_own, some);
	pthread_join(t, &ret);
	CHECK(ret && fcntl(100, F_GETFD) == 0);
	CHECK(syscall(CLOSE_RANGE, 100, 100, UNSHARE) == 0 && fcntl(100, F_GETFD) == -1);
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "no writing")) {
		expect_no_writing();
		return check_end();
	}
	test_tables();
	test_locks();
	test_limit();
	test_stack();
	test_no_writing(argv[0]);
	return check_end();
}
