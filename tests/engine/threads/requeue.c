/* requeue.c -- waits that end with a lock that knows its owner (FUTEX_WAIT_REQUEUE_PI); requeue
 * NAME runs one test. What is printed does not depend on who runs when.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define N	 5
#define PRIVATE	 128
#define REALTIME 256
#define WAITERS	 0x80000000u
#define TID	 0x3fffffffu
enum {
	WAIT = 0,
	WAKE = 1,
	CMP_REQUEUE = 4,
	LOCK_PI = 6,
	UNLOCK_PI = 7,
	WAIT_REQUEUE_PI = 11,
	CMP_REQUEUE_PI = 12
};

static atomic_uint cond, lock, other;
static pthread_t thread[N];
static int sum;
static volatile int n_handled;
static struct timespec *until; /* of the waits */

static int futex(atomic_uint *at, int op, unsigned value, const void *fourth, atomic_uint *second,
		 unsigned third)
{
	long rc = syscall(SYS_futex, at, op | PRIVATE, value, fourth, second, third);

	return rc < 0 ? -errno : (int)rc;
}

static unsigned self(void)
{
	return (unsigned)syscall(SYS_gettid);
}

static void take(void)
{
	unsigned free = 0;

	if (!atomic_compare_exchange_strong(&lock, &free, self()))
		futex(&lock, LOCK_PI, 0, NULL, NULL, 0);
}

static void give(void)
{
	unsigned mine = self();

	if (!atomic_compare_exchange_strong(&lock, &mine, 0))
		futex(&lock, UNLOCK_PI, 0, NULL, NULL, 0);
}

static int requeue(long most)
{
	return futex(&cond, CMP_REQUEUE_PI, 1, (void *)most, &lock, 0);
}

/* Returns what the wait said; who got the lock has it. */
static void *waits(void *p)
{
	int rc = futex(&cond, WAIT_REQUEUE_PI | (until ? REALTIME : 0), 0, until, &lock, 0);

	if (rc == 0) {
		sum += (lock & TID) == self() ? 1 : 1000;
		sched_yield();
		give();
	}
	return (void *)(long)rc;
}

static void *waits_plainly(void *p)
{
	return (void *)(long)futex(&cond, WAIT, 0, NULL, NULL, 0);
}

static void start(int n, void *(*f)(void *))
{
	for (int i = 0; i < n; i++)
		pthread_create(&thread[i], NULL, f, NULL);
}

static void join(int n)
{
	for (int i = 0; i < n; i++) {
		void *p;

		pthread_join(thread[i], &p);
		printf("%d: %s\n", i, strerror(-(int)(long)p));
	}
	printf("sum %d, lock %x\n", sum, lock & ~TID);
}

/* Until thread 0 waits: nothing of it may be woken in the ordinary way. */
static void await_waiter(void)
{
	int rc;

	while ((rc = futex(&cond, WAKE, 1, NULL, NULL, 0)) == 0)
		sched_yield();
	printf("ordinary wake: %s\n", strerror(-rc));
}

/* Move n, which may come one by one, as long as they wait. */
static void move(int n, long most)
{
	for (int moved = 0; moved < n;) {
		int rc = requeue(most);

		if (rc < 0) {
			printf("requeue: %s\n", strerror(-rc));
			return;
		}
		moved += rc;
		if (!rc) {
			struct timespec now;

			clock_gettime(CLOCK_REALTIME, &now);
			if (until && now.tv_sec > until->tv_sec)
				return;
			sched_yield();
		}
	}
}

static void all(void)
{
	start(N, waits);
	take();
	move(N, 1000);
	printf("moved: %d\n", lock == (self() | WAITERS));
	give();
	join(N);
}

static void one_by_one(void)
{
	start(N, waits);
	for (int i = 0; i < N; i++)
		move(1, 0);
	join(N);
}

static void some(void)
{
	start(N, waits);
	take();
	for (int i = 0; i < N; i++)
		move(1, 0);
	give();
	join(N);
}

static void timeouts(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	until = &t;
	start(2, waits); /* not moved */
	join(2);
	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_sec += 1;
	take();
	start(2, waits);
	move(2, 1000);
	for (int i = 0; i < 2; i++) { /* moved, or too late for it, and never given the lock */
		void *p;

		pthread_join(thread[i], &p);
		printf("%s\n", strerror(-(int)(long)p));
	}
	give();
	printf("free: %d\n", lock == 0);
}

static void on_signal(int sig)
{
	n_handled++;
}

/* A handler may run, with SA_RESTART or not: who was not moved goes on waiting, who was has to look
 * again. */
static void signals(void)
{
	for (int flags = 0; flags <= SA_RESTART; flags += SA_RESTART) {
		struct sigaction a = {.sa_handler = on_signal, .sa_flags = flags};

		n_handled = 0;
		sigaction(SIGUSR1, &a, NULL);
		start(1, waits);
		await_waiter();
		pthread_kill(thread[0], SIGUSR1);
		while (!n_handled)
			sched_yield();
		await_waiter();
		take();
		move(1, 0);
		pthread_kill(thread[0], SIGUSR1);
		while (n_handled < 2)
			sched_yield();
		give();
		join(1);
	}
}

static void *locks(void *p)
{
	take();
	sum++;
	give();
	return NULL;
}

/* A lock that knows its owner is waited for again after every handler. */
static void lock_signals(void)
{
	struct sigaction a = {.sa_handler = on_signal};

	sigaction(SIGUSR1, &a, NULL);
	take();
	start(1, locks);
	while (!(lock & WAITERS))
		sched_yield();
	for (int i = 0; i < 20; i++) {
		pthread_kill(thread[0], SIGUSR1);
		while (n_handled <= i)
			sched_yield();
	}
	printf("sum %d\n", sum);
	give();
	join(1);
}

static void said(const char *what, int rc)
{
	printf("%s: %s\n", what, rc < 0 ? strerror(-rc) : "ok");
}

static void errors(void)
{
	const struct timespec wrong = {0, -1};
	int rc;

	said("wait, one word", futex(&cond, WAIT_REQUEUE_PI, 0, NULL, &cond, 0));
	said("wait, another value", futex(&cond, WAIT_REQUEUE_PI, 1, NULL, &lock, 0));
	said("wait, no time", futex(&cond, WAIT_REQUEUE_PI, 0, &wrong, &lock, 0));
	said("one word", futex(&cond, CMP_REQUEUE_PI, 1, NULL, &cond, 0));
	said("none woken", futex(&cond, CMP_REQUEUE_PI, 0, NULL, &lock, 0));
	said("two woken", futex(&cond, CMP_REQUEUE_PI, 2, NULL, &lock, 0));
	said("less than none", futex(&cond, CMP_REQUEUE_PI, 1, (void *)-1l, &lock, 0));
	said("another value", futex(&cond, CMP_REQUEUE_PI, 1, NULL, &lock, 7));
	said("nobody there", requeue(1000));
	start(1, waits);
	await_waiter();
	said("requeued to a plain word", futex(&cond, CMP_REQUEUE, 0, (void *)1000l, &other, 0));
	said("to another lock", futex(&cond, CMP_REQUEUE_PI, 1, NULL, &other, 0));
	lock = TID; /* nobody's number */
	said("a lock of nobody's", requeue(1000));
	lock = 0;
	move(1, 0);
	join(1);
	start(1, waits_plainly);
	while ((rc = requeue(1000)) == 0)
		sched_yield();
	said("who waits plainly", rc);
	cond = 1;
	futex(&cond, WAKE, 1, NULL, NULL, 0);
	pthread_join(thread[0], NULL);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} tests[] = {{"all", all},	   {"one_by_one", one_by_one},
		     {"some", some},	   {"timeouts", timeouts},
		     {"signals", signals}, {"lock_signals", lock_signals},
		     {"errors", errors}};

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (size_t i = 0; argc > 1 && i < sizeof(tests) / sizeof(*tests); i++)
		if (!strcmp(argv[1], tests[i].name))
			tests[i].run();
	return 0;
}
