/* selfcount.c -- a program that measures itself by perf_event_open, and says what it found.
 *
 * selfcount TEST: exit status 0 when what the PMU said is what the program knows of itself; else 1
 * and a line per difference. Built for 64 and for 32 bits; the tests that need no PMU run natively,
 * too.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static long event_open(struct perf_event_attr *a, pid_t pid, int cpu, int group,
		       unsigned long flags)
{
	return syscall(SYS_perf_event_open, a, pid, cpu, group, flags);
}

static struct perf_event_attr attr_of(uint32_t type, uint64_t config)
{
	struct perf_event_attr a = {.type = type, .size = sizeof(a), .config = config};

	a.exclude_kernel = a.exclude_hv = 1;
	a.disabled = 1;
	return a;
}

static int instructions_of(pid_t pid)
{
	struct perf_event_attr a = attr_of(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);

	return (int)event_open(&a, pid, -1, -1, 0);
}

/* 2n + 1 instructions. */
static __attribute__((noinline)) void spin(unsigned long n)
{
	__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(n) : : "cc");
}

static uint64_t value_of(int fd)
{
	uint64_t v = 0;

	CHECK(read(fd, &v, sizeof(v)) == sizeof(v), "read: %s", strerror(errno));
	return v;
}

static uint64_t measure(int fd, unsigned long n)
{
	ioctl(fd, PERF_EVENT_IOC_RESET, 0);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	spin(n);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	return value_of(fd);
}

/* Twice the turns are exactly twice the instructions, whatever stands around them. */
static void counts(void)
{
	const int fd = instructions_of(0);
	struct perf_event_attr raw = attr_of(PERF_TYPE_RAW, 0x5300c0);
	uint64_t a, b, c;
	int two;

	CHECK(fd >= 0, "open: %s", strerror(errno));
	a = measure(fd, 1000);
	b = measure(fd, 2000);
	c = measure(fd, 3000);
	CHECK(b - a == 2000 && c - b == 2000 && a < 2100, "1000, 2000, 3000 turns: %llu %llu %llu",
	      (unsigned long long)a, (unsigned long long)b, (unsigned long long)c);
	CHECK(value_of(fd) == c, "a stopped event moves");
	two = (int)event_open(&raw, 0, -1, -1, 0);
	CHECK(two >= 0, "raw: %s", strerror(errno));
	CHECK(measure(two, 1000) == a, "the raw code counts something else");
	close(two);
	close(fd);
}

/* Every read format, of a group. */
static void formats(void)
{
	struct perf_event_attr a = attr_of(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	struct perf_event_attr b = attr_of(PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS);
	uint64_t v[16], id[2] = {0};
	char big[6168];
	int fd[2];

	a.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED |
			PERF_FORMAT_TOTAL_TIME_RUNNING;
	b.disabled = 0;
	b.read_format = PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED;
	fd[0] = (int)event_open(&a, 0, -1, -1, 0);
	fd[1] = (int)event_open(&b, 0, -1, fd[0], 0);
	CHECK(fd[0] >= 0 && fd[1] >= 0, "open: %s", strerror(errno));
	ioctl(fd[0], PERF_EVENT_IOC_ID, &id[0]);
	ioctl(fd[1], PERF_EVENT_IOC_ID, &id[1]);
	CHECK(id[0] && id[1] && id[0] != id[1], "ids %llu %llu", (unsigned long long)id[0],
	      (unsigned long long)id[1]);
	ioctl(fd[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
	spin(5000);
	ioctl(fd[0], PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
	CHECK(read(fd[0], big, sizeof(big)) == 56, "size of a group");
	memcpy(v, big, 56);
	CHECK(v[0] == 2 && v[1] && v[1] == v[2], "number %llu, enabled %llu, running %llu",
	      (unsigned long long)v[0], (unsigned long long)v[1], (unsigned long long)v[2]);
	CHECK(v[4] == id[0] && v[6] == id[1], "ids in the group");
	CHECK(v[3] > 10000 && v[3] < 10200 && v[5] >= 5000 && v[5] < 5100,
	      "instructions %llu, branches %llu", (unsigned long long)v[3],
	      (unsigned long long)v[5]);
	CHECK(read(fd[0], v, 55) == -1 && errno == ENOSPC, "a short buffer is no error");
	CHECK(read(fd[1], v, sizeof(v)) == 24 && v[2] == id[1], "a member by itself");
	CHECK(write(fd[0], v, 8) == -1, "an event can be written");
	close(fd[0]);
	CHECK(read(fd[1], v, sizeof(v)) == 24, "a member whose leader is closed");
	close(fd[1]);
}

struct bad {
	uint32_t type;
	uint64_t config;
	int error;
};

/* How many events a process with few descriptors can have; errno says why not more. */
static int opens_until_full(void)
{
	struct perf_event_attr a = attr_of(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	struct rlimit was, few;
	int fd[64], n = 0, error;

	getrlimit(RLIMIT_NOFILE, &was);
	few = was;
	few.rlim_cur = 40;
	setrlimit(RLIMIT_NOFILE, &few);
	while (n < 64 && (fd[n] = (int)event_open(&a, 0, -1, -1, 0)) >= 0)
		n++;
	error = n < 64 ? errno : 0;
	for (int i = 0; i < n; i++)
		close(fd[i]);
	setrlimit(RLIMIT_NOFILE, &was);
	errno = error;
	return n;
}

/* A process that is not of the run, the one that started it, is none: said at once. Waiting for it
 * each time would take longer than a test may. */
static void outsiders(void)
{
	for (int i = 0; i < 40; i++)
		CHECK(instructions_of(getppid()) == -1 && errno == ESRCH,
		      "an event on a process outside: %s", strerror(errno));
}

static void errors(void)
{
	static const struct bad list[] = {
	    {PERF_TYPE_HARDWARE, 8, EINVAL},
	    {PERF_TYPE_HARDWARE, 9, EINVAL},
	    {PERF_TYPE_HARDWARE, 99, EINVAL},
	    {PERF_TYPE_HW_CACHE, 0x10100, 0},
	    {PERF_TYPE_HW_CACHE, 0x00002, ENOENT},
	    {PERF_TYPE_HW_CACHE, 0x00101, EINVAL},
	    {PERF_TYPE_HW_CACHE, 0x00006, EINVAL},
	    {PERF_TYPE_HW_CACHE, 0x7, EINVAL},
	    {PERF_TYPE_HW_CACHE, 0x30000, EINVAL},
	    {77, 0, ENOENT},
	    {PERF_TYPE_RAW, 0xc0, 0},
	    {PERF_TYPE_RAW, 0x3c, ENOENT}, /* the second is one of later processors */
	};
	struct perf_event_attr a = attr_of(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	char large[256] = {0};
	uint64_t v[8];
	int fd, other, dead;

	for (unsigned i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		a = attr_of(list[i].type, list[i].config);
		errno = 0;
		fd = (int)event_open(&a, 0, -1, -1, 0);
		CHECK(list[i].error ? fd == -1 && errno == list[i].error : fd >= 0,
		      "type %u config %llx: %d %s", list[i].type,
		      (unsigned long long)list[i].config, fd, strerror(errno));
		if (fd >= 0)
			close(fd);
	}
#define FAILS(call, error)                                                                         \
	do {                                                                                       \
		errno = 0;                                                                         \
		CHECK((call) == -1 && errno == (error), "%s: %s", #call, strerror(errno));         \
	} while (0)
	a = attr_of(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	FAILS(event_open(&a, 0, -1, -1, 64), EINVAL);
	FAILS(event_open(&a, -1, -1, -1, 0), EINVAL);
	FAILS(event_open(&a, 0, 1000, -1, 0), EINVAL);
	FAILS(event_open(&a, 0, -1, 999, 0), EBADF);
	FAILS(event_open(&a, 0, -1, 0, 0), EBADF);
	FAILS(event_open(NULL, 0, -1, -1, 0), EFAULT);
	a.size = 63;
	FAILS(event_open(&a, 0, -1, -1, 0), E2BIG);
	CHECK(a.size >= 112, "size written back: %u", a.size);
	a.size = 5000;
	FAILS(event_open(&a, 0, -1, -1, 0), E2BIG);
	a.size = sizeof(a);
	memcpy(large, &a, sizeof(a));
	((struct perf_event_attr *)(void *)large)->size = sizeof(large);
	fd = (int)event_open((void *)large, 0, -1, -1, 0);
	CHECK(fd >= 0, "zeros behind the struct: %s", strerror(errno));
	close(fd);
	large[255] = 1;
	FAILS(event_open((void *)large, 0, -1, -1, 0), E2BIG);
	a.size = 0;
	fd = (int)event_open(&a, 0, -1, -1, 0);
	CHECK(fd >= 0, "size 0: %s", strerror(errno));
	FAILS(ioctl(fd, _IO('$', 99), 0), ENOTTY);
	FAILS(ioctl(fd, PERF_EVENT_IOC_REFRESH, 1), EINVAL);
	FAILS(ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, 999), EBADF);
	a.size = sizeof(a);
	a.pinned = 1;
	FAILS(event_open(&a, 0, -1, fd, 0), EINVAL);
	a.pinned = 0;
	a.precise_ip = 1;
	FAILS(event_open(&a, 0, -1, -1, 0), EOPNOTSUPP);
	a.precise_ip = 0;
	a.read_format = 1u << 20;
	FAILS(event_open(&a, 0, -1, -1, 0), EINVAL);
	a.read_format = 0;
	a.inherit = 1;
	FAILS(event_open(&a, 0, -1, fd, 0), EINVAL);
	a.inherit = 0;
	other = (int)event_open(&a, 0, -1, fd, 0);
	CHECK(other >= 0, "second of a group: %s", strerror(errno));
	FAILS(event_open(&a, 0, -1, other, 0), EINVAL);
	a.config = 1;
	dead = (int)event_open(&a, 0, -1, fd, 0);
	CHECK(dead == -1 && errno == EINVAL, "three in a group of two counters: %s",
	      strerror(errno));
	CHECK(mmap(NULL, 3 * 4096 + 4096, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED &&
		  errno == EINVAL,
	      "mmap of 4 pages");
	CHECK(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0) == MAP_FAILED && errno == EINVAL,
	      "private mmap");
	close(other);
	close(fd);
	FAILS(read(fd, v, 8), EBADF);
	dead = fork();
	if (!dead)
		_exit(0);
	waitpid(dead, NULL, 0);
	a.config = PERF_COUNT_HW_INSTRUCTIONS;
	FAILS(event_open(&a, dead, -1, -1, 0), ESRCH);
	FAILS(event_open(&a, 1, -1, -1, 0), ESRCH); /* no process of this run */
	CHECK(opens_until_full() >= 20 && errno == EMFILE, "more descriptors than there may be: %s",
	      strerror(errno));
	fd = (int)event_open(&a, 0, -1, -1, 0);
	CHECK(fd >= 0, "afterwards: %s", strerror(errno));
	close(fd);
}

/* Two descriptors, a dup, a closed one, the child of a fork: one event. */
static void descriptors(void)
{
	const int fd = instructions_of(0), again = dup(fd);
	uint64_t a, b;
	int status;

	ioctl(again, PERF_EVENT_IOC_ENABLE, 0);
	spin(1000);
	ioctl(again, PERF_EVENT_IOC_DISABLE, 0);
	a = value_of(fd);
	close(fd);
	b = value_of(again);
	CHECK(a == b && a > 2000, "%llu, after the first was closed %llu", (unsigned long long)a,
	      (unsigned long long)b);
	if (!fork()) {
		spin(100000);
		_exit(value_of(again) != a);
	}
	wait(&status);
	CHECK(status == 0, "the child reads another value");
	for (int i = 0; i < 3000; i++) {
		const int one = instructions_of(0);

		CHECK(one >= 0, "open number %d: %s", i, strerror(errno));
		if (one < 0)
			break;
		close(one);
	}
	close(again);
}

/* What a child does is the parent's when the event is inherited, and not otherwise. */
static void inherits(void)
{
	struct perf_event_attr a = attr_of(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	uint64_t sum, own;
	int fd[2];

	a.inherit = 1;
	fd[0] = (int)event_open(&a, 0, -1, -1, 0);
	fd[1] = instructions_of(0);
	ioctl(fd[0], PERF_EVENT_IOC_ENABLE, 0);
	ioctl(fd[1], PERF_EVENT_IOC_ENABLE, 0);
	if (!fork()) {
		spin(1000000);
		if (!fork()) {
			spin(1000000);
			_exit(0);
		}
		wait(NULL);
		_exit(0);
	}
	wait(NULL);
	sum = value_of(fd[0]);
	own = value_of(fd[1]);
	CHECK(sum > 4000000 && sum < 4200000, "with children: %llu", (unsigned long long)sum);
	CHECK(own < 100000, "without: %llu", (unsigned long long)own);
	close(fd[0]);
	close(fd[1]);
}

/* The way of perf stat: a child that waits, an event on it that its exec turns on. */
static void execs(char *self)
{
	struct perf_event_attr a = attr_of(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	struct pollfd p = {.events = POLLIN};
	uint64_t v;
	int go[2], fd, status;
	pid_t child;
	char c;

	CHECK(pipe(go) == 0, "pipe");
	child = fork();
	if (!child) {
		close(go[1]);
		if (read(go[0], &c, 1) == 0)
			spin(1000000);
		execl(self, self, "nothing", NULL);
		_exit(9);
	}
	close(go[0]);
	a.enable_on_exec = a.inherit = 1;
	fd = (int)event_open(&a, child, -1, -1, PERF_FLAG_FD_CLOEXEC);
	CHECK(fd >= 0, "open: %s", strerror(errno));
	CHECK(fcntl(fd, F_GETFD) == FD_CLOEXEC, "close-on-exec");
	CHECK(value_of(fd) == 0, "counts before it is on");
	close(go[1]);
	waitpid(child, &status, 0);
	v = value_of(fd);
	CHECK(status == 0 && v > 4000000 && v < 4500000, "status %x, %llu instructions", status,
	      (unsigned long long)v);
	p.fd = fd;
	CHECK(poll(&p, 1, 30000) == 1 && (p.revents & POLLHUP), "no hang-up: %x", p.revents);
	close(fd);
}

/* ---- other processes ------------------------------------------------------------------------- */

struct child {
	pid_t pid;
	int go,
	    done; /* a byte per round: 0 = end, else it spins `turns` times a hundred thousand */
};

static struct child start_child(void)
{
	struct child c;
	int go[2], done[2];
	unsigned char n;

	CHECK(pipe(go) == 0 && pipe(done) == 0, "pipe");
	c.pid = fork();
	if (!c.pid) {
		close(go[1]);
		while (read(go[0], &n, 1) == 1 && n) {
			spin(100000ul * n);
			if (write(done[1], &n, 1) != 1)
				break;
		}
		_exit(0);
	}
	close(go[0]);
	close(done[1]);
	c.go = go[1];
	c.done = done[0];
	return c;
}

static void turns_of(const struct child *c, unsigned char n)
{
	CHECK(write(c->go, &n, 1) == 1 && (!n || read(c->done, &n, 1) == 1),
	      "the child does not answer");
}

static void end_child(const struct child *c)
{
	turns_of(c, 0);
	waitpid(c->pid, NULL, 0);
	close(c->go);
	close(c->done);
}

#define TURN	      200000ull /* instructions of a round of 1, and some around it */
#define IS_NEAR(v, n) ((v) >= (n)*TURN && (v) < (n)*TURN + 200)

/* A child that waits in a pipe, or has just said that it does, is counted from there: its parent
 * starts and stops, reads and resets between two rounds. */
static void attached(void)
{
	struct child c = start_child();
	struct perf_event_attr on = attr_of(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	int fd[2];
	uint64_t v, before;

	turns_of(&c, 3);
	fd[0] = instructions_of(c.pid);
	CHECK(fd[0] >= 0, "open: %s", strerror(errno));
	turns_of(&c, 2);
	CHECK(value_of(fd[0]) == 0, "a stopped event counts");
	on.disabled = 0;
	fd[1] = (int)event_open(&on, c.pid, -1, -1, 0);
	for (int round = 0; round < 5; round++) {
		ioctl(fd[0], PERF_EVENT_IOC_RESET, 0);
		turns_of(&c, 3);
		ioctl(fd[0], PERF_EVENT_IOC_ENABLE, 0);
		turns_of(&c, 1);
		v = value_of(fd[0]);
		CHECK(IS_NEAR(v, 1), "one turn: %llu", (unsigned long long)v);
		turns_of(&c, 2);
		v = value_of(fd[0]);
		CHECK(IS_NEAR(v, 3), "three turns: %llu", (unsigned long long)v);
		ioctl(fd[0], PERF_EVENT_IOC_DISABLE, 0);
		turns_of(&c, 1);
		before = v;
		v = value_of(fd[0]);
		CHECK(IS_NEAR(v, 3) && v - before < 50,
		      "stopped after three turns: %llu, then %llu", (unsigned long long)before,
		      (unsigned long long)v);
	}
	v = value_of(fd[1]);
	CHECK(v >= 5 * 7 * TURN && v < 5 * 7 * TURN + 2000, "all turns: %llu",
	      (unsigned long long)v);
	end_child(&c);
	close(fd[0]);
	close(fd[1]);
}

/* A child that runs: whoever starts, stops and reads gets an answer soon, in steps that its words
 * in memory bear out. */
static void running(void)
{
	struct perf_event_attr misses = attr_of(PERF_TYPE_RAW, 0x45);
	volatile uint64_t *shared =
	    mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	uint64_t v[4], at[4];
	pid_t child = fork();
	int fd, other;

	if (!child) {
		for (;;) { /* no system call, no new code: 8 instructions a turn */
			unsigned long turns = ~0ul;

			__asm__ volatile(
			    "1: incl (%1)\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop\n\tdec %0\n\tjnz 1b"
			    : "+r"(turns)
			    : "r"(shared)
			    : "cc", "memory");
		}
	}
	while (shared[0] < 100000)
		;
	fd = instructions_of(child);
	other = (int)event_open(&misses, child, -1, -1, 0);
	CHECK(fd >= 0 && other >= 0, "open: %s", strerror(errno));
	at[0] = shared[0];
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	at[1] = shared[0];
	while (shared[0] < at[1] + 300000)
		;
	at[2] = shared[0];
	v[0] = value_of(fd);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	at[3] = shared[0];
	v[1] = value_of(fd);
	CHECK(v[0] + 64 >= 8 * (at[2] - at[1]) && v[0] <= 8 * (at[3] - at[0]) + 64,
	      "a read: %llu, words say %llu to %llu", (unsigned long long)v[0],
	      (unsigned long long)(8 * (at[2] - at[1])), (unsigned long long)(8 * (at[3] - at[0])));
	CHECK(v[1] >= v[0] && v[1] <= 8 * (at[3] - at[0]) + 64, "a stop: %llu then %llu",
	      (unsigned long long)v[0], (unsigned long long)v[1]);
	while (shared[0] < at[3] + 300000)
		;
	CHECK(value_of(fd) == v[1], "a stopped event moves");
	ioctl(fd, PERF_EVENT_IOC_RESET, 0);
	kill(child, SIGSTOP);
	waitpid(child, NULL, WUNTRACED);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	at[0] = shared[0];
	CHECK(value_of(fd) <= 64, "a stopped process counts: %llu",
	      (unsigned long long)value_of(fd));
	kill(child, SIGCONT);
	while (shared[0] < at[0] + 100000)
		;
	v[0] = value_of(fd);
	at[1] = shared[0];
	CHECK(v[0] + 64 >= 8 * 100000 && v[0] <= 8 * (at[1] - at[0]) + 64,
	      "after SIGCONT: %llu, words say %llu", (unsigned long long)v[0],
	      (unsigned long long)(8 * (at[1] - at[0])));
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	v[1] = value_of(fd);
	CHECK(v[1] >= v[0], "a killed process has counted %llu, then %llu",
	      (unsigned long long)v[0], (unsigned long long)v[1]);
	close(fd);
	close(other);
}

/* Two processes that watch each other, and neither waits for ever. */
static void mutual(void)
{
	const pid_t parent = getpid(), child = fork();
	const pid_t other = child ? child : parent;
	uint64_t v = 0, last = 0;
	int fd, status;

	fd = instructions_of(other);
	CHECK(fd >= 0, "open: %s", strerror(errno));
	for (int i = 0; i < 50; i++) {
		ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
		spin(1000);
		ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
		v = value_of(fd);
		CHECK(v >= last, "%llu after %llu", (unsigned long long)v,
		      (unsigned long long)last);
		last = v;
	}
	if (!child)
		_exit(n_wrong != 0);
	waitpid(child, &status, 0);
	CHECK(status == 0, "the child found something: %x", status);
	close(fd);
}

static void *turn(void *arg)
{
	spin(*(unsigned long *)arg);
	return NULL;
}

/* A thread of another process: reads how many turns it shall take, and says when it has. The answer
 * is more than the pipe takes: as long as it is not read to its end the thread stands in write(2),
 * and what it has executed is the same whenever one looks. */
#define ANSWER_BYTES 8192u
struct worker {
	int go[2], done[2];
	pid_t tid;
	size_t n_left; /* bytes of the answer that are not read yet */
};

static void *work(void *arg)
{
	struct worker *w = arg;
	unsigned long more = 100000;
	char answer[ANSWER_BYTES] = {0};
	unsigned char n;
	pthread_t t;

	*(pid_t *)answer = (pid_t)syscall(SYS_gettid);
	while (write(w->done[1], answer, sizeof(answer)) == sizeof(answer) &&
	       read(w->go[0], &n, 1) == 1 && n) {
		if (n == 99) {
			pthread_create(&t, NULL, turn, &more);
			pthread_join(t, NULL);
		} else {
			spin(100000ul * n);
		}
	}
	return NULL;
}

/* The thread's answer, after which it stays in that write(2). */
static void await_worker(struct worker *w)
{
	CHECK(read(w->done[0], &w->tid, sizeof(w->tid)) == sizeof(w->tid),
	      "the thread does not answer");
	w->n_left = ANSWER_BYTES - sizeof(w->tid);
}

static void ask_worker(struct worker *w, unsigned char n)
{
	char rest[ANSWER_BYTES];
	ssize_t got;

	for (; w->n_left && (got = read(w->done[0], rest, w->n_left)) > 0; w->n_left -= (size_t)got)
		;
	CHECK(!w->n_left && write(w->go[1], &n, 1) == 1, "write");
	if (n)
		await_worker(w);
}

static void *crew_member(void *arg)
{
	struct worker *w = arg;
	unsigned char n;

	w->tid = (pid_t)syscall(SYS_gettid);
	if (write(w->done[1], "", 1) == 1 && read(w->go[0], &n, 1) == 1)
		spin(100000ul * n);
	while (write(w->done[1], "", 1) == 1)
		pause();
	return NULL;
}

/* For others to count: three threads, whose tids are printed, work at a byte from standard input,
 * and each says a line when it is done. The n-th takes n turns. */
static void crew(void)
{
	static struct worker w[3];
	pthread_t t;
	char c;

	for (unsigned char i = 0; i < 3; i++)
		if (pipe(w[i].go) || pipe(w[i].done) ||
		    pthread_create(&t, NULL, crew_member, &w[i]) || read(w[i].done[0], &c, 1) != 1)
			exit(9);
	printf("%d %d %d\n", w[0].tid, w[1].tid, w[2].tid);
	fflush(stdout);
	if (read(0, &c, 1) != 1)
		exit(9);
	for (unsigned char i = 1; i <= 3; i++)
		if (write(w[i - 1].go[1], &i, 1) != 1 || read(w[i - 1].done[0], &c, 1) != 1)
			exit(9);
	printf("done\n");
	fflush(stdout);
	while (read(0, &c, 1) == 1)
		;
}

/* Events on threads of another process, each for itself; one of them is inherited by what its
 * thread starts. */
static void by_tid(void)
{
	struct perf_event_attr a = attr_of(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	struct pollfd p = {.events = POLLIN};
	static struct worker w[3];
	uint64_t v[3], again;
	void *ring;
	pthread_t t;
	pid_t child;
	int fd[3];

	for (int i = 0; i < 3; i++)
		CHECK(pipe(w[i].go) == 0 && pipe(w[i].done) == 0 &&
			  fcntl(w[i].done[0], F_SETPIPE_SZ, ANSWER_BYTES / 2) > 0,
		      "pipe");
	child = fork();
	if (!child) {
		for (int i = 1; i < 3; i++)
			pthread_create(&t, NULL, work, &w[i]);
		work(&w[0]);
		for (;;)
			pause();
	}
	for (int i = 0; i < 3; i++) {
		await_worker(&w[i]);
		ask_worker(&w[i], 1); /* ld.so finds read(2) */
	}
	a.disabled = 0;
	for (int i = 0; i < 3; i++) {
		a.inherit = i == 2;
		fd[i] = (int)event_open(&a, w[i].tid, -1, -1, 0);
		CHECK(fd[i] >= 0, "open of thread %d: %s", i, strerror(errno));
	}
	for (int round = 0; round < 4; round++) {
		for (unsigned char i = 0; i < 3; i++) {
			v[i] = value_of(fd[i]);
			ask_worker(&w[i], i + 1);
		}
		for (unsigned i = 0; i < 3; i++) {
			v[i] = value_of(fd[i]) - v[i];
			/* read(2) and write(2) of this C library are the same for each, whatever
			 * they take */
			CHECK(i ? v[i] - v[i - 1] == TURN : v[0] >= TURN && v[0] < TURN + 400,
			      "thread %u: %llu", i, (unsigned long long)v[i]);
		}
	}
	for (unsigned i = 1; i < 3; i++) {
		v[i] = value_of(fd[i]);
		ask_worker(&w[i], 99);
		v[i] = value_of(fd[i]) - v[i];
		CHECK(i == 1 ? v[i] < TURN / 2 : v[i] >= TURN && v[i] < TURN + 30000,
		      "thread %u and what it started: %llu", i, (unsigned long long)v[i]);
	}
	ring = mmap(NULL, 2 * 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd[1], 0);
	CHECK(ring != MAP_FAILED, "mmap: %s",
	      strerror(errno)); /* without one there is nothing to wait for */
	p.fd = fd[1];
	CHECK(poll(&p, 1, 0) == 0, "a hang-up of a thread that lives: %x", p.revents);
	ask_worker(&w[1], 0);
	for (int i = 0; i < 1000 && !(p.revents & POLLHUP); i++)
		CHECK(poll(&p, 1, 30000) == 1, "no word of a thread that is gone");
	CHECK(p.revents & POLLHUP, "no hang-up of a thread that is gone: %x", p.revents);
	v[1] = value_of(fd[1]);
	ask_worker(&w[0], 5);
	again = value_of(fd[1]);
	CHECK(again == v[1], "a thread that is gone counts: %llu, %llu", (unsigned long long)v[1],
	      (unsigned long long)again);
	CHECK(event_open(&a, w[1].tid, -1, -1, 0) == -1 && errno == ESRCH,
	      "a thread that is gone: %s", strerror(errno));
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	munmap(ring, 2 * 4096);
	for (int i = 0; i < 3; i++)
		close(fd[i]);
}

static void threads(void)
{
	struct perf_event_attr a = attr_of(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	unsigned long n[3] = {1000000, 2000000, 3000000};
	pthread_t t[3];
	uint64_t sum, own;
	int fd[2];

	a.inherit = 1;
	fd[0] = (int)event_open(&a, 0, -1, -1, 0);
	fd[1] = instructions_of(0);
	ioctl(fd[0], PERF_EVENT_IOC_ENABLE, 0);
	ioctl(fd[1], PERF_EVENT_IOC_ENABLE, 0);
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, turn, &n[i]);
	spin(500000);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	sum = value_of(fd[0]);
	own = value_of(fd[1]);
	CHECK(sum > 13000000 && sum < 13400000, "all threads: %llu", (unsigned long long)sum);
	CHECK(own > 1000000 && own < 1300000, "first thread: %llu", (unsigned long long)own);
}

static inline uint64_t rdpmc(uint32_t n)
{
	uint32_t lo, hi;

	__asm__ volatile("rdpmc" : "=a"(lo), "=d"(hi) : "c"(n));
	return (uint64_t)hi << 32 | lo;
}

/* As the header describes it. */
static uint64_t user_read(volatile struct perf_event_mmap_page *p, int *was_direct)
{
	uint64_t count;
	uint32_t seq, index;

	do {
		seq = p->lock;
		__asm__ volatile("" : : : "memory");
		index = p->index;
		count = (uint64_t)p->offset;
		*was_direct = p->cap_user_rdpmc && index;
		if (*was_direct) {
			const int width = p->pmc_width;

			count +=
			    (uint64_t)((int64_t)(rdpmc(index - 1) << (64 - width)) >> (64 - width));
		}
		__asm__ volatile("" : : : "memory");
	} while (p->lock != seq);
	return count;
}

static int near(uint64_t a, uint64_t b, uint64_t slack)
{
	return a + slack >= b && b + slack >= a;
}

static void user_page(void)
{
	const int fd = instructions_of(0);
	volatile struct perf_event_mmap_page *p = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	uint64_t a, b, c, slow;
	int direct;

	CHECK(p != MAP_FAILED, "mmap: %s", strerror(errno));
	if (p == MAP_FAILED)
		return;
	value_of(fd);
	user_read(p, &direct);
	CHECK(!direct && p->index == 0, "a stopped event has a counter");
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	a = user_read(p, &direct);
	CHECK(direct, "no counter: index %u, capabilities %llx", p->index,
	      (unsigned long long)p->capabilities);
	spin(10000);
	b = user_read(p, &direct);
	spin(20000);
	c = user_read(p, &direct);
	slow = value_of(fd);
	CHECK(b - a > 20000 && b - a < 20100 && near((c - b) - (b - a), 20000, 20),
	      "user reads %llu %llu %llu", (unsigned long long)a, (unsigned long long)b,
	      (unsigned long long)c);
	CHECK(near(slow, c, 100), "user read %llu, read %llu", (unsigned long long)c,
	      (unsigned long long)slow);
	CHECK(p->pmc_width == 40, "width %u", p->pmc_width);
	munmap((void *)p, 4096);
	close(fd);
}

/* More events than counters take turns; their estimates are near. A pinned group that does not fit
 * is an error. */
static void turns(void)
{
	struct perf_event_attr a = attr_of(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	uint64_t v[3], w;
	int fd[5], late;

	a.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	for (int i = 0; i < 5; i++) {
		fd[i] = (int)event_open(&a, 0, -1, -1, 0);
		CHECK(fd[i] >= 0, "open: %s", strerror(errno));
	}
	for (int i = 0; i < 5; i++)
		ioctl(fd[i], PERF_EVENT_IOC_ENABLE, 0);
	spin(20000000);
	for (int i = 0; i < 5; i++)
		ioctl(fd[i], PERF_EVENT_IOC_DISABLE, 0);
	for (int i = 0; i < 5; i++) {
		double estimate;

		CHECK(read(fd[i], v, sizeof(v)) == sizeof(v), "read");
		CHECK(v[2] > 0 && v[2] < v[1], "event %d: enabled %llu, running %llu", i,
		      (unsigned long long)v[1], (unsigned long long)v[2]);
		estimate = (double)v[0] * (double)v[1] / (double)v[2];
		CHECK(estimate > 38e6 && estimate < 42e6, "event %d: estimate %.0f", i, estimate);
		close(fd[i]);
	}
	a.read_format = 0;
	a.pinned = 1;
	a.disabled = 0;
	for (int i = 0; i < 2; i++)
		fd[i] = (int)event_open(&a, 0, -1, -1, 0);
	late = (int)event_open(&a, 0, -1, -1, 0);
	CHECK(late >= 0, "open: %s", strerror(errno));
	CHECK(read(late, &w, 8) == 0, "a pinned event without a counter can be read");
	CHECK(read(fd[0], &w, 8) == 8, "the others cannot");
	close(fd[0]);
	ioctl(late, PERF_EVENT_IOC_ENABLE, 0);
	CHECK(read(late, &w, 8) == 8, "nor when there is room");
}

/* Three events on two counters, by a page alone: no system call and no RDPMC brings the program and
 * the page together. Time is instructions here (--tier 2), and a turn 100000 of them. */
static void page_turns(void)
{
	struct perf_event_attr a = attr_of(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	volatile struct perf_event_mmap_page *p;
	int fd[3], n_idle = 0;

	for (int i = 0; i < 3; i++)
		fd[i] = (int)event_open(&a, 0, -1, -1, 0);
	p = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd[0], 0);
	CHECK(p != MAP_FAILED, "mmap: %s", strerror(errno));
	for (int i = 0; i < 3; i++)
		ioctl(fd[i], PERF_EVENT_IOC_ENABLE, 0);
	for (int k = 1; k <= 12; k++) {
		uint64_t enabled, running, offset;
		uint32_t lock, index;

		spin(25000);
		do {
			lock = p->lock;
			enabled = p->time_enabled;
			running = p->time_running;
			offset = (uint64_t)p->offset;
			index = p->index;
		} while (p->lock != lock);
		CHECK(enabled + 102000 > 50000u * k && enabled < 50000u * k + 2000,
		      "%d instructions, and the page says %llu", 50000 * k,
		      (unsigned long long)enabled);
		CHECK(offset < running + 100 && running < offset + 100, "%llu in a time of %llu",
		      (unsigned long long)offset, (unsigned long long)running);
		n_idle += !index;
	}
	CHECK(n_idle >= 2 && n_idle <= 6, "%d of 12 times without a counter", n_idle);
	for (int i = 0; i < 3; i++)
		close(fd[i]);
	munmap((void *)p, 4096);
}

/* ---- overflow -------------------------------------------------------------------------------- */

#define PERIOD 1009

static int over_fd;
static volatile unsigned n_over, n_hup, n_elsewhere;
static uint64_t over_at[64];

static void on_overflow(int sig, siginfo_t *info, void *context)
{
	ioctl(over_fd, PERF_EVENT_IOC_DISABLE, 0);
	n_hup += info->si_code == POLL_HUP;
	n_elsewhere += info->si_fd != over_fd;
	if (read(over_fd, &over_at[n_over % 64], 8) != 8)
		n_elsewhere++;
	n_over++;
	ioctl(over_fd, PERF_EVENT_IOC_REFRESH, 1);
}

/* The way of PAPI_overflow: each overflow is a signal, at the very instruction. The handler's own
 * instructions between its REFRESH and its end count, so each value is some periods on. */
static void overflows(void)
{
	struct sigaction action = {.sa_sigaction = on_overflow,
				   .sa_flags = SA_SIGINFO | SA_RESTART};
	struct perf_event_attr a = attr_of(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	struct f_owner_ex owner = {F_OWNER_TID, (int)syscall(SYS_gettid)};
	uint64_t total;

	a.sample_period = PERIOD;
	a.sample_type = PERF_SAMPLE_IP;
	a.wakeup_events = 1;
	sigaction(SIGRTMIN + 2, &action, NULL);
	over_fd = (int)event_open(&a, 0, -1, -1, 0);
	CHECK(over_fd >= 0, "open: %s", strerror(errno));
	CHECK(mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_SHARED, over_fd, 0) != MAP_FAILED,
	      "mmap");
	CHECK(!fcntl(over_fd, F_SETFL, O_ASYNC | O_NONBLOCK) &&
		  !fcntl(over_fd, F_SETOWN_EX, &owner) && !fcntl(over_fd, F_SETSIG, SIGRTMIN + 2),
	      "fcntl: %s", strerror(errno));
	ioctl(over_fd, PERF_EVENT_IOC_REFRESH, 1);
	spin(10000);
	ioctl(over_fd, PERF_EVENT_IOC_DISABLE, 0);
	total = value_of(over_fd);
	CHECK(n_over == total / PERIOD && n_over >= 19, "%u signals in %llu instructions", n_over,
	      (unsigned long long)total);
	CHECK(n_hup == n_over && !n_elsewhere, "%u of them POLL_HUP, %u of another descriptor",
	      n_hup, n_elsewhere);
	for (unsigned i = 0; i < n_over && i < 64; i++)
		CHECK(over_at[i] == PERIOD * (i + 1), "overflow %u at %llu", i,
		      (unsigned long long)over_at[i]);
	close(over_fd);
}

/* Samples in the ring: as many as there are periods, and their addresses are those of the loop. */
static void samples(void)
{
	struct perf_event_attr a = attr_of(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	struct perf_event_mmap_page *p;
	unsigned n = 0, inside = 0, lost = 0;
	uint64_t total, tail = 0;
	uint8_t *data;
	int fd;

	a.sample_period = PERIOD;
	a.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD;
	fd = (int)event_open(&a, 0, -1, -1, 0);
	p = mmap(NULL, 17 * 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(fd >= 0 && p != MAP_FAILED, "open and mmap: %s", strerror(errno));
	if (p == MAP_FAILED)
		return;
	CHECK(p->data_offset == 4096 && p->data_size == 65536, "data at %llu, %llu bytes",
	      (unsigned long long)p->data_offset, (unsigned long long)p->data_size);
	for (int round = 0; round < 20; round++) {
		ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
		spin(100000);
		ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
		data = (uint8_t *)p + 4096;
		while (tail != p->data_head) {
			struct {
				struct perf_event_header head;
				uint64_t ip;
				uint32_t pid, tid;
				uint64_t time, period;
			} r;

			for (unsigned i = 0; i < sizeof(r); i++)
				((uint8_t *)&r)[i] = data[(tail + i) % 65536];
			tail += r.head.size;
			lost += r.head.type == PERF_RECORD_LOST;
			if (r.head.type != PERF_RECORD_SAMPLE)
				continue;
			n++;
			inside += r.ip >= (uintptr_t)spin && r.ip < (uintptr_t)spin + 64;
			CHECK(r.head.size == sizeof(r) && r.pid == (uint32_t)getpid() &&
				  r.period == PERIOD,
			      "a sample of %u bytes, process %u, period %llu", r.head.size, r.pid,
			      (unsigned long long)r.period);
		}
		p->data_tail = tail;
	}
	total = value_of(fd);
	CHECK(n == total / PERIOD && inside + 20 >= n && !lost,
	      "%u samples in %llu instructions, %u in the loop, %u lost", n,
	      (unsigned long long)total, inside, lost);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	for (int i = 0; i < 20; i++) /* nobody reads: what does not fit is lost, and said */
		spin(100000);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	CHECK(p->data_head - tail <= 65536 && p->data_head - tail > 65000,
	      "a full ring has %llu bytes", (unsigned long long)(p->data_head - tail));
	close(fd);
}

/* A ring that is written backwards and never full (perf top's): the latest sample is first, and a
 * paused one stays as it is. */
static void backwards(void)
{
	struct perf_event_attr a = attr_of(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	struct {
		struct perf_event_header head;
		uint64_t ip, time;
	} r;
	struct perf_event_mmap_page *p;
	uint64_t head, last = 0;
	unsigned n = 0, ordered = 0;
	int fd;

	a.sample_period = PERIOD;
	a.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TIME;
	a.write_backward = 1;
	fd = (int)event_open(&a, 0, -1, -1, 0);
	CHECK(ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1) == -1 && errno == EINVAL,
	      "pause without a ring: %s", strerror(errno));
	p = mmap(NULL, 2 * 4096, PROT_READ, MAP_SHARED, fd, 0);
	CHECK(fd >= 0 && p != MAP_FAILED, "open and mmap: %s", strerror(errno));
	if (p == MAP_FAILED)
		return;
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	spin(600000); /* more samples than a page holds */
	CHECK(!ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1), "pause: %s", strerror(errno));
	head = p->data_head;
	spin(100000);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	CHECK(value_of(fd) / PERIOD > 4096 / sizeof(r), "too few samples to fill it");
	CHECK(p->data_head == head && 0 - head >= 4096 && 0 - head < 1 << 20,
	      "head %lld, then %lld", (long long)head, (long long)p->data_head);
	for (uint64_t at = head; at + sizeof(r) <= head + 4096; at += sizeof(r), n++) {
		for (unsigned i = 0; i < sizeof(r); i++)
			((uint8_t *)&r)[i] = ((uint8_t *)p)[4096 + (at + i) % 4096];
		ordered += r.head.type == PERF_RECORD_SAMPLE && r.head.size == sizeof(r) &&
			   (!n || r.time < last);
		last = r.time;
	}
	CHECK(ordered == n && n == 4096 / sizeof(r), "%u of %u samples, latest first", ordered, n);
	CHECK(!ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 0), "go on: %s", strerror(errno));
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	spin(100000);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	CHECK((int64_t)(head - p->data_head) > 0, "head %lld after the pause",
	      (long long)p->data_head);
	close(fd);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} test[] = {{"counts", counts},		{"formats", formats},
		    {"errors", errors},		{"descriptors", descriptors},
		    {"inherits", inherits},	{"threads", threads},
		    {"user_page", user_page},	{"turns", turns},
		    {"page_turns", page_turns}, {"overflows", overflows},
		    {"samples", samples},	{"attached", attached},
		    {"running", running},	{"mutual", mutual},
		    {"by_tid", by_tid},		{"crew", crew},
		    {"outsiders", outsiders},	{"backwards", backwards}};

	if (argc != 2)
		return 2;
	if (!strcmp(argv[1], "nothing"))
		spin(2000000);
	else if (!strcmp(argv[1], "execs"))
		execs(argv[0]);
	for (unsigned i = 0; i < sizeof(test) / sizeof(test[0]); i++)
		if (!strcmp(argv[1], test[i].name))
			test[i].run();
	return n_wrong != 0;
}
