/* clock.c -- a program that looks at clocks and sleeps; clock.sh runs it with --clock model.
 *
 * clock MHZ    prints every reading; exit status 1 when one of them cannot be. */
#define _GNU_SOURCE
#include <errno.h>
#include <mqueue.h>
#include <poll.h>
#include <signal.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/select.h>
#include <sys/ipc.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NANO  1000000000ll
#define MILLI 1000000ll
#define EPOCH 946684800 /* 2000-01-01 */

static int n_wrong;

static int64_t stamp(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return (int64_t)((uint64_t)high << 32 | low);
}

static int64_t now(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return t.tv_sec * NANO + t.tv_nsec;
}

static struct timespec later(clockid_t id, int64_t ns)
{
	const int64_t then = now(id) + ns;

	return (struct timespec){.tv_sec = then / NANO, .tv_nsec = then % NANO};
}

/* The wait `what` of `ms` milliseconds has taken as long, and no processor time. */
static void waited(const char *what, int64_t began, int64_t began_cpu, int ms)
{
	const int64_t took = now(CLOCK_MONOTONIC) - began,
		      cpu = now(CLOCK_PROCESS_CPUTIME_ID) - began_cpu;

	printf("%s %lld %lld\n", what, (long long)took, (long long)cpu);
	n_wrong += took < ms * MILLI || took > (ms + 2) * MILLI || cpu < 0 || cpu > 2 * MILLI;
}

#define WAIT(what, ms, how)                                                                        \
	do {                                                                                       \
		int64_t began = now(CLOCK_MONOTONIC), began_cpu = now(CLOCK_PROCESS_CPUTIME_ID);   \
		how;                                                                               \
		waited(what, began, began_cpu, ms);                                                \
	} while (0)

static void *in_thread(void *unused)
{
	WAIT("sleep of a thread", 15, usleep(15000));
	return unused;
}

static void waits(void)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
	struct timespec t;
	struct timeval v = {0, 40000};
	pthread_t thread;

	WAIT("usleep", 50, usleep(50000));
	t = later(CLOCK_MONOTONIC, 20 * MILLI);
	WAIT("until", 19, clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL));
	WAIT("poll", 30, poll(NULL, 0, 30));
	WAIT("select", 40, select(0, NULL, NULL, NULL, &v));
	pthread_mutex_lock(&mutex);
	t = later(CLOCK_REALTIME, 25 * MILLI);
	WAIT("condition", 24, n_wrong += !pthread_cond_timedwait(&cond, &mutex, &t));
	pthread_create(&thread, NULL, in_thread, NULL);
	WAIT("join", 14, pthread_join(thread, NULL));
}

/* `how` fails with `error` after so many milliseconds. */
#define FAILS(what, ms, error, how)                                                                \
	WAIT(what, ms, errno = 0; n_wrong += (how) != -1 || errno != (error))

static void socket_waits(void)
{
	const struct timeval receive = {0, 20000},
			     send_time = {0, 40000}; /* whole ticks of any kernel */
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	char byte = 0, some[4096] = {0};
	struct iovec v = {&byte, 1};
	struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1};
	struct mmsghdr mm = {.msg_hdr = m};
	const int at = socket(AF_UNIX, SOCK_STREAM, 0);
	int fd[2];

	socketpair(AF_UNIX, SOCK_STREAM, 0, fd);
	setsockopt(fd[0], SOL_SOCKET, SO_RCVTIMEO, &receive, sizeof(receive));
	setsockopt(fd[0], SOL_SOCKET, SO_SNDTIMEO, &send_time, sizeof(send_time));
	FAILS("recv", 20, EAGAIN, recv(fd[0], &byte, 1, 0));
	FAILS("read", 20, EAGAIN, read(fd[0], &byte, 1));
	FAILS("readv", 20, EAGAIN, readv(fd[0], &v, 1));
	FAILS("recvmsg", 20, EAGAIN, recvmsg(fd[0], &m, 0));
	FAILS("recvmmsg", 20, EAGAIN, recvmmsg(fd[0], &mm, 1, 0, NULL));
	FAILS("recv, not waiting", 0, EAGAIN, recv(fd[0], &byte, 1, MSG_DONTWAIT));
	n_wrong += write(fd[1], "x", 1) != 1;
	WAIT("recv of what is there", 0, n_wrong += recv(fd[0], &byte, 1, 0) != 1);
	while (send(fd[0], some, sizeof(some), MSG_DONTWAIT) > 0)
		;
	FAILS("send", 40, EAGAIN, send(fd[0], some, sizeof(some), 0));
	FAILS("write", 40, EAGAIN, write(fd[0], some, sizeof(some)));
	n_wrong += bind(at, (struct sockaddr *)&name, sizeof(name.sun_family)) ||
		   listen(at, 1); /* the kernel names it */
	setsockopt(at, SOL_SOCKET, SO_RCVTIMEO, &receive, sizeof(receive));
	FAILS("accept", 20, EAGAIN, accept(at, NULL, NULL));
	close(at);
	close(fd[0]);
	close(fd[1]);
}

/* A name of our own, of as many instructions whatever the number. */
static mqd_t queue(void)
{
	struct mq_attr attr = {.mq_maxmsg = 1, .mq_msgsize = 8};
	char name[] = "/softpmu-xxxxxxxx";
	mqd_t q;

	for (unsigned i = 0; i < 8; i++)
		name[9 + i] = (char)('a' + (getpid() >> 4 * i & 15));
	q = mq_open(name, O_CREAT | O_RDWR, 0600, &attr);
	mq_unlink(name);
	return q;
}

static void queue_waits(void)
{
	const struct timespec rest = {0, 30 * MILLI};
	struct sembuf take = {.sem_op = -1};
	const mqd_t q = queue();
	const int sem = semget(IPC_PRIVATE, 1, 0600);
	char message[8] = "";
	struct timespec t;

	if (q != (mqd_t)-1) { /* a kernel without them: nothing to wait for */
		t = later(CLOCK_REALTIME, 20 * MILLI);
		FAILS("mq_timedreceive", 19, ETIMEDOUT, mq_timedreceive(q, message, 8, NULL, &t));
		FAILS("mq_timedreceive, past", 0, ETIMEDOUT,
		      mq_timedreceive(q, message, 8, NULL, &t));
		t = later(CLOCK_REALTIME, 40 * MILLI);
		WAIT("mq_timedsend", 0, n_wrong += mq_timedsend(q, message, 8, 0, &t) != 0);
		FAILS("mq_timedsend, full", 39, ETIMEDOUT, mq_timedsend(q, message, 8, 0, &t));
		mq_close(q);
	}
	if (sem >= 0) {
		FAILS("semtimedop", 30, EAGAIN, semtimedop(sem, &take, 1, &rest));
		semctl(sem, 0, IPC_RMID);
	}
}

/* The processor's time, by three calls one after the other; sleeping takes none of it. */
static void usage(void)
{
	struct timespec rest = {0, 30 * MILLI};
	struct rusage before, after;
	struct tms t;
	int64_t ns = now(CLOCK_PROCESS_CPUTIME_ID), us;

	getrusage(RUSAGE_SELF, &before);
	us = before.ru_utime.tv_sec * 1000000ll + before.ru_utime.tv_usec;
	n_wrong += us < ns / 1000 || us > ns / 1000 + 1000 || before.ru_stime.tv_sec ||
		   before.ru_stime.tv_usec;
	times(&t);
	n_wrong += t.tms_utime < ns / 10000000 || t.tms_utime > ns / 10000000 + 1 || t.tms_stime;
	nanosleep(&rest, NULL);
	getrusage(RUSAGE_SELF, &after);
	n_wrong += after.ru_utime.tv_sec * 1000000ll + after.ru_utime.tv_usec > us + 5000;
}

static int64_t used(const struct rusage *r)
{
	n_wrong += r->ru_stime.tv_sec || r->ru_stime.tv_usec;
	return r->ru_utime.tv_sec * 1000000ll + r->ru_utime.tv_usec;
}

static void busy(int n)
{
	volatile int sum = 0;

	for (int i = 0; i < n; i++)
		sum += i;
}

/* A child, and a child of that for which it waits or not: what it used by its own clock, and when,
 * goes to fd. */
static void in_child(int fd, int waits_too)
{
	int64_t ns[2];

	n_wrong += now(CLOCK_PROCESS_CPUTIME_ID) > 2 * MILLI; /* its time begins at 0 */
	if (waits_too && fork() == 0) {
		busy(400000);
		_exit(0);
	}
	busy(200000);
	if (waits_too)
		wait(NULL);
	ns[0] = now(CLOCK_PROCESS_CPUTIME_ID);
	ns[1] = now(CLOCK_MONOTONIC);
	n_wrong += write(fd, ns, sizeof(ns)) != sizeof(ns);
	_exit(n_wrong != 0);
}

/* What children used: nothing before they were waited for, then by wait4, getrusage, times and
 * waitid as they saw it. */
static void children(void)
{
	struct rusage r;
	struct tms t;
	siginfo_t info;
	int64_t ns[2], sum, before;
	int fd[2], status;
	pid_t pid;

	getrusage(RUSAGE_CHILDREN, &r);
	before = used(&r);
	n_wrong += pipe(fd);
	pid = fork();
	if (!pid)
		in_child(fd[1], 0);
	n_wrong += read(fd[0], ns, sizeof(ns)) != sizeof(ns);
	n_wrong += wait4(pid, &status, 0, &r) != pid || status;
	n_wrong += used(&r) < ns[0] / 1000 || used(&r) > ns[0] / 1000 + 1000;
	printf("child %lld\n", (long long)used(&r));
	n_wrong += now(CLOCK_MONOTONIC) < ns[1]; /* it waited until then */
	sum = used(&r);
	getrusage(RUSAGE_CHILDREN, &r);
	n_wrong += llabs(used(&r) - before - sum) > 1;
	pid = fork();
	if (!pid)
		in_child(fd[1], 1);
	n_wrong += read(fd[0], ns, sizeof(ns)) != sizeof(ns);
	n_wrong += waitid(P_PID, pid, &info, WEXITED | WNOWAIT);
	getrusage(RUSAGE_CHILDREN, &r);
	n_wrong += llabs(used(&r) - before - sum) > 1;
	n_wrong += waitid(P_PID, pid, &info, WEXITED) || info.si_pid != pid || info.si_status;
	getrusage(RUSAGE_CHILDREN, &r);
	n_wrong +=
	    used(&r) - before - sum < ns[0] / 1000 * 2; /* its child had twice as much to do */
	printf("children %lld\n", (long long)used(&r));
	times(&t);
	n_wrong += llabs(t.tms_cutime - used(&r) / 10000) > 1 || t.tms_cstime;
}

/* The coarse clocks stand still for 4 ms at a time, and say so; the clocks of this process by other
 * names. */
static void coarse(void)
{
	static const clockid_t id[] = {CLOCK_REALTIME_COARSE, CLOCK_MONOTONIC_COARSE};
	const pid_t pid = getpid();
	clockid_t own;
	struct timespec step = {0, 0};
	int64_t fine, cpu;

	for (unsigned i = 0; i < 2; i++) {
		int64_t seen = now(id[i]), changes = 0;
		const int64_t began = seen;

		n_wrong += clock_getres(id[i], &step) || step.tv_sec || step.tv_nsec != 4 * MILLI;
		for (int k = 0; k < 3000; k++) {
			const int64_t t = now(id[i]);

			n_wrong += t % (4 * MILLI) != 0 || t < seen;
			changes += t != seen;
			seen = t;
		}
		printf("coarse %lld changes\n", (long long)changes);
		n_wrong += changes != (seen - began) / (4 * MILLI); /* no tick is left out */
		usleep(8000);
		fine = now(i ? CLOCK_MONOTONIC : CLOCK_REALTIME);
		n_wrong +=
		    now(id[i]) < began + 8 * MILLI || fine / (4 * MILLI) * (4 * MILLI) > now(id[i]);
	}
	n_wrong += clock_getres(CLOCK_MONOTONIC, &step) || step.tv_nsec != 1;
	n_wrong += clock_getcpuclockid(pid, &own) != 0;
	cpu = now(CLOCK_PROCESS_CPUTIME_ID);
	n_wrong += now(own) < cpu || now(own) > cpu + MILLI;
	n_wrong += clock_getres(own, &step) || step.tv_nsec != 1;
}

int main(int argc, char **argv)
{
	const int64_t mhz = argc > 1 ? atoll(argv[1]) : 0;
	int64_t ticks = stamp(), ns = now(CLOCK_MONOTONIC), real = now(CLOCK_REALTIME);
	volatile int sum = 0;
	struct timeval v;
	int status;

	n_wrong += ns < 0 || ns > NANO || real / NANO != EPOCH || time(NULL) != EPOCH;
	for (int i = 0; i < 100000; i++)
		sum += i;
	ticks = stamp() - ticks;
	ns = now(CLOCK_MONOTONIC) - ns;
	printf("loop %lld %lld\n", (long long)ticks, (long long)ns);
	n_wrong += llabs(ns * mhz / 1000 - ticks) > ticks / 50;
	ticks = stamp();
	waits();
	ticks = stamp() - ticks;
	n_wrong += ticks < 150 * mhz * 1000 || ticks > 250 * mhz * 1000;
	fflush(stdout);
	ns = now(CLOCK_MONOTONIC);
	if (fork() == 0) {
		real = now(CLOCK_MONOTONIC);
		printf("child %lld\n", (long long)(real - ns));
		exit(real < ns || real > ns + 50 * MILLI); /* fflush at exit */
	}
	wait(&status);
	n_wrong += status != 0;
	gettimeofday(&v, NULL);
	n_wrong += v.tv_sec != EPOCH;
	usage();
	socket_waits();
	queue_waits();
	children();
	coarse();
	return n_wrong != 0;
}
