/* Address space: hints, fixed places, holes, growth, protection, brk, shared segments. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/shm.h>

#include "check.h"

#define ANON (MAP_PRIVATE | MAP_ANONYMOUS)
#define RW   (PROT_READ | PROT_WRITE)

static sigjmp_buf back;

static void jump(int sig)
{
	siglongjmp(back, 1);
}

static int can_read(const void *at)
{
	if (sigsetjmp(back, 1))
		return 0;
	(void)*(const volatile char *)at;
	return 1;
}

static int can_write(void *at)
{
	if (sigsetjmp(back, 1))
		return 0;
	*(volatile char *)at = *(volatile char *)at;
	return 1;
}

static void test_place(void)
{
	char *hint = (char *)0x200000000ull, *p = mmap(hint, 4096, RW, ANON, -1, 0), *q;

	CHECK(p == hint);
	q = mmap(hint, 4096, RW, ANON, -1, 0);
	CHECK(q != hint && q != MAP_FAILED);
	CHECK(mmap(hint, 4096, RW, ANON | MAP_FIXED_NOREPLACE, -1, 0) == MAP_FAILED &&
	      errno == EEXIST);
	p[0] = 1;
	CHECK(mmap(hint, 4096, RW, ANON | MAP_FIXED, -1, 0) == hint && p[0] == 0);
	CHECK(mmap(hint + 1, 4096, RW, ANON | MAP_FIXED, -1, 0) == MAP_FAILED && errno == EINVAL);
	CHECK(mmap(NULL, 0, RW, ANON, -1, 0) == MAP_FAILED && errno == EINVAL);
	CHECK(mmap(NULL, 1ull << 50, RW, ANON, -1, 0) == MAP_FAILED && errno == ENOMEM);
	CHECK(mmap(NULL, 4096, RW, MAP_PRIVATE, -1, 0) == MAP_FAILED && errno == EBADF);
	p = mmap(NULL, 4096, RW, ANON | MAP_32BIT, -1, 0);
	CHECK((uintptr_t)p < 1ull << 31);
	p = mmap(NULL, 1ull << 40, PROT_NONE, ANON | MAP_NORESERVE, -1, 0);
	CHECK(p != MAP_FAILED);
	CHECK(mprotect(p + (1ull << 39), 4096, RW) == 0 && can_write(p + (1ull << 39)));
	CHECK(munmap(p, 1ull << 40) == 0 && !can_read(p));
}

static void test_holes(void)
{
	char *p = mmap(NULL, 16 * 4096, RW, ANON, -1, 0);

	memset(p, 7, 16 * 4096);
	CHECK(munmap(p + 4 * 4096, 4096) == 0);
	CHECK(can_read(p + 3 * 4096) && !can_read(p + 4 * 4096) && can_read(p + 5 * 4096));
	CHECK(mprotect(p, 16 * 4096, PROT_READ) == -1 && errno == ENOMEM);
	CHECK(mprotect(p + 8 * 4096, 2 * 4096, PROT_READ) == 0);
	CHECK(can_read(p + 8 * 4096) && !can_write(p + 8 * 4096) && can_write(p + 10 * 4096));
	CHECK(mprotect(p + 12 * 4096, 4096, PROT_NONE) == 0 && !can_read(p + 12 * 4096));
	CHECK(mprotect(p + 12 * 4096, 4096, PROT_EXEC) == 0);
	CHECK(munmap(p, 16 * 4096) == 0 && !can_read(p) && munmap(p, 4096) == 0);
	CHECK(munmap(p + 1, 4096) == -1 && errno == EINVAL);
	CHECK(madvise(p, 4096, MADV_DONTNEED) == -1 && errno == ENOMEM);
}

/* What nobody shall use, as sanitizers mark it: it cannot be used, whatever is there. */
static void test_reservation(void)
{
#ifdef __x86_64__
	char *at = (char *)0x620000000000;
	const size_t bytes = 0x190000000000;

	CHECK(mmap(at, bytes, PROT_NONE, ANON | MAP_FIXED | MAP_NORESERVE, -1, 0) == at);
	CHECK(mmap(at + 4096, 4096, RW, ANON | MAP_FIXED, -1, 0) == at + 4096);
	at[4096] = 1;
	CHECK(munmap(at, bytes) == 0);
	CHECK(mmap(at + bytes - 4096, 4096, PROT_NONE, ANON, -1, 0) == at + bytes - 4096);
#endif
}

static void test_remap(void)
{
	char *p = mmap(NULL, 4 * 4096, RW, ANON, -1, 0), *q;

	for (int i = 0; i < 4; i++)
		p[i * 4096] = (char)(i + 1);
	q = mremap(p, 4 * 4096, 64 * 4096, MREMAP_MAYMOVE);
	CHECK(q != MAP_FAILED && q[3 * 4096] == 4 && can_write(q + 63 * 4096));
	CHECK(mremap(q, 64 * 4096, 2 * 4096, 0) == q && !can_read(q + 2 * 4096));
	p = mmap(NULL, 2 * 4096, RW, ANON, -1, 0);
	CHECK(mremap(q, 2 * 4096, 2 * 4096, MREMAP_MAYMOVE | MREMAP_FIXED, p) == p);
	CHECK(p[4096] == 2 && !can_read(q));
	CHECK(mremap((void *)0x300000000ull, 4096, 8192, MREMAP_MAYMOVE) == MAP_FAILED &&
	      errno == EFAULT);
	for (int n = 1; n < 200; n++) { /* as realloc of a large block does */
		q = mremap(p, (size_t)(n == 1 ? 2 : n) * 4096, (size_t)(n + 1) * 4096,
			   MREMAP_MAYMOVE);
		if (q == MAP_FAILED)
			break;
		p = q;
	}
	CHECK(q != MAP_FAILED && p[4096] == 2);
}

static void test_brk(void)
{
	char *start = sbrk(0), *p;

	p = sbrk(100000);
	CHECK(p == start && sbrk(0) == start + 100000);
	memset(p, 1, 100000);
	CHECK(sbrk(-50000) == start + 100000 && sbrk(0) == start + 50000);
	p = sbrk(1 << 20);
	CHECK(p == start + 50000);
	p[1 << 19] = 3;
	CHECK(brk(start) == 0 && sbrk(0) == start);
}

static void test_file(void)
{
	FILE *f = tmpfile();
	char *p, *q;

	CHECK(ftruncate(fileno(f), 8192) == 0);
	p = mmap(NULL, 8192, RW, MAP_SHARED, fileno(f), 0);
	q = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fileno(f), 4096);
	p[4096] = 42;
	CHECK(q[0] == 42 && !can_write(q));
	CHECK(msync(p, 8192, MS_SYNC) == 0);
	p = mmap(NULL, 4096, RW, MAP_PRIVATE, fileno(f), 4096);
	p[0] = 43;
	CHECK(q[0] == 42);
	fclose(f);
}

static void test_segment(void)
{
	int id = shmget(IPC_PRIVATE, 10000, IPC_CREAT | 0600);
	char *p, *q;

	if (id < 0)
		return;
	p = shmat(id, NULL, 0);
	q = shmat(id, NULL, SHM_RDONLY);
	CHECK(p != (char *)-1 && q != (char *)-1 && p != q);
	p[9999] = 5;
	CHECK(q[9999] == 5 && !can_write(q));
	CHECK(shmdt(p) == 0 && !can_read(p) && shmdt(q) == 0);
	CHECK(shmdt(q) == -1 && errno == EINVAL);
	shmctl(id, IPC_RMID, NULL);
}

static int is_mapped_in_maps(const void *at)
{
	char line[512];
	FILE *f = fopen("/proc/self/maps", "r");
	int found = 0;

	while (f && fgets(line, sizeof(line), f)) {
		unsigned long lo, hi;

		if (sscanf(line, "%lx-%lx", &lo, &hi) == 2 && (uintptr_t)at >= lo &&
		    (uintptr_t)at < hi)
			found = 1;
	}
	if (f)
		fclose(f);
	return found;
}

int main(void)
{
	struct sigaction a = {.sa_handler = jump};
	char *p;

	sigemptyset(&a.sa_mask);
	sigaction(SIGSEGV, &a, NULL);
	test_place();
	test_holes();
	test_reservation();
	test_remap();
	test_brk();
	test_file();
	test_segment();
	p = mmap(NULL, 4096, RW, ANON, -1, 0);
	CHECK(is_mapped_in_maps(p) && is_mapped_in_maps(&a) &&
	      is_mapped_in_maps((void *)(uintptr_t)main));
	munmap(p, 4096);
	CHECK(!is_mapped_in_maps(p));
	return check_end();
}
