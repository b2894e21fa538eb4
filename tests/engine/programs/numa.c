/* Memory policies on a machine whose memory is on node 0: who has which, and what the kernel does
 * not take. On a kernel without them there is nothing to check. */
#define _GNU_SOURCE
#include <linux/mempolicy.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "check.h"

#define PAGE 4096
#define ADDR MPOL_F_ADDR
#define NODE MPOL_F_NODE

static unsigned long set[1024 / 8 / sizeof(unsigned long)];

static long ask(int *mode, unsigned long bits, void *at, unsigned long flags)
{
	memset(set, 0xff, sizeof(set));
	return syscall(SYS_get_mempolicy, mode, bits ? set : NULL, bits, at, flags) ? -errno : 0;
}

static long choose(int mode, unsigned long nodes, unsigned long bits)
{
	return syscall(SYS_set_mempolicy, mode, bits ? &nodes : NULL, bits) ? -errno : 0;
}

static long bind_range(void *at, unsigned long bytes, int mode, unsigned long nodes, unsigned flags)
{
	return syscall(SYS_mbind, at, bytes, mode, mode == MPOL_DEFAULT ? NULL : &nodes,
		       mode == MPOL_DEFAULT ? 0 : 8, flags)
		   ? -errno
		   : 0;
}

/* Mode of the calling thread, or of an address. */
static int mode_of(void *at)
{
	int mode = -1;

	return ask(&mode, 0, at, at ? ADDR : 0) ? -1 : mode;
}

static void *in_thread(void *x)
{
	CHECK(mode_of(NULL) == MPOL_BIND);
	CHECK(choose(MPOL_INTERLEAVE, 1, 8) == 0 && mode_of(NULL) == MPOL_INTERLEAVE);
	return x;
}

static __attribute__((noinline, noclone)) void leave_by_vfork(void)
{
	if (vfork() == 0) {
		choose(MPOL_DEFAULT, 0, 0);
		_exit(0);
	}
	wait(NULL);
}

static void test_thread(const char *self)
{
	pthread_t t;
	int mode, status = -1;

	CHECK(mode_of(NULL) == MPOL_DEFAULT);
	CHECK(choose(99, 0, 0) == -EINVAL);
	CHECK(choose(MPOL_BIND, 0, 8) == -EINVAL && choose(MPOL_BIND, 0, 0) == -EINVAL);
	CHECK(choose(MPOL_DEFAULT, 1, 8) == -EINVAL);
	CHECK(choose(MPOL_BIND | MPOL_F_STATIC_NODES | MPOL_F_RELATIVE_NODES, 1, 8) == -EINVAL);
	CHECK(choose(MPOL_INTERLEAVE | 1 << 13, 1, 8) == -EINVAL);
	CHECK(syscall(SYS_set_mempolicy, MPOL_BIND, 64, 8) == -1 && errno == EFAULT);
	CHECK(choose(MPOL_PREFERRED, 0, 0) == 0 && mode_of(NULL) == MPOL_LOCAL);
	CHECK(choose(MPOL_PREFERRED, 1, 8) == 0 && mode_of(NULL) == MPOL_PREFERRED);
	CHECK(ask(&mode, 1024, NULL, 0) == 0 && set[0] == 1 && set[1] == 0);
	CHECK(ask(&mode, 1024, NULL, NODE) == -EINVAL);
	CHECK(choose(MPOL_INTERLEAVE, 1, 8) == 0 && ask(&mode, 0, NULL, NODE) == 0 && mode == 0);
	CHECK(choose(MPOL_BIND | MPOL_F_STATIC_NODES, 1, 8) == 0 &&
	      mode_of(NULL) == (MPOL_BIND | MPOL_F_STATIC_NODES));
	CHECK(choose(MPOL_BIND, 1, 8) == 0 && mode_of(NULL) == MPOL_BIND);
	CHECK(ask(&mode, 0, NULL, 8) == -EINVAL && ask(&mode, 0, &mode, 0) == -EINVAL);
	CHECK(ask(&mode, 1024, NULL, MPOL_F_MEMS_ALLOWED) == 0 && mode == 0 && (set[0] & 1));
	CHECK(ask(&mode, 1024, NULL, MPOL_F_MEMS_ALLOWED | NODE) == -EINVAL);
	pthread_create(&t, NULL, in_thread, NULL);
	pthread_join(t, NULL);
	CHECK(mode_of(NULL) == MPOL_BIND);
	fflush(stdout);
	if (fork() == 0) {
		if (mode_of(NULL) == MPOL_BIND)
			execl("/proc/self/exe", self, "bound", (char *)NULL);
		_exit(9);
	}
	wait(&status);
	CHECK(status == 0);
	leave_by_vfork();
	CHECK(mode_of(NULL) == MPOL_BIND);
	CHECK(choose(MPOL_DEFAULT, 0, 0) == 0 && mode_of(NULL) == MPOL_DEFAULT);
}

static void test_ranges(void)
{
	char *m = mmap(NULL, 8 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int mode = -1;

	CHECK(bind_range(m + 1, PAGE, MPOL_BIND, 1, 0) == -EINVAL);
	CHECK(bind_range(m, PAGE, MPOL_BIND, 1, 64) == -EINVAL);
	CHECK(bind_range(m, PAGE, 77, 1, 0) == -EINVAL);
	CHECK(bind_range(m, 0, MPOL_BIND, 1, 0) == 0);
	CHECK(bind_range(m + 2 * PAGE, 3 * PAGE - 1, MPOL_BIND, 1, MPOL_MF_MOVE | MPOL_MF_STRICT) ==
	      0);
	CHECK(mode_of(m) == MPOL_DEFAULT && mode_of(m + 2 * PAGE) == MPOL_BIND &&
	      mode_of(m + 5 * PAGE - 1) == MPOL_BIND);
	CHECK(mode_of(m + 5 * PAGE) == MPOL_DEFAULT);
	CHECK(ask(&mode, 1024, m + 3 * PAGE, ADDR) == 0 && mode == MPOL_BIND && set[0] == 1);
	CHECK(choose(MPOL_INTERLEAVE, 1, 8) == 0 && mode_of(m) == MPOL_DEFAULT &&
	      mode_of(m + 2 * PAGE) == MPOL_BIND);
	CHECK(choose(MPOL_DEFAULT, 0, 0) == 0);
	CHECK(mprotect(m + 3 * PAGE, PAGE, PROT_READ) == 0 && mode_of(m + 3 * PAGE) == MPOL_BIND);
	m[4 * PAGE] = 1;
	CHECK(ask(&mode, 0, m + 4 * PAGE, ADDR | NODE) == 0 && mode == 0);
	CHECK(munmap(m + 6 * PAGE, PAGE) == 0 &&
	      bind_range(m + 5 * PAGE, 3 * PAGE, MPOL_BIND, 1, 0) == -EFAULT);
	CHECK(ask(&mode, 0, m + 6 * PAGE, ADDR) == -EFAULT);
	CHECK(bind_range(m, PAGE, MPOL_PREFERRED | MPOL_F_RELATIVE_NODES, 1, 0) == 0);
	CHECK(mode_of(m) == (MPOL_PREFERRED | MPOL_F_RELATIVE_NODES));
	CHECK(bind_range(m, 6 * PAGE, MPOL_DEFAULT, 0, 0) == 0 &&
	      mode_of(m + 2 * PAGE) == MPOL_DEFAULT);
}

static void test_pages(void)
{
	char *m = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void *page[3] = {m, m + PAGE, m + 2 * PAGE};
	const int first[3] = {0};
	int status[3] = {7, 7, 7};
	unsigned long none = 1;

	m[0] = m[PAGE] = 1;
	CHECK(syscall(SYS_move_pages, 0, 3, page, NULL, status, 0) == 0);
	CHECK(status[0] == 0 && status[1] == 0 && status[2] == -ENOENT);
	CHECK(syscall(SYS_move_pages, 0, 2, page, first, status, MPOL_MF_MOVE) == 0 &&
	      status[0] == 0 && status[1] == 0);
	CHECK(syscall(SYS_move_pages, 0, 2, page, NULL, status, 32) == -1 && errno == EINVAL);
	munmap(m + 2 * PAGE, PAGE);
	CHECK(syscall(SYS_move_pages, 0, 3, page, NULL, status, 0) == 0 && status[2] == -EFAULT);
	CHECK(syscall(SYS_migrate_pages, 0, 8, &none, &none) == 0);
	CHECK(syscall(SYS_migrate_pages, 999999, 8, &none, &none) == -1 && errno == ESRCH);
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "bound"))
		return mode_of(NULL) == MPOL_BIND ? 0 : 1;
	if (ask(NULL, 0, NULL, 0) == -ENOSYS) /* natively only; the count of checks is the same */
		return check_end();
	test_thread(argv[0]);
	test_ranges();
	test_pages();
	return check_end();
}
