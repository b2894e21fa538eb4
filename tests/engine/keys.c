/* keys.c -- run a program at a terminal of its own and press Ctrl-C there.
 *
 *     keys WORD PRESSES COMMAND ... once it has printed WORD: at most PRESSES times, 0.3 s apart,
 *     until it has ended
 *
 * Prints what the terminal shows; its status is the command's, or 128 + signal. */
#include <poll.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char shown[65536];
static size_t n_shown;

/* Read for `ms` at most; returns 0 when nobody has the terminal any more. */
static int look(int fd, int ms)
{
	struct pollfd p = {fd, POLLIN, 0};
	ssize_t n;

	if (poll(&p, 1, ms) != 1)
		return 1;
	n = read(fd, shown + n_shown, sizeof(shown) - 1 - n_shown);
	if (n <= 0)
		return 0;
	fwrite(shown + n_shown, 1, (size_t)n, stdout);
	fflush(stdout);
	n_shown += (size_t)n;
	return 1;
}

int main(int argc, char **argv)
{
	int fd, status, is_there = 1;
	pid_t pid;

	if (argc < 4)
		return 2;
	pid = forkpty(&fd, NULL, NULL, NULL);
	if (pid < 0) {
		printf("no terminal\n");
		return 3;
	}
	if (!pid) {
		execvp(argv[3], argv + 3);
		_exit(127);
	}
	while (is_there && !strstr(shown, argv[1]))
		is_there = look(fd, 60000);
	for (int i = atoi(argv[2]); i > 0 && is_there; i--) {
		if (write(fd, "\003", 1) != 1)
			break;
		for (int turn = 0; turn < 30 && is_there; turn++)
			is_there = look(fd, 10);
	}
	while (is_there)
		is_there = look(fd, 60000);
	waitpid(pid, &status, 0);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
