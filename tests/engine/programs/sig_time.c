/* Timers and system calls that signals interrupt. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <time.h>

#include "check.h"

static volatile sig_atomic_t ticks;
static int pipe_fd[2];

static void tick(int sig)
{
	ticks++;
}

static void tick_and_write(int sig)
{
	ticks++;
	if (write(pipe_fd[1], "x", 1) != 1)
		ticks += 100;
}

static void set(int sig, void (*fn)(int), int flags)
{
	struct sigaction a = {.sa_handler = fn, .sa_flags = flags};

	sigemptyset(&a.sa_mask);
	sigaction(sig, &a, NULL);
}

static void once(int ms)
{
	struct itimerval t = {.it_value = {0, ms * 1000}};

	setitimer(ITIMER_REAL, &t, NULL);
}

/* For a call that a signal shall interrupt: again and again, until it has begun, on a loaded
 * machine too. */
static void begin(void)
{
	struct itimerval t = {{0, 50000}, {0, 50000}};

	ticks = 0;
	setitimer(ITIMER_REAL, &t, NULL);
}

/* The timer stops. Returns whether it came at all. */
static int end(void)
{
	struct itimerval stop = {0};

	setitimer(ITIMER_REAL, &stop, NULL);
	return ticks > 0;
}

static void test_busy(void)
{
	struct itimerval t = {{0, 2000}, {0, 2000}}, stop = {0};
	volatile unsigned long n = 0, sum = 0;

	set(SIGALRM, tick, SA_RESTART);
	ticks = 0;
	setitimer(ITIMER_REAL, &t, NULL);
	while (ticks < 20) {
		n++;
		sum += n * 3;
	}
	setitimer(ITIMER_REAL, &stop, NULL);
	CHECK(ticks >= 20);
}

static void test_loop_without_calls(void)
{
	set(SIGALRM, tick, 0);
	ticks = 0;
	once(5);
	while (!ticks)
		;
	CHECK(ticks == 1);
}

static void test_restart(void)
{
	char c = 0;
	struct timespec t = {5, 0}, left = {0};

	CHECK(pipe(pipe_fd) == 0);
	set(SIGALRM, tick_and_write, SA_RESTART);
	ticks = 0;
	once(100);
	CHECK(read(pipe_fd[0], &c, 1) == 1 && c == 'x' && ticks == 1);
	set(SIGALRM, tick, 0);
	begin();
	CHECK(read(pipe_fd[0], &c, 1) == -1 && errno == EINTR && end());
	begin();
	CHECK(nanosleep(&t, &left) == -1 && errno == EINTR && left.tv_sec == 4 && end());
	set(SIGALRM, tick, SA_RESTART);
	begin();
	CHECK(nanosleep(&t, &left) == -1 && errno == EINTR && end());
	begin();
	CHECK(pause() == -1 && errno == EINTR && end());
	set(SIGALRM, SIG_IGN, 0);
	once(5);
	t = (struct timespec){0, 30000000};
	CHECK(nanosleep(&t, &left) == 0);
}

static void test_masks(void)
{
	struct pollfd p = {pipe_fd[0], POLLIN, 0};
	struct timespec t = {5, 0};
	sigset_t block, none, now;
	struct epoll_event ev;
	fd_set in;
	int ep = epoll_create1(0);

	set(SIGALRM, tick, SA_RESTART);
	sigemptyset(&none);
	sigemptyset(&block);
	sigaddset(&block, SIGALRM);
	sigprocmask(SIG_BLOCK, &block, NULL);
	ticks = 0;
	raise(SIGALRM);
	CHECK(ticks == 0);
	CHECK(ppoll(&p, 1, &t, &none) == -1 && errno == EINTR && ticks == 1);
	sigprocmask(SIG_SETMASK, NULL, &now);
	CHECK(sigismember(&now, SIGALRM));
	once(100);
	CHECK(ppoll(&p, 1, &t, &none) == -1 && errno == EINTR && ticks == 2);
	FD_ZERO(&in);
	FD_SET(pipe_fd[0], &in);
	once(100);
	CHECK(pselect(pipe_fd[0] + 1, &in, NULL, NULL, &t, &none) == -1 && errno == EINTR &&
	      ticks == 3);
	once(100);
	CHECK(epoll_pwait(ep, &ev, 1, 5000, &none) == -1 && errno == EINTR && ticks == 4);
	once(1);
	t = (struct timespec){0, 20000000};
	CHECK(ppoll(&p, 1, &t, NULL) == 0 && ticks == 4);
	sigprocmask(SIG_UNBLOCK, &block, NULL);
	CHECK(ticks == 5);
	close(ep);
}

static void test_fd(void)
{
	struct signalfd_siginfo info;
	sigset_t s;
	int fd;

	sigemptyset(&s);
	sigaddset(&s, SIGUSR2);
	sigprocmask(SIG_BLOCK, &s, NULL);
	fd = signalfd(-1, &s, SFD_NONBLOCK);
	CHECK(read(fd, &info, sizeof(info)) == -1 && errno == EAGAIN);
	raise(SIGUSR2);
	CHECK(read(fd, &info, sizeof(info)) == sizeof(info) && info.ssi_signo == SIGUSR2);
	close(fd);
}

static void test_posix_timer(void)
{
	struct sigevent ev = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
	struct itimerspec t = {{0, 2000000}, {0, 2000000}};
	timer_t id;

	set(SIGUSR1, tick, 0);
	ticks = 0;
	CHECK(timer_create(CLOCK_MONOTONIC, &ev, &id) == 0);
	timer_settime(id, 0, &t, NULL);
	while (ticks < 3)
		pause();
	timer_delete(id);
	CHECK(ticks >= 3);
}

int main(void)
{
	test_busy();
	test_loop_without_calls();
	test_restart();
	test_masks();
	test_fd();
	test_posix_timer();
	return check_end();
}
