/* timers.c -- a program that sets timers of every kind; clock.sh runs it with --clock model.
 *
 * timers           prints what it saw; exit status 1 when a time is not as predicted. All is by the
 *                  program's own clocks: a timer never expires before its time, and expires less
 *                  than LATE after it.
 * timers arrived   what exec(2) kept: an alarm that the program before it has set.
 * timers files     what else it kept: a timerfd that expires twice before it is read, and once
 *                  more; one that was closed is not there. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NANO  1000000000ll
#define MILLI 1000000ll
/* delivery and the reading of a clock included: some thousand clocks of the slowest processor */
#define LATE 100000ll
#define TURN (8 * MILLI) /* a turn of a thread that spins: 500000 instructions */

static int n_wrong;
static volatile sig_atomic_t n_caught, last_value, last_overrun, last_code, last_thread;
static volatile int64_t caught_at;

static int64_t now(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return t.tv_sec * NANO + t.tv_nsec;
}

static void check(const char *what, int is_right, int64_t seen)
{
	printf("%s %lld%s\n", what, (long long)seen, is_right ? "" : " WRONG");
	n_wrong += !is_right;
}

static void is(const char *what, int64_t seen, int64_t wanted)
{
	check(what, seen == wanted, seen);
}

/* The count that read(2) gives, -1: none. */
static int64_t read_count(int fd)
{
	uint64_t n = 0;

	return read(fd, &n, 8) == 8 ? (int64_t)n : -1;
}

/* seen is `wanted`, or less than `late` more. */
static void about(const char *what, int64_t seen, int64_t wanted, int64_t late)
{
	check(what, seen >= wanted && seen < wanted + late, seen);
}

static void catch (int sig, siginfo_t *info, void *context)
{
	(void)context;
	caught_at = now(CLOCK_MONOTONIC);
	last_value = info->si_value.sival_int;
	last_overrun = info->si_overrun;
	last_code = info->si_code;
	last_thread = (int)syscall(SYS_gettid);
	n_caught++;
	(void)sig;
}

static void on(int sig)
{
	struct sigaction a = {.sa_sigaction = catch, .sa_flags = SA_SIGINFO};

	sigaction(sig, &a, NULL);
	n_caught = 0;
}

static void spin(clockid_t id, int64_t ns)
{
	const int64_t end = now(id) + ns;
	volatile int sum = 0;

	while (now(id) < end)
		for (int i = 0; i < 2000; i++)
			sum += i;
}

/* Computes without a look at any clock until a signal comes. */
static void compute(void)
{
	const int n = n_caught;
	volatile int sum = 0;

	while (n_caught == n)
		sum++;
}

static struct itimerval interval(int64_t period, int64_t value)
{
	return (struct itimerval){{period / NANO, period % NANO / 1000},
				  {value / NANO, value % NANO / 1000}};
}

static struct itimerspec spec(int64_t period, int64_t value)
{
	return (struct itimerspec){{period / NANO, period % NANO}, {value / NANO, value % NANO}};
}

static void set(int which, int64_t period, int64_t value)
{
	struct itimerval t = interval(period, value);

	setitimer(which, &t, NULL);
}

static void intervals(void)
{
	struct timespec rest = {0, 30 * MILLI}, left = {0, 0};
	struct itimerval was;
	int64_t began, ended;

	on(SIGALRM);
	on(SIGVTALRM);
	on(SIGPROF);
	began = now(CLOCK_MONOTONIC);
	set(ITIMER_REAL, 0, 5 * MILLI);
	getitimer(ITIMER_REAL, &was);
	check("left", was.it_value.tv_usec > 4900 && was.it_value.tv_usec <= 5000,
	      was.it_value.tv_usec);
	compute();
	about("computing", caught_at - began, 5 * MILLI, LATE);
	is("of the kernel", last_code, SI_KERNEL);
	n_caught = 0;
	set(ITIMER_REAL, 2 * MILLI, 2 * MILLI);
	spin(CLOCK_MONOTONIC, 21 * MILLI);
	set(ITIMER_REAL, 0, 0);
	is("periods", n_caught, 10);
	/* The wait ends when the timer does, and says what is left. */
	began = now(CLOCK_MONOTONIC);
	set(ITIMER_REAL, 0, 10 * MILLI);
	is("interrupted", nanosleep(&rest, &left) == -1 ? errno : 0, EINTR);
	ended = now(CLOCK_MONOTONIC);
	about("slept", ended - began, 10 * MILLI, LATE);
	about("left of it", left.tv_nsec, 20 * MILLI, LATE);
	began = now(CLOCK_MONOTONIC);
	is("alarm", alarm(1), 0);
	is("alarm", alarm(2), 1);
	is("alarm", alarm(0), 2);
	set(ITIMER_REAL, 0, 40 * MILLI);
	usleep(15000);
	usleep(15000);
	is("not yet", n_caught, 11);
	pause();
	about("pause", now(CLOCK_MONOTONIC) - began, 40 * MILLI, LATE);
	/* The processor's time: not while the program sleeps. */
	n_caught = 0;
	began = now(CLOCK_PROCESS_CPUTIME_ID);
	set(ITIMER_VIRTUAL, 0, 3 * MILLI);
	usleep(20000);
	is("asleep", n_caught, 0);
	compute();
	about("virtual", now(CLOCK_PROCESS_CPUTIME_ID) - began, 3 * MILLI, LATE);
	n_caught = 0;
	set(ITIMER_PROF, MILLI, MILLI);
	spin(CLOCK_PROCESS_CPUTIME_ID, 5 * MILLI + 500000);
	set(ITIMER_PROF, 0, 0);
	is("prof", n_caught, 5);
}

static void posix(void)
{
	struct sigevent e = {.sigev_notify = SIGEV_SIGNAL,
			     .sigev_signo = SIGRTMIN + 1,
			     .sigev_value.sival_int = 4711};
	struct itimerspec s = spec(0, 3 * MILLI), left;
	struct timespec most = {1, 0};
	int64_t began, at;
	siginfo_t info;
	timer_t id, other;
	sigset_t set;

	on(SIGRTMIN + 1);
	began = now(CLOCK_MONOTONIC);
	timer_create(CLOCK_MONOTONIC, &e, &id);
	timer_settime(id, 0, &s, NULL);
	compute();
	about("timer", caught_at - began, 3 * MILLI, LATE);
	is("value", last_value, 4711);
	is("code", last_code, SI_TIMER);
	/* A date; two at once. */
	e.sigev_value.sival_int = 12;
	timer_create(CLOCK_REALTIME, &e, &other);
	at = now(CLOCK_REALTIME) + 20 * MILLI;
	s = spec(0, at);
	timer_settime(other, TIMER_ABSTIME, &s, NULL);
	s = spec(0, 50 * MILLI);
	timer_settime(id, 0, &s, NULL);
	pause();
	about("date", now(CLOCK_REALTIME) - at, 0, LATE);
	is("which", last_value, 12);
	timer_gettime(id, &left);
	check("the other",
	      left.it_value.tv_nsec > 29 * MILLI && left.it_value.tv_nsec <= 30 * MILLI,
	      left.it_value.tv_nsec);
	timer_delete(other);
	/* Blocked: one signal, and how often it would have come. */
	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN + 1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	n_caught = 0;
	s = spec(MILLI, MILLI);
	timer_settime(id, 0, &s, NULL);
	spin(CLOCK_MONOTONIC, 5 * MILLI + 500000);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	is("signals", n_caught, 1);
	is("overruns", last_overrun, 4);
	is("getoverrun", timer_getoverrun(id), 4);
	/* Waited for. */
	sigprocmask(SIG_BLOCK, &set, NULL);
	began = now(CLOCK_MONOTONIC);
	s = spec(0, 25 * MILLI);
	timer_settime(id, 0, &s, NULL);
	is("sigtimedwait", sigtimedwait(&set, &info, &most) - SIGRTMIN, 1);
	is("its value", info.si_value.sival_int, 4711);
	about("then", now(CLOCK_MONOTONIC) - began, 25 * MILLI, LATE);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	timer_delete(id);
	timer_create(CLOCK_PROCESS_CPUTIME_ID, &e, &id);
	began = now(CLOCK_PROCESS_CPUTIME_ID);
	s = spec(0, 2 * MILLI);
	timer_settime(id, 0, &s, NULL);
	compute();
	about("processor's time", now(CLOCK_PROCESS_CPUTIME_ID) - began, 2 * MILLI, LATE);
	timer_delete(id);
}

static void files(void)
{
	const int fd = timerfd_create(CLOCK_MONOTONIC, 0),
		  date = timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK);
	struct pollfd p = {.fd = fd, .events = POLLIN};
	struct itimerspec s = spec(0, 20 * MILLI);
	struct timeval v = {1, 0};
	uint64_t count = 0;
	struct iovec v8 = {&count, sizeof(count)};
	int64_t began;
	fd_set set;

	began = now(CLOCK_MONOTONIC);
	timerfd_settime(fd, 0, &s, NULL);
	is("short poll", poll(&p, 1, 10), 0);
	about("its time", now(CLOCK_MONOTONIC) - began, 10 * MILLI, LATE);
	timerfd_gettime(fd, &s);
	about("left", 10 * MILLI - s.it_value.tv_nsec, 0, LATE);
	is("poll", poll(&p, 1, 1000), 1);
	about("then", now(CLOCK_MONOTONIC) - began, 20 * MILLI, LATE);
	is("read", read_count(fd), 1);
	s = spec(0, now(CLOCK_MONOTONIC) + 15 * MILLI);
	began = now(CLOCK_MONOTONIC);
	timerfd_settime(fd, TFD_TIMER_ABSTIME, &s, NULL);
	is("blocking read", read_count(fd), 1);
	about("took", now(CLOCK_MONOTONIC) - began, 15 * MILLI - LATE, LATE + LATE);
	/* Several times before it is read, by another descriptor. */
	s = spec(MILLI, MILLI);
	timerfd_settime(fd, 0, &s, NULL);
	p.fd = dup(fd);
	close(fd);
	spin(CLOCK_MONOTONIC, 5 * MILLI + 500000);
	is("five", read_count(p.fd), 5);
	is("one more", read_count(p.fd), 1);
	s = spec(0, 0);
	timerfd_settime(p.fd, 0, &s, NULL);
	is("stopped", poll(&p, 1, 5), 0);
	s = spec(MILLI, MILLI);
	timerfd_settime(p.fd, 0, &s, NULL);
	spin(CLOCK_MONOTONIC, 3 * MILLI + 500000);
	is("readv", readv(p.fd, &v8, 1), 8);
	is("three", (int64_t)count, 3);
	s = spec(0, 0);
	timerfd_settime(p.fd, 0, &s, NULL);
	began = now(CLOCK_REALTIME);
	s = spec(0, began + 30 * MILLI);
	timerfd_settime(date, TFD_TIMER_ABSTIME, &s, NULL);
	is("empty", read_count(date) == -1 ? errno : 0, EAGAIN);
	FD_ZERO(&set);
	FD_SET(date, &set);
	is("select", select(date + 1, &set, NULL, NULL, &v), 1);
	about("date", now(CLOCK_REALTIME) - began, 30 * MILLI, LATE);
	close(date);
	close(p.fd);
}

/* Of several that expire at about the same time the wait ends with the one that is waited for,
 * however late the host is. */
static void crowded(void)
{
	enum { READ, POLL, SELECT, LAST, N_FILES = 12 };
	static const char *const name[] = {"the first, read", "the first, poll",
					   "the first, select", "the last, read"};
	int fd[N_FILES];

	for (int i = 0; i < N_FILES; i++)
		fd[i] = timerfd_create(CLOCK_MONOTONIC, 0);
	for (int how = READ; how <= LAST; how++) {
		const int which = how == LAST ? N_FILES - 1 : 0;
		const int64_t began = now(CLOCK_MONOTONIC);
		struct pollfd p = {.fd = fd[which], .events = POLLIN};
		struct itimerspec s;
		fd_set set;

		for (int i = 0; i < N_FILES; i++) {
			s = spec(0, 20 * MILLI + i * 2 * LATE - (now(CLOCK_MONOTONIC) - began));
			timerfd_settime(fd[i], 0, &s, NULL);
		}
		FD_ZERO(&set);
		FD_SET(fd[0], &set);
		if (how == POLL)
			poll(&p, 1, -1);
		else if (how == SELECT)
			select(fd[0] + 1, &set, NULL, NULL, NULL);
		is(name[how], read_count(fd[which]), 1);
		about("came", now(CLOCK_MONOTONIC) - began, 20 * MILLI + which * 2 * LATE,
		      2 * LATE);
	}
	for (int i = 0; i < N_FILES; i++)
		close(fd[i]);
}

static volatile int is_over;
static int64_t thread_slept;

static void *sleeper(void *unused)
{
	const int64_t began = now(CLOCK_MONOTONIC);

	usleep(12000);
	thread_slept = now(CLOCK_MONOTONIC) - began;
	is_over = 1;
	return unused;
}

/* A thread that sleeps beside one that computes wakes by the modelled clock; a timer when all wait.
 */
static void threads(void)
{
	struct sigevent e = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1};
	struct itimerspec s = spec(0, 6 * MILLI);
	volatile int sum = 0;
	pthread_t t;
	int64_t began;
	timer_t id;

	on(SIGUSR1);
	on(SIGALRM);
	pthread_create(&t, NULL, sleeper, NULL);
	while (!is_over)
		sum++;
	pthread_join(t, NULL);
	about("beside", thread_slept, 12 * MILLI, TURN);
	pthread_create(&t, NULL, sleeper, NULL);
	began = now(CLOCK_MONOTONIC);
	sched_yield();
	e._sigev_un._tid = (int)syscall(SYS_gettid);
	timer_create(CLOCK_MONOTONIC, &e, &id);
	timer_settime(id, 0, &s, NULL);
	usleep(50000);
	about("all wait", now(CLOCK_MONOTONIC) - began, 6 * MILLI, TURN);
	is("caught", n_caught, 1);
	is("whose", last_thread - (int)syscall(SYS_gettid), 0);
	pthread_join(t, NULL);
	about("the other", now(CLOCK_MONOTONIC) - began, 12 * MILLI, TURN);
	timer_delete(id);
}

static void processes(char *self)
{
	struct itimerval was;
	int status;

	on(SIGALRM);
	set(ITIMER_REAL, 0, 1000 * NANO); /* how long the child takes is the host's business */
	fflush(stdout);
	if (fork() == 0) {
		getitimer(ITIMER_REAL, &was);
		_exit(was.it_value.tv_sec || was.it_value.tv_usec);
	}
	wait(&status);
	is("child", status, 0);
	set(ITIMER_REAL, 0, 0);
	fflush(stdout);
	if (fork() == 0) {
		struct timespec t = {0, 200 * MILLI};
		char began[32];

		snprintf(began, sizeof(began), "%lld", (long long)now(CLOCK_MONOTONIC));
		set(ITIMER_REAL, 0, t.tv_nsec);
		execl(self, self, "arrived", began, NULL);
		_exit(2);
	}
	wait(&status);
	is("exec", status, 0);
	fflush(stdout);
	if (fork() == 0) {
		const int fd = timerfd_create(CLOCK_MONOTONIC, 0),
			  closed = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
		struct itimerspec s = spec(100 * MILLI, 50 * MILLI);
		char began[32], number[16];

		timerfd_settime(closed, 0, &s, NULL);
		timerfd_settime(fd, 0, &s, NULL);
		snprintf(began, sizeof(began), "%lld", (long long)now(CLOCK_MONOTONIC));
		snprintf(number, sizeof(number), "%d", fd);
		execl(self, self, "files", began, number, NULL);
		_exit(2);
	}
	wait(&status);
	is("files behind exec", status, 0);
}

/* Behind exec: began when the timerfd was set to 50 and then every 100 milliseconds. */
static void kept_file(int64_t began, int fd)
{
	struct itimerspec s;
	int other;

	is("first", read_count(fd), 1);
	about("at", now(CLOCK_MONOTONIC) - began, 50 * MILLI, MILLI);
	usleep(200000);
	is("two", read_count(fd), 2);
	timerfd_gettime(fd, &s);
	is("period", s.it_interval.tv_nsec, 100 * MILLI);
	is("again", read_count(fd), 1);
	about("then", now(CLOCK_MONOTONIC) - began, 350 * MILLI, MILLI);
	other = timerfd_create(CLOCK_MONOTONIC,
			       0); /* not taken for the one that was closed, or for the other */
	s = spec(0, 20 * MILLI);
	began = now(CLOCK_MONOTONIC);
	timerfd_settime(other, 0, &s, NULL);
	is("other", read_count(other), 1);
	about("its own", now(CLOCK_MONOTONIC) - began, 20 * MILLI, MILLI);
}

int main(int argc, char **argv)
{
	if (argc > 3) {
		kept_file(atoll(argv[2]), atoi(argv[3]));
		return n_wrong != 0;
	}
	if (argc > 2) {
		on(SIGALRM);
		pause();
		about("arrived", now(CLOCK_MONOTONIC) - atoll(argv[2]), 200 * MILLI, MILLI);
		return n_wrong != 0;
	}
	intervals();
	posix();
	files();
	crowded();
	threads();
	processes(argv[0]);
	return n_wrong != 0;
}
