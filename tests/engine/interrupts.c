/* interrupts.c -- SIGINT by kill(), for interrupts.sh.
 *
 * interrupts send WORD alone|group|both TIMES COMMAND ... starts it in a group of its own; once it
 *     has printed WORD, sends SIGINT to it alone, to its group, or first to it and then to its
 * group as timeout(1) does; TIMES times at most, 0.5 s apart. Prints what it prints; its status is
 * the command's, or 128 + signal. interrupts catch    handles SIGINT, and prints how many came
 * until half a second after the first interrupts wait     the same by sigtimedwait() interrupts
 * ignore   ignores it interrupts die      does nothing about it interrupts stay     prints each
 * that came, and goes on All but the first print "ready". */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t n_caught;

static void on_interrupt(int sig)
{
	(void)sig;
	n_caught++;
}

static void pause_ms(long ms)
{
	struct timespec left = {ms / 1000, ms % 1000 * 1000000};

	while (nanosleep(&left, &left))
		continue;
}

static int receive(const char *how)
{
	const struct timespec half = {0, 500000000};
	struct sigaction action = {.sa_handler = on_interrupt};
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	if (!strcmp(how, "ignore"))
		action.sa_handler = SIG_IGN;
	if (!strcmp(how, "die"))
		action.sa_handler = SIG_DFL;
	sigaction(SIGINT, &action, NULL);
	if (!strcmp(how, "wait"))
		sigprocmask(SIG_BLOCK, &set, NULL);
	puts("ready");
	fflush(stdout);
	if (!strcmp(how, "wait")) {
		n_caught = sigwaitinfo(&set, NULL) == SIGINT;
		n_caught += sigtimedwait(&set, NULL, &half) == SIGINT;
	} else if (!strcmp(how, "catch")) {
		while (!n_caught)
			pause();
		pause_ms(500);
	} else {
		for (int shown = 0, turn = 0; turn < 200; turn++) {
			pause_ms(50);
			if (n_caught > shown) {
				printf("caught %d\n", shown = n_caught);
				fflush(stdout);
			}
		}
		return 1;
	}
	printf("caught %d\n", (int)n_caught);
	return 7;
}

/* Read once. Returns 0 when nobody has the pipe any more. */
static int copy(int fd, char *seen, size_t room)
{
	size_t n = strlen(seen);
	ssize_t got = read(fd, seen + n, room - 1 - n);

	if (got <= 0)
		return 0;
	seen[n + (size_t)got] = 0;
	fwrite(seen + n, 1, (size_t)got, stdout);
	fflush(stdout);
	return 1;
}

int main(int argc, char **argv)
{
	static char seen[65536];
	int line[2], status;
	pid_t pid;

	if (argc == 2)
		return receive(argv[1]);
	if (argc < 6 || pipe(line))
		return 2;
	pid = fork();
	if (!pid) {
		setpgid(0, 0);
		signal(SIGINT, SIG_DFL);
		dup2(line[1], 1);
		dup2(line[1], 2);
		close(line[0]);
		close(line[1]);
		execvp(argv[5], argv + 5);
		_exit(127);
	}
	close(line[1]);
	while (!strstr(seen, argv[2]) && copy(line[0], seen, sizeof(seen)))
		continue;
	for (int i = atoi(argv[4]); i > 0 && !waitpid(pid, &status, WNOHANG); i--) {
		if (*argv[3] != 'g')
			kill(pid, SIGINT);
		if (*argv[3] != 'a')
			kill(-pid, SIGINT);
		pause_ms(i > 1 ? 500 : 0);
	}
	while (copy(line[0], seen, sizeof(seen)))
		continue;
	waitpid(pid, &status, 0);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
