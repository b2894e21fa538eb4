/* Parts of the kernel interface that run-time systems use: descriptors for events, timers, signals
 * and memory, what /proc/self says, limits of descriptors, and calls that are absent by design
 * (their users fall back). */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>

#include "check.h"

static void test_events(void)
{
	int ep = epoll_create1(EPOLL_CLOEXEC), ev = eventfd(3, EFD_NONBLOCK | EFD_SEMAPHORE);
	int tm = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK), in = inotify_init1(IN_NONBLOCK);
	struct itimerspec soon = {.it_value = {0, 20000000}};
	struct epoll_event e = {.events = EPOLLIN}, got[4];
	uint64_t v;

	CHECK(ep >= 0 && ev >= 0 && tm >= 0 && in >= 0);
	e.data.fd = ev;
	CHECK(epoll_ctl(ep, EPOLL_CTL_ADD, ev, &e) == 0);
	e.data.fd = tm;
	CHECK(epoll_ctl(ep, EPOLL_CTL_ADD, tm, &e) == 0);
	CHECK(epoll_wait(ep, got, 4, 0) == 1 && got[0].data.fd == ev);
	for (int i = 0; i < 3; i++)
		CHECK(read(ev, &v, 8) == 8 && v == 1);
	CHECK(read(ev, &v, 8) == -1 && errno == EAGAIN);
	CHECK(timerfd_settime(tm, 0, &soon, NULL) == 0);
	CHECK(epoll_wait(ep, got, 4, 5000) == 1 && got[0].data.fd == tm);
	CHECK(read(tm, &v, 8) == 8 && v == 1);
	CHECK(read(in, got, sizeof(got)) == -1 && errno == EAGAIN);
	close(ep);
	close(ev);
	close(tm);
	close(in);
}

static volatile int n_handled;

static void handler(int sig)
{
	n_handled++;
}

static void test_signalfd(void)
{
	struct signalfd_siginfo s;
	struct timespec now = {0, 0};
	siginfo_t info;
	sigset_t set;
	int fd;

	signal(SIGUSR1, handler);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_NONBLOCK);
	CHECK(fd >= 0);
	CHECK(read(fd, &s, sizeof(s)) == -1 && errno == EAGAIN);
	kill(getpid(), SIGUSR1);
	sigqueue(getpid(), SIGUSR2, (union sigval){.sival_int = 42});
	CHECK(read(fd, &s, sizeof(s)) == sizeof(s) && s.ssi_signo == SIGUSR1);
	CHECK(sigtimedwait(&set, &info, &now) == SIGUSR2 && info.si_value.sival_int == 42);
	kill(getpid(), SIGUSR1);
	CHECK(n_handled == 0);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	CHECK(n_handled == 1);
	close(fd);
}

static void test_memory_files(void)
{
	int fd = memfd_create("data", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	char text[8] = "abcdefg", *p;

	CHECK(write(fd, text, 8) == 8);
	CHECK(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) == 0);
	CHECK(ftruncate(fd, 4) == -1 && errno == EPERM);
	p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(p != MAP_FAILED && memcmp(p, text, 8) == 0);
	p[0] = 'x';
	CHECK(pread(fd, text, 8, 0) == 8 && text[0] == 'x');
	munmap(p, 4096);
	close(fd);
}

/* A line of a file in /proc/self that begins with `key`, or an empty one. */
static const char *line_of(const char *path, const char *key)
{
	static char line[512];
	FILE *f = fopen(path, "r");

	while (f && fgets(line, sizeof(line), f))
		if (strncmp(line, key, strlen(key)) == 0) {
			fclose(f);
			return line;
		}
	if (f)
		fclose(f);
	return "";
}

static void test_proc(char **argv)
{
	char path[4096], name[4096];
	struct stat by_link, by_name;
	uintptr_t here = (uintptr_t)&test_proc, lo = 0, hi = 0;
	int fd, n_fd = 0, n_bad = 0, has_here = 0;
	struct dirent *d;
	ssize_t n;
	FILE *f;
	DIR *dir;

	n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	CHECK(n > 0);
	path[n > 0 ? n : 0] = 0;
	CHECK(stat(path, &by_link) == 0 && stat(argv[0], &by_name) == 0 &&
	      by_link.st_ino == by_name.st_ino);
	f = fopen("/proc/self/maps", "r");
	CHECK(f != NULL);
	while (f && fgets(name, sizeof(name), f)) {
		n_bad += sscanf(name, "%lx-%lx", &lo, &hi) != 2 || lo >= hi;
		has_here |=
		    here >= lo && here < hi && strstr(name, "r-xp") && strstr(name, "kernel-");
	}
	CHECK(has_here && n_bad == 0);
	if (f)
		fclose(f);
	CHECK(strncmp(line_of("/proc/self/status", "Pid:"), "Pid:", 4) == 0);
	CHECK(atoi(line_of("/proc/self/status", "Pid:") + 4) == getpid());
	f = fopen("/proc/self/stat", "r");
	CHECK(f && fscanf(f, "%d", &fd) == 1 && fd == getpid());
	if (f)
		fclose(f);
	/* The descriptors are the program's own: 0, 1, 2 and the directory itself. */
	dir = opendir("/proc/self/fd");
	CHECK(dir != NULL);
	while (dir && (d = readdir(dir)))
		n_fd += d->d_name[0] != '.' && atoi(d->d_name) <= 3;
	CHECK(n_fd == 4);
	if (dir)
		closedir(dir);
	fd = open("/proc/self/auxv", O_RDONLY);
	CHECK(fd >= 0 && read(fd, path, 16) == 16);
	close(fd);
	fd = open("/proc/self/mem", O_RDONLY);
	CHECK(fd >= 0 && pread(fd, path, 7, (off_t)(uintptr_t) "in text") == 7 &&
	      memcmp(path, "in text", 7) == 0);
	close(fd);
}

/* A name of another process's memory: one's own. */
static void test_process_vm(void)
{
	char from[16] = "process_vm_read", to[16] = "";
	struct iovec l = {to, 16}, r = {from, 16};
	ssize_t n = process_vm_readv(getpid(), &l, 1, &r, 1, 0);

	CHECK((n == 16 && memcmp(to, from, 16) == 0) ||
	      (n == -1 && (errno == EPERM || errno == ENOSYS)));
}

/* Descriptors of the program in bulk: none of the engine's goes away with them. */
static void test_descriptors(void)
{
	struct rlimit lim;
	int fd = dup(1), high;

	CHECK(getrlimit(RLIMIT_NOFILE, &lim) == 0);
	high = fcntl(fd, F_DUPFD, 50);
	CHECK(high >= 50);
	for (int i = 3; i < (int)(lim.rlim_cur < 4096 ? lim.rlim_cur : 4096); i++)
		close(i);
	CHECK(fcntl(high, F_GETFD) == -1 && errno == EBADF);
	fd = dup(1);
	CHECK(fd == 3);
	if (syscall(SYS_close_range, 3, ~0u, 0) != 0)
		CHECK(errno == ENOSYS);
	CHECK(dup(1) == 3);
	close(3);
}

/* Where descriptors are named in memory or by a path, too, only those of the program are there. */
static void test_named_descriptors(void)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = {{0}};
	struct iovec iov = {"x", 1};
	struct msghdr m = {.msg_iov = &iov,
			   .msg_iovlen = 1,
			   .msg_control = control.bytes,
			   .msg_controllen = CMSG_LEN(sizeof(int))};
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);
	struct mmsghdr two[2] = {{.msg_hdr = {.msg_iov = &iov, .msg_iovlen = 1}}, {.msg_hdr = m}};
	char byte;
	int pair[2], n_polled = 0, n_named = 0, n_sent = 0;
	struct stat st;
	char path[64];

	CHECK(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) == 0);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	for (int fd = 0; fd < 1100; fd++) {
		struct pollfd p[2] = {{.fd = -5, .revents = 1}, {.fd = fd, .events = POLLOUT}};

		if (fcntl(fd, F_GETFD) >= 0)
			continue;
		n_polled += poll(p, 2, -1) != 1 || p[1].revents != POLLNVAL || p[1].fd != fd ||
			    p[0].fd != -5 || p[0].revents;
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		n_named += stat(path, &st) == 0 || errno != ENOENT ||
			   readlink(path, path, 8) >= 0 || open(path, O_RDONLY) >= 0;
		memcpy(CMSG_DATA(c), &fd, sizeof(fd));
		n_sent += sendmsg(pair[0], &m, 0) >= 0 || errno != EBADF;
		n_sent += sendmmsg(pair[0], two + 1, 1, 0) >= 0 || errno != EBADF;
		n_sent += sendmmsg(pair[0], two, 2, 0) != 1 || recv(pair[1], &byte, 1, 0) != 1;
	}
	CHECK(n_polled == 0 && n_named == 0 && n_sent == 0);
	memcpy(CMSG_DATA(c), &pair[1], sizeof(int));
	CHECK(sendmsg(pair[0], &m, 0) == 1);
	close(pair[0]);
	close(pair[1]);
}

/* Descriptors and mappings of another process that are not the program's. */
static int n_foreign(pid_t pid)
{
	char path[300], there[300], line[4096];
	struct dirent *d;
	int n = 0, n_lines = 0;
	DIR *dir;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	dir = opendir(path);
	while (dir && (d = readdir(dir))) {
		snprintf(path, sizeof(path), "/proc/%d/fd/%s", (int)pid, d->d_name);
		memset(there, 0, sizeof(there));
		n += readlink(path, there, sizeof(there) - 1) > 0 && strstr(there, "memfd:");
	}
	if (dir)
		closedir(dir);
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f)) {
		n_lines++;
		n += strstr(line, "memfd:") != NULL;
	}
	if (f)
		fclose(f);
	return n_lines ? n : -1;
}

/* The program of this process and of others, by its link in /proc. */
static void test_exe_links(char **argv)
{
	static char *const words[] = {"sleep", "20", NULL};
	struct stat own, by_link;
	char path[64], mine[4096] = "", its[4096] = "", sleeps[4096];
	int ready[2];
	pid_t child;

	CHECK(stat(argv[0], &own) == 0 && stat("/proc/self/exe", &by_link) == 0 &&
	      own.st_ino == by_link.st_ino);
	CHECK(access("/proc/self/exe", X_OK) == 0 && lstat("/proc/self/exe", &by_link) == 0 &&
	      S_ISLNK(by_link.st_mode));
	CHECK(pipe(ready) == 0);
	child = fork();
	if (child == 0)
		for (write(ready[1], "", 1);;)
			pause();
	CHECK(read(ready[0], path, 1) == 1);
	close(ready[0]);
	close(ready[1]);
	snprintf(path, sizeof(path), "/proc/%d/exe", (int)child);
	CHECK(readlink("/proc/self/exe", mine, sizeof(mine) - 1) > 0 &&
	      readlink(path, its, sizeof(its) - 1) > 0 && strcmp(mine, its) == 0);
	CHECK(n_foreign(child) == 0);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	if (!realpath("/bin/sleep", sleeps) ||
	    posix_spawn(&child, sleeps, NULL, NULL, words, environ))
		return;
	snprintf(path, sizeof(path), "/proc/%d/exe", (int)child);
	memset(its, 0, sizeof(its));
	CHECK(readlink(path, its, sizeof(its) - 1) > 0 && strcmp(its, sleeps) == 0);
	CHECK(stat(path, &by_link) == 0 && stat(sleeps, &own) == 0 && own.st_ino == by_link.st_ino);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

/* Absent for the program, or refused: never half there. */
static void test_absent(void)
{
	char params[256] = {0};
	long ret;

	ret = syscall(SYS_io_uring_setup, 4, params);
	CHECK(ret >= 0 || errno == ENOSYS || errno == EPERM || errno == EINVAL);
	if (ret >= 0)
		close((int)ret);
	ret = syscall(SYS_userfaultfd, 0);
	CHECK(ret >= 0 || errno == ENOSYS || errno == EPERM);
	if (ret >= 0)
		close((int)ret);
	CHECK(syscall(SYS_rseq, params + 1, 32, 0, 0x53053053) ==
	      -1); /* not aligned: refused in any case */
	CHECK(syscall(470 + 30, 0) == -1 && errno == ENOSYS);
	CHECK(prctl(PR_GET_NAME, params) == 0 && strncmp(params, "kernel-", 7) == 0);
	CHECK(prctl(PR_SET_NAME, "renamed") == 0 && prctl(PR_GET_NAME, params) == 0 &&
	      strcmp(params, "renamed") == 0);
}

/* Messages with descriptors, and a datagram's sender. */
static void test_messages(void)
{
	union {
		struct cmsghdr head;
		char space[CMSG_SPACE(sizeof(int))];
	} control = {.head = {0}};
	struct iovec io = {"m", 1};
	struct msghdr m = {.msg_iov = &io,
			   .msg_iovlen = 1,
			   .msg_control = &control,
			   .msg_controllen = sizeof(control)};
	char text[8] = "";
	int s[2], p[2], got;

	CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, s) == 0 && pipe(p) == 0);
	control.head = (struct cmsghdr){CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
	memcpy(CMSG_DATA(&control.head), &p[0], sizeof(int));
	CHECK(sendmsg(s[0], &m, 0) == 1);
	memset(&control, 0, sizeof(control));
	io = (struct iovec){text, 8};
	CHECK(recvmsg(s[1], &m, 0) == 1 && text[0] == 'm');
	memcpy(&got, CMSG_DATA(&control.head), sizeof(int));
	CHECK(got >= 0 && write(p[1], "xyz", 3) == 3 && read(got, text, 8) == 3 &&
	      memcmp(text, "xyz", 3) == 0);
	close(s[0]);
	close(s[1]);
	close(p[0]);
	close(p[1]);
	close(got);
}

int main(int argc, char **argv)
{
	test_events();
	test_signalfd();
	test_memory_files();
	test_proc(argv);
	test_exe_links(argv);
	test_process_vm();
	test_messages();
	test_absent();
	test_descriptors();
	test_named_descriptors();
	return check_end();
}
