/* one_table.c -- processes with memories of their own that share one table of descriptors (clone
 * with CLONE_FILES), or a working directory (CLONE_FS); one_table NAME runs one.
 *
 * What is printed is the same on every run and every machine. Status 0: as it should be.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

#ifndef CLOSE_RANGE_UNSHARE
#define CLOSE_RANGE_UNSHARE 2
#endif
#define KCMP_FILES_TYPE 2

static volatile int *word; /* in memory that all share */

static pid_t born(unsigned long flags)
{
	fflush(stdout);
	return (pid_t)syscall(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0);
}

static int status_of(pid_t pid)
{
	int st;

	CHECK(waitpid(pid, &st, 0) == pid);
	return st;
}

static int is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

static int n_listed(void)
{
	DIR *d = opendir("/proc/self/fd");
	struct dirent *e;
	int n = 0;

	CHECK(d);
	while ((e = readdir(d)))
		n += *e->d_name != '.' && atoi(e->d_name) != dirfd(d);
	closedir(d);
	return n;
}

/* What one opens and closes, the other sees; and nothing else is there. */
static void shared(void)
{
	const int before = n_listed();
	pid_t c;

	CHECK(dup2(1, 40) == 40);
	c = born(CLONE_FILES);
	if (!c) {
		CHECK(n_listed() == before + 1);
		CHECK(close(40) == 0 && dup2(1, 41) == 41);
		word[0] = open("/dev/null", O_RDONLY);
		_exit(3);
	}
	CHECK(status_of(c) == 3 << 8);
	CHECK(!is_open(40) && is_open(41) && is_open(word[0]) && n_listed() == before + 2);
	close(word[0]);
	c = born(0);
	if (!c)
		_exit(dup2(1, 42) == 42 && close(41) == 0 ? 4 : 5);
	CHECK(status_of(c) == 4 << 8 && is_open(41) && !is_open(42) && n_listed() == before + 1);
	printf("shared %d\n", before);
}

static void await(int value)
{
	while (word[1] != value)
		usleep(1000);
}

/* Everything is closed in one; then both go on, start processes and programs. */
static int goes_on(void)
{
	pid_t c = born(0);

	if (!c)
		execlp("sh", "sh", "-c", "exit 6", NULL);
	if (status_of(c) != 6 << 8)
		return 1;
	c = vfork();
	if (!c)
		_exit(7);
	return status_of(c) != 7 << 8;
}

static void closes(void)
{
	for (int way = 0; way < 3; way++) {
		pid_t c;

		word[1] = 0;
		c = born(CLONE_FILES);
		if (!c) {
			for (int fd = 3; way == 0 && fd < 4096; fd++)
				close(fd);
			if (way == 1)
				syscall(SYS_close_range, 3, ~0u, 0);
			if (way == 2)
				await(1);
			word[1] = 1;
			_exit(goes_on());
		}
		for (int fd = 3; way == 2 && fd < 4096; fd++)
			close(fd);
		if (way == 2)
			word[1] = 1;
		await(1);
		CHECK(goes_on() == 0 && status_of(c) == 0 && goes_on() == 0);
	}
	puts("closes");
}

/* One closes everything again and again, in three ways, while the other starts processes of all
 * kinds. The last one is killed at it, and whoever is there goes on. */
static void races(void)
{
	for (int round = 0; round < 3; round++) {
		pid_t closer, c;

		word[1] = 0;
		closer = born(CLONE_FILES);
		for (int n = 0; !closer; n++) {
			for (int fd = 3; n % 3 == 0 && fd < 1024; fd++)
				close(fd);
			if (n % 3 == 1)
				syscall(SYS_close_range, 3, ~0u, 0);
			for (int fd = 3; n % 3 == 2 && fd < 40; fd++)
				dup2(1, fd);
			if (n > 5 && word[1])
				_exit(4);
		}
		for (int i = 0; i < 6; i++) {
			c = born(i % 3 == 1 ? CLONE_FILES : 0);
			if (!c)
				_exit(i % 3 == 2 ? goes_on() : 0);
			CHECK(c > 0 && status_of(c) == 0);
			c = vfork();
			if (!c) {
				execl("/bin/true", "true", NULL);
				_exit(1);
			}
			CHECK(c > 0 && status_of(c) == 0);
		}
		word[1] = 1;
		if (round % 3 == 2)
			kill(closer, SIGKILL);
		CHECK((status_of(closer) == 4 << 8 || round % 3 == 2) && goes_on() == 0);
	}
	puts("races");
}

/* Children of children in one table; each ends in a way of its own, and who is left goes on. */
static void generations(void)
{
	for (int depth = 0; depth < 12; depth++) {
		const pid_t c = born(CLONE_FILES);

		CHECK(c >= 0);
		if (c) {
			CHECK(status_of(c) ==
			      ((depth + 1) % 3 == 0 && depth < 11 ? SIGKILL : 9 << 8));
			CHECK(goes_on() == 0 && is_open(50 + depth));
			if (depth == 0)
				break;
			if (depth % 3 == 0)
				raise(SIGKILL);
			_exit(9);
		}
		CHECK(dup2(1, 50 + depth) == 50 + depth && (depth == 0 || is_open(49 + depth)));
		if (depth == 11) {
			_exit(9);
		}
	}
	for (int i = 0; i < 100; i++) {
		const pid_t c = born(CLONE_FILES);

		if (!c) {
			if (i % 2)
				raise(SIGKILL);
			_exit(9);
		}
		CHECK(status_of(c) == (i % 2 ? SIGKILL : 9 << 8));
	}
	puts("generations");
}

/* A program executed in one of them has a table of its own from then on. */
static void execs(void)
{
	int end[2], st;
	char byte;

	CHECK(pipe(end) == 0 && fcntl(end[1], F_SETFD, FD_CLOEXEC) == 0);
	for (int i = 0; i < 3; i++) {
		const pid_t c = born(CLONE_FILES);

		if (!c) {
			execlp("sh", "sh", "-c", "exec 8>&1; ls /proc/self/fd | wc -l; exit 5",
			       NULL);
			_exit(1);
		}
		st = status_of(c);
		CHECK(st == 5 << 8 && !is_open(8) && is_open(end[1]));
		CHECK(goes_on() == 0);
	}
	st = status_of(({
		pid_t c = born(CLONE_FILES);
		if (!c) {
			execl("/nonexistent", "x", NULL);
			_exit(goes_on() ? 1 : 2);
		}
		c;
	}));
	CHECK(st == 2 << 8);
	CHECK(write(end[1], "x", 1) == 1 && read(end[0], &byte, 1) == 1);
	puts("execs");
}

/* They part. */
static void parts(void)
{
	for (int way = 0; way < 3; way++) {
		pid_t c;

		close(40);
		c = born(CLONE_FILES);
		if (!c) {
			if (way == 1)
				CHECK(unshare(CLONE_FILES) == 0);
			if (way == 2)
				CHECK(syscall(SYS_close_range, 3000, 3001, CLOSE_RANGE_UNSHARE) ==
				      0);
			CHECK(dup2(1, 40) == 40 && goes_on() == 0);
			c = born(CLONE_FILES);
			if (!c)
				_exit(dup2(1, 43) == 43 ? 0 : 1);
			CHECK(status_of(c) == 0 && is_open(43));
			_exit(0);
		}
		CHECK(status_of(c) == 0);
		CHECK(is_open(40) == (way == 0) && is_open(43) == (way == 0) && goes_on() == 0);
		close(43);
	}
	CHECK(unshare(CLONE_FILES) == 0 && goes_on() == 0);
	puts("parts");
}

/* What the kernel says of the two. */
static void compared(void)
{
	for (int i = 0; i < 2; i++) {
		const pid_t c = born(i ? CLONE_FILES : 0);
		long ret;

		if (!c) {
			while (!word[1])
				sched_yield();
			_exit(0);
		}
		ret = syscall(SYS_kcmp, getpid(), c, KCMP_FILES_TYPE, 0, 0);
		CHECK((ret == 0) == i || errno == ENOSYS || errno == EPERM);
		word[1] = 1;
		CHECK(status_of(c) == 0);
		word[1] = 0;
	}
	puts("compared");
}

/* Threads, vfork and processes in one memory beside that. */
static int in_memory(void *arg)
{
	return dup2(1, 60) == 60 && is_open(61) ? 8 : 1;
}

static void *in_thread(void *arg)
{
	const pid_t c = born(CLONE_FILES);

	if (!c)
		_exit(dup2(1, 62) == 62 ? 0 : 1);
	return (void *)(long)(status_of(c) == 0);
}

static char stack[65536] __attribute__((aligned(16)));

static void mixed(void)
{
	pid_t c = born(CLONE_FILES), d;
	pthread_t t;
	void *got;
	int st;

	if (!c) {
		CHECK(dup2(1, 61) == 61);
		d = clone(in_memory, stack + sizeof(stack), CLONE_VM | CLONE_FILES | SIGCHLD, NULL);
		CHECK(d > 0 && status_of(d) == 8 << 8 && is_open(60));
		close(60);
		d = clone(in_memory, stack + sizeof(stack), CLONE_VM | SIGCHLD, NULL);
		CHECK(d > 0 && status_of(d) == 8 << 8 && !is_open(60) && goes_on() == 0);
		CHECK(pthread_create(&t, NULL, in_thread, NULL) == 0 &&
		      pthread_join(t, &got) == 0 && got && is_open(62));
		d = vfork();
		if (!d) {
			execlp("true", "true", NULL);
			_exit(1);
		}
		_exit(status_of(d) || goes_on());
	}
	st = status_of(c);
	CHECK(st == 0 && is_open(61) && !is_open(60) && is_open(62));
	c = clone(in_memory, stack + sizeof(stack), CLONE_VM | CLONE_VFORK | CLONE_FILES | SIGCHLD,
		  NULL);
	CHECK(c > 0 && status_of(c) == 8 << 8 && is_open(60));
	c = born(CLONE_FILES | CLONE_VFORK);
	if (!c)
		_exit(close(60) ? 1 : 7);
	CHECK(status_of(c) == 7 << 8 && !is_open(60) && goes_on() == 0);
	puts("mixed");
}

/* The parent ends first. */
static void outlives(void)
{
	const pid_t me = getpid();
	const pid_t c = born(CLONE_FILES);

	if (c)
		_exit(7);
	while (getppid() == me)
		usleep(1000);
	for (volatile int i = 0; i < 100000; i++)
		;
	_exit(goes_on() || write(1, "outlived\n", 9) != 9);
}

/* Directory and mask. */
static void directory(void)
{
	char at[100];

	for (int i = 0; i < 2; i++) {
		CHECK(chdir("/") == 0);
		umask(022);
		const pid_t c = born(i ? CLONE_FS : 0);

		if (!c) {
			umask(077);
			_exit(chdir("/proc"));
		}
		CHECK(status_of(c) == 0 && getcwd(at, sizeof(at)));
		printf("%s %o\n", at, umask(022));
	}
}

/* For somebody who kills the run. */
static void stays(void)
{
	for (int i = 0; i < 3; i++)
		if (!born(CLONE_FILES))
			for (;;)
				i & 1 ? pause() : 0;
	pause();
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} all[] = {
	    {"shared", shared},		  {"closes", closes}, {"races", races},
	    {"generations", generations}, {"execs", execs},   {"parts", parts},
	    {"compared", compared},	  {"mixed", mixed},   {"outlives", outlives},
	    {"directory", directory},	  {"stays", stays},
	};

	word = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (argc > 1 && !strcmp(argv[1], all[i].name)) {
			all[i].run();
			return 0;
		}
	}
	return 2;
}
