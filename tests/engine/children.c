/* children.c -- where the handler of SIGCHLD runs: the place is the same whether the child was
 * faster or slower than its parent.
 *
 * Usage: children CASE fast|slow. A fast child ends at once, and the parent is slow; a slow child
 * lets its parent wait. Prints the steps at which the handler ran. Where the parent asks for
 * children, the handler does so, too: if it ran before that call, the call would find no child.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile int step, n_steps, other, writes;
static volatile int reaps; /* the handler takes each child that has not been waited for */
static int steps[8];
static int is_fast;

static void on_child(int sig)
{
	if (n_steps < 8)
		steps[n_steps++] = step;
	if (other)
		kill(other, SIGKILL);
	if (writes)
		write(1, "ran ", 4);
	while (reaps && waitpid(-1, NULL, WNOHANG) > 0)
		;
}

static void pause_ms(long ms)
{
	struct timespec t = {ms / 1000, ms % 1000 * 1000000};

	while (nanosleep(&t, &t) && errno == EINTR)
		;
}

/* Until the child has ended, by calls that do not wait. */
static void see_end(pid_t pid)
{
	char path[40], text[200] = "";
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	while (!strstr(text, ") Z")) {
		fd = open(path, O_RDONLY);
		text[read(fd, text, sizeof(text) - 1)] = 0;
		close(fd);
	}
}

static pid_t child(int status)
{
	pid_t pid = fork();

	if (pid == 0) {
		if (!is_fast)
			pause_ms(100);
		_exit(status);
	}
	if (is_fast)
		see_end(pid);
	return pid;
}

static void *thread(void *unused)
{
	return unused;
}

/* Each case puts steps of its own between its calls. */
static void run(const char *what)
{
	int status = 0, fd[2];
	siginfo_t info;
	sigset_t set, old;
	char c;
	pid_t pid;

	step = 1;
	if (!strcmp(what, "wait4")) {
		reaps = 1;
		pid = child(3);
		step = 2;
		close(99);
		waitpid(pid, &status, 0);
		step = 3;
	} else if (!strcmp(what, "any")) {
		reaps = 1;
		child(3);
		step = 2;
		wait(&status);
		step = 3;
	} else if (!strcmp(what, "group")) {
		reaps = 1;
		child(3);
		step = 2;
		waitpid(0, &status, 0);
		step = 3;
	} else if (!strcmp(what, "waitid")) {
		reaps = 1;
		pid = child(3);
		step = 2;
		waitid(P_PID, (id_t)pid, &info, WEXITED);
		status = info.si_status << 8;
		step = 3;
	} else if (!strcmp(what, "pipe")) {
		reaps = 1;
		pipe(fd);
		pid = child(3);
		close(fd[1]);
		step = 2;
		while (read(fd[0], &c, 1) < 0 && errno == EINTR)
			step = 9;
		step = 3;
		close(fd[0]);
		step = 4;
		waitpid(pid, &status, 0);
		step = 5;
	} else if (!strcmp(what, "suspend")) {
		sigemptyset(&set);
		sigaddset(&set, SIGCHLD);
		sigprocmask(SIG_BLOCK, &set, &old);
		child(3);
		step = 2;
		sigsuspend(&old);
		step = 3;
		sigprocmask(SIG_SETMASK, &old, NULL);
		wait(&status);
	} else if (!strcmp(what, "sleep")) {
		child(3);
		step = 2;
		pause_ms(300);
		step = 3;
		wait(&status);
	} else if (!strcmp(what, "other")) { /* its handler ends the child that is waited for */
		other = fork();
		if (other == 0) {
			pause_ms(20000);
			_exit(1);
		}
		pid = other;
		child(3);
		step = 2;
		waitpid(pid, &status, 0);
		other = 0;
		step = 3;
		status = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL ? 3 << 8 : 0;
		wait(NULL);
	} else if (!strcmp(what, "watch")) { /* no call at all */
		child(3);
		step = 2;
		while (!n_steps)
			;
		step = 3;
		wait(&status);
	} else if (!strcmp(what,
			   "handler")) { /* it runs before it is replaced, if the child has ended */
		child(3);
		signal(SIGCHLD, SIG_DFL);
		step = 2;
		wait(&status);
	} else if (!strcmp(
		       what,
		       "vfork")) { /* as dash does it: no call waits while the signal is blocked */
		sigemptyset(&set);
		sigaddset(&set, SIGCHLD);
		sigprocmask(SIG_BLOCK, &set, &old);
		child(3);
		step = 2;
		sigprocmask(SIG_SETMASK, &old, NULL);
		step = 3;
		wait(&status);
		step = 4;
		/* it comes when it is opened, because a call has waited since */
	} else if (!strcmp(what, "masked")) {
		sigemptyset(&set);
		sigaddset(&set, SIGCHLD);
		child(3);
		sigprocmask(SIG_BLOCK, &set, &old);
		step = 2;
		wait(&status);
		step = 3;
		sigprocmask(SIG_SETMASK, &old, NULL);
		step = 4;
	} else if (!strcmp(
		       what,
		       "exec")) { /* the child has ended: its handler runs before the image goes */
		writes = 1;
		child(3);
		if (is_fast || wait(&status) > 0)
			execl("/proc/self/exe", "children", "after", "exec", (char *)NULL);
	} else if (!strcmp(what, "threads")) { /* not deferred */
		pthread_t t;

		pthread_create(&t, NULL, thread, NULL);
		pid = child(3);
		step = 2;
		waitpid(pid, &status, 0);
		step = 3;
		pthread_join(t, NULL);
	}
	if (WEXITSTATUS(status) != 3)
		printf("status %x ", (unsigned)status);
}

int main(int argc, char **argv)
{
	struct sigaction act = {.sa_handler = on_child, .sa_flags = SA_RESTART};

	if (argc != 3)
		return 2;
	if (!strcmp(argv[1], "after")) {
		puts(argv[2]);
		return 0;
	}
	is_fast = !strcmp(argv[2], "fast");
	sigaction(SIGCHLD, &act, NULL);
	run(argv[1]);
	for (int i = 0; i < n_steps; i++)
		printf("%d ", steps[i]);
	puts("");
	return 0;
}
