/* sig_held.c -- signals that instructions raise, too (SIGFPE), sent while they are blocked: they
 * wait until a call with a mask of its own lets them in. */
#define _GNU_SOURCE
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <errno.h>
#include <sys/select.h>
#include <unistd.h>

static volatile int n_handled;

static void note(int sig)
{
	n_handled += sig == SIGFPE;
}

static int is_blocked(void)
{
	sigset_t now;

	sigprocmask(SIG_SETMASK, NULL, &now);
	return sigismember(&now, SIGFPE);
}

static void say(const char *what, int ret)
{
	printf("%s: %d %s, handled %d, blocked %d\n", what, ret, ret < 0 ? strerror(errno) : "",
	       n_handled, is_blocked());
	fflush(stdout);
}

int main(void)
{
	struct sigaction act = {.sa_handler = note, .sa_flags = SA_RESTART};
	struct timespec long_time = {.tv_sec = 20};
	sigset_t fpe, none;

	sigaction(SIGFPE, &act, NULL);
	sigemptyset(&none);
	sigemptyset(&fpe);
	sigaddset(&fpe, SIGFPE);
	sigprocmask(SIG_BLOCK, &fpe, NULL);
	kill(getpid(), SIGFPE);
	say("blocked", 0);
	say("sigsuspend", sigsuspend(&none));
	kill(getpid(), SIGFPE);
	say("ppoll", ppoll(NULL, 0, &long_time, &none));
	kill(getpid(), SIGFPE);
	say("pselect", pselect(0, NULL, NULL, NULL, &long_time, &none));
	kill(getpid(), SIGFPE);
	sigprocmask(SIG_UNBLOCK, &fpe, NULL);
	say("unblocked", 0);
	return 0;
}
