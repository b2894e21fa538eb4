/* processes.c -- programs of several processes that check themselves; processes NAME runs one.
 *
 * What is printed is the same on every run and every machine. Status 0: as it should be.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

static void work(long n)
{
	for (volatile long i = 0; i < n; i++)
		;
}

/* Wait statuses of children that exit and that die. */
static void statuses(void)
{
	static const int signals[] = {SIGKILL, SIGTERM, SIGSEGV, SIGABRT, SIGFPE};
	struct rlimit none = {0, 0};
	int st;

	setrlimit(RLIMIT_CORE, &none);
	for (int i = 0; i < 4; i++) {
		pid_t c = fork();

		CHECK(c >= 0);
		if (!c)
			_exit(i * 50);
		CHECK(waitpid(c, &st, 0) == c && WIFEXITED(st) && WEXITSTATUS(st) == i * 50);
	}
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		pid_t c = fork();

		CHECK(c >= 0);
		if (!c) {
			if (signals[i] == SIGSEGV)
				*(volatile int *)8 = 1;
			if (signals[i] == SIGFPE) {
				volatile int zero = 0;
				st = 1 / zero;
			}
			raise(signals[i]);
			_exit(77);
		}
		CHECK(waitpid(c, &st, 0) == c && WIFSIGNALED(st) && WTERMSIG(st) == signals[i]);
	}
	CHECK(waitpid(-1, &st, 0) == -1 && errno == ECHILD);
	puts("statuses");
}

/* A child that is killed from outside, asleep and at work; one that is stopped and goes on. */
static void kills(void)
{
	int st;

	for (int kind = 0; kind < 3; kind++) {
		pid_t c = fork();

		CHECK(c >= 0);
		if (!c) {
			if (kind == 2)
				raise(SIGSTOP);
			while (kind == 0)
				pause();
			while (kind == 1)
				work(1000);
			_exit(5);
		}
		if (kind < 2) {
			usleep(20000);
			CHECK(!kill(c, kind ? SIGTERM : SIGKILL));
			CHECK(waitpid(c, &st, 0) == c && WIFSIGNALED(st) &&
			      WTERMSIG(st) == (kind ? SIGTERM : SIGKILL));
			continue;
		}
		CHECK(waitpid(c, &st, WUNTRACED) == c && WIFSTOPPED(st) && WSTOPSIG(st) == SIGSTOP);
		CHECK(!kill(c, SIGCONT));
		CHECK(waitpid(c, &st, 0) == c && WIFEXITED(st) && WEXITSTATUS(st) == 5);
	}
	puts("kills");
}

/* A tree of processes, each with memory of its own and a pipe to its parent. */
static long tree(int depth, long value)
{
	long sum = value;
	int p[2], st;

	for (int i = 0; depth && i < 3; i++) {
		long got = 0;
		pid_t c;

		CHECK(!pipe(p));
		c = fork();
		CHECK(c >= 0);
		if (!c) {
			long mine = tree(depth - 1, value * 3 + i);

			CHECK(write(p[1], &mine, sizeof(mine)) == sizeof(mine));
			_exit(0);
		}
		close(p[1]);
		CHECK(read(p[0], &got, sizeof(got)) == sizeof(got));
		close(p[0]);
		CHECK(waitpid(c, &st, 0) == c && st == 0);
		sum += got;
	}
	return sum;
}

/* A grandchild that lives on when all others are gone. */
static void orphan(void)
{
	int p[2], said[2], st;
	char byte = 0;

	CHECK(!pipe(p) && !pipe(said));
	if (!fork()) {
		if (!fork()) {
			close(p[0]);
			CHECK(read(said[0], &byte, 1) == 1);
			work(1000000);
			CHECK(write(1, "late\n", 5) == 5);
			_exit(3);
		}
		_exit(2);
	}
	close(p[1]);
	CHECK(wait(&st) > 0 && WEXITSTATUS(st) == 2);
	puts("orphan");
	fflush(stdout);
	CHECK(write(said[1], &byte, 1) == 1);
	CHECK(read(p[0], &byte, 1) == 0); /* so that the order of the lines is known */
}

static volatile sig_atomic_t n_children, n_alarms;

static void on_child(int sig)
{
	n_children++;
}

static void on_alarm(int sig)
{
	n_alarms++;
}

/* Handlers, masks and what is pending over a fork. */
static void signals(void)
{
	struct sigaction a = {.sa_handler = on_child};
	sigset_t set, old;
	int st;
	pid_t c;

	sigaction(SIGCHLD, &a, NULL);
	a.sa_handler = on_alarm;
	sigaction(SIGUSR1, &a, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, &old);
	raise(SIGUSR1); /* pending here, not in the child */
	c = fork();
	CHECK(c >= 0);
	if (!c) {
		sigset_t pending;

		sigpending(&pending);
		CHECK(!sigismember(&pending, SIGUSR1));
		sigprocmask(SIG_BLOCK, NULL, &pending);
		CHECK(sigismember(&pending, SIGUSR1));
		sigprocmask(SIG_SETMASK, &old, NULL);
		CHECK(n_alarms == 0);
		raise(SIGUSR1);
		CHECK(n_alarms == 1);
		_exit(0);
	}
	CHECK(waitpid(c, &st, 0) == c && st == 0);
	CHECK(n_children == 0 && n_alarms == 0);
	sigprocmask(SIG_SETMASK, &old, NULL);
	CHECK(n_children == 1 && n_alarms == 1);
	puts("signals");
}

/* Shared memory, copied memory, processes as parents see them, groups and sessions. */
static void sharing(void)
{
	int *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0),
	    own = 1, st;
	pid_t me = getpid(), c;

	CHECK(shared != MAP_FAILED);
	c = fork();
	CHECK(c >= 0);
	if (!c) {
		CHECK(getppid() == me && getpid() != me && (pid_t)syscall(SYS_gettid) == getpid());
		*shared = 17;
		own = 2;
		CHECK(setsid() == getpid() && getpgrp() == getpid());
		_exit(own);
	}
	CHECK(waitpid(c, &st, 0) == c && WEXITSTATUS(st) == 2);
	CHECK(*shared == 17 && own == 1 && getpid() == me);
	puts("sharing");
}

/* Calls that name descriptor fd find none. */
static int names_nothing(int fd)
{
	struct stat st;
	struct statfs fs;
	char byte;

	return fstat(fd, &st) && errno == EBADF && read(fd, &byte, 1) < 0 && errno == EBADF &&
	       write(fd, "", 1) < 0 && errno == EBADF && fstatfs(fd, &fs) && errno == EBADF &&
	       lseek(fd, 0, SEEK_CUR) < 0 && errno == EBADF && shutdown(fd, SHUT_RDWR) &&
	       errno == EBADF && send(fd, "", 1, 0) < 0 && errno == EBADF && ftruncate(fd, 0) &&
	       errno == EBADF && openat(fd, "x", O_RDONLY) < 0 && errno == EBADF && dup(fd) < 0 &&
	       errno == EBADF && mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED &&
	       errno == EBADF;
}

/* Closing all descriptors must not part a process from softpmu. */
static void closes(void)
{
	int st;
	pid_t c = fork();

	CHECK(c >= 0);
	if (!c) {
		for (int i = 3; i < 1100; i++)
			close(i);
		for (int i = 1010; i < 1024; i++)
			CHECK(dup2(1, i) == i);
		c = fork();
		if (!c) {
			syscall(SYS_close_range, 3, ~0u, 0);
			for (int i = 3; i < 1024; i++)
				CHECK(fcntl(i, F_GETFD) == -1 && errno == EBADF);
			for (int i = 3; i < 1024; i++)
				CHECK(names_nothing(i));
			CHECK(open("/", O_RDONLY) == 3);
			_exit(11);
		}
		CHECK(waitpid(c, &st, 0) == c && WEXITSTATUS(st) == 11);
		_exit(12);
	}
	CHECK(waitpid(c, &st, 0) == c && WEXITSTATUS(st) == 12);
	puts("closes");
}

/* Code that a process writes for itself, before and after it forks. */
static void code(void)
{
	unsigned char *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int (*f)(void) = (int (*)(void))(void *)p, st;
	pid_t c;

	CHECK(p != MAP_FAILED);
	memcpy(p, "\xb8\x07\x00\x00\x00\xc3", 6); /* mov eax, 7; ret */
	CHECK(f() == 7);
	c = fork();
	CHECK(c >= 0);
	if (!c) {
		CHECK(f() == 7);
		p[1] = 9;
		CHECK(f() == 9);
		_exit(0);
	}
	p[1] = 8;
	CHECK(f() == 8);
	CHECK(waitpid(c, &st, 0) == c && st == 0);
	CHECK(f() == 8);
	puts("code");
}

/* What a program finds when it is executed: printed by "self". */
static void self(int argc, char **argv)
{
	struct sigaction a;
	sigset_t mask, pending;
	char link[4096];
	ssize_t n = readlink("/proc/self/exe", link, sizeof(link) - 1);
	const char *slash;

	printf("self");
	for (int i = 2; i < argc; i++)
		printf(" [%s]", argv[i]);
	link[n > 0 ? n : 0] = 0;
	slash = strrchr(link, '/');
	printf(" exe %s, env %s,", slash ? slash + 1 : link,
	       getenv("PROCESSES") ? getenv("PROCESSES") : "none");
	sigprocmask(SIG_BLOCK, NULL, &mask);
	sigpending(&pending);
	for (int i = 1; i < 32; i++) {
		sigaction(i, NULL, &a);
		if (a.sa_handler != SIG_DFL || sigismember(&mask, i) || sigismember(&pending, i))
			printf(" %d%s%s%s", i,
			       a.sa_handler == SIG_IGN ? "i"
			       : a.sa_handler	       ? "h"
						       : "",
			       sigismember(&mask, i) ? "b" : "",
			       sigismember(&pending, i) ? "p" : "");
	}
	for (int i = 0; i < 40; i++)
		if (fcntl(i, F_GETFD) >= 0)
			printf(" fd%d", i);
	printf(" alarm %d\n", alarm(0) > 0);
}

static void handler(int sig)
{
}

/* A socket is a file that is no program. */
static void check_exec_socket(char *const *args, char *const *env)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX, .sun_path = "socket-of-processes"};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	unlink(at.sun_path);
	CHECK(bind(fd, (struct sockaddr *)&at, sizeof(at)) == 0 && chmod(at.sun_path, 0755) == 0);
	CHECK(execve(at.sun_path, args, env) == -1 && errno == EACCES);
	unlink(at.sun_path);
	close(fd);
}

/* Exec: what is inherited, what is not, and how it fails. */
static void execs(const char *me)
{
	char *const args[] = {(char *)"other name", (char *)"self", (char *)"a b", (char *)"",
			      NULL};
	char *const env[] = {(char *)"PROCESSES=yes", NULL};
	char big[200000];
	char *const too_big[] = {(char *)"x", big, NULL};
	sigset_t set;
	int st, fd;

	memset(big, 'x', sizeof(big) - 1);
	big[sizeof(big) - 1] = 0;
	CHECK(execve("/nonexistent/program", args, env) == -1 && errno == ENOENT);
	CHECK(execve("/", args, env) == -1 && errno == EACCES);
	CHECK(execve("/etc/passwd", args, env) == -1 && errno == EACCES);
	CHECK(execve("", args, env) == -1 && errno == ENOENT);
	check_exec_socket(args, env);
	CHECK(execve(me, too_big, env) == -1 && errno == E2BIG);
	CHECK(execve(me, (char *const *)8, env) == -1 && errno == EFAULT);
	CHECK(execve(me, args, (char *const *)8) == -1 && errno == EFAULT);
	CHECK(execve((char *)8, args, env) == -1 && errno == EFAULT);
	for (int kind = 0; kind < 4; kind++) {
		pid_t c;

		fflush(stdout);
		c = kind & 1 ? vfork() : fork();
		CHECK(c >= 0);
		if (c) {
			CHECK(waitpid(c, &st, 0) == c && st == 0);
			continue;
		}
		signal(SIGUSR1, SIG_IGN);
		signal(SIGSEGV, SIG_IGN);
		signal(SIGUSR2, handler);
		signal(SIGTERM, handler);
		sigemptyset(&set);
		sigaddset(&set, SIGUSR2);
		sigaddset(&set, SIGFPE);
		sigaddset(&set, SIGRTMIN);
		sigprocmask(SIG_BLOCK, &set, NULL);
		kill(getpid(), SIGUSR2);
		kill(getpid(), SIGFPE);
		alarm(100);
		fd = open("/dev/null", O_RDONLY);
		dup2(fd, 20);
		fcntl(fd, F_SETFD, FD_CLOEXEC);
		if (kind < 2)
			execve(me, args, env);
		fd = open(me, O_RDONLY | O_CLOEXEC);
		syscall(SYS_execveat, fd, "", args, env, 0x1000 /* AT_EMPTY_PATH */);
		_exit(99);
	}
	puts("execs");
}

/* Children that borrow their parent's memory. */
static void vforks(const char *me)
{
	static volatile int shared;
	int st;
	pid_t c, deep;

	c = vfork();
	if (!c) {
		shared = 5;
		_exit(3);
	}
	CHECK(waitpid(c, &st, 0) == c && WEXITSTATUS(st) == 3 && shared == 5);
	c = vfork();
	if (!c) {
		kill(getpid(), SIGKILL);
		_exit(4);
	}
	CHECK(waitpid(c, &st, 0) == c && WTERMSIG(st) == SIGKILL);
	c = vfork();
	if (!c) { /* a child of the child, twice over */
		deep = vfork();
		if (!deep) {
			shared++;
			execl(me, me, "exit", "6", NULL);
			_exit(1);
		}
		waitpid(deep, &st, 0);
		shared += WEXITSTATUS(st);
		_exit(7);
	}
	CHECK(waitpid(c, &st, 0) == c && WEXITSTATUS(st) == 7 && shared == 12);
	c = vfork();
	if (!c) {
		execl("/nonexistent", "x", NULL);
		shared = errno;
		execl(me, me, "exit", "8", NULL);
		_exit(1);
	}
	CHECK(waitpid(c, &st, 0) == c && WEXITSTATUS(st) == 8 && shared == ENOENT);
	CHECK(getpid() != c && (pid_t)syscall(SYS_gettid) == getpid());
	puts("vforks");
}

static void spawns(const char *me)
{
	char *const args[] = {(char *)me, (char *)"exit", (char *)"21", NULL};
	posix_spawnattr_t attr;
	sigset_t set;
	pid_t c;
	int st;

	CHECK(posix_spawn(&c, "/nonexistent", NULL, NULL, args, environ) == ENOENT);
	CHECK(posix_spawn(&c, "/etc/passwd", NULL, NULL, args, environ) == EACCES);
	for (int i = 0; i < 3; i++) {
		CHECK(!posix_spawn(&c, me, NULL, NULL, args, environ));
		CHECK(waitpid(c, &st, 0) == c && WEXITSTATUS(st) == 21);
	}
	sigfillset(&set);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigdefault(&attr, &set);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF);
	CHECK(!posix_spawnp(&c, "true", NULL, &attr, args, environ));
	CHECK(waitpid(c, &st, 0) == c && st == 0);
	st = system("exit 5");
	CHECK(WEXITSTATUS(st) == 5);
	puts("spawns");
}

/* A program that executes itself again and again. */
static void again(const char *me, int n)
{
	char number[12];

	if (!n) {
		puts("again");
		return;
	}
	snprintf(number, sizeof(number), "%d", n - 1);
	execl("/proc/self/exe", me, "again", number, NULL);
	_exit(98);
}

/* N children, one after the other, each with a bit of work. */
static void many(int n)
{
	int st;

	for (int i = 0; i < n; i++) {
		pid_t c = fork();

		CHECK(c >= 0);
		if (!c) {
			work(100);
			_exit(i & 127);
		}
		CHECK(waitpid(c, &st, 0) == c && WEXITSTATUS(st) == (i & 127));
	}
	puts("many");
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";

	if (!strcmp(name, "statuses"))
		statuses();
	else if (!strcmp(name, "kills"))
		kills();
	else if (!strcmp(name, "tree"))
		printf("%ld\n", tree(argc > 2 ? atoi(argv[2]) : 2, 1));
	else if (!strcmp(name, "orphan"))
		orphan();
	else if (!strcmp(name, "signals"))
		signals();
	else if (!strcmp(name, "sharing"))
		sharing();
	else if (!strcmp(name, "closes"))
		closes();
	else if (!strcmp(name, "code"))
		code();
	else if (!strcmp(name, "self"))
		self(argc, argv);
	else if (!strcmp(name, "exit"))
		return atoi(argv[2]);
	else if (!strcmp(name, "execs"))
		execs(argv[0]);
	else if (!strcmp(name, "vforks"))
		vforks(argv[0]);
	else if (!strcmp(name, "spawns"))
		spawns(argv[0]);
	else if (!strcmp(name, "again"))
		again(argv[0], argc > 2 ? atoi(argv[2]) : 5);
	else if (!strcmp(name, "many"))
		many(argc > 2 ? atoi(argv[2]) : 10);
	else
		return 2;
	return 0;
}
