/* left.c -- a program that leaves processes behind; left.sh runs it.
 *
 * left KIND FILE   ends with status 7 and leaves one process, which writes its number and "on" to
 *                  FILE, waits for FILE.stop, writes "done" instead and ends. KIND: daemon (a
 *                  session of its own), sleeper (the same session), stopped (the same; it stops
 *                  itself first). */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void say(const char *file, const char *what)
{
	char line[64], next[256];
	const int n = snprintf(line, sizeof(line), "%d %s\n", getpid(), what);
	int fd;

	snprintf(next, sizeof(next), "%s.next", file);
	fd = open(next, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	if (fd < 0 || write(fd, line, n) != n || rename(next, file))
		_exit(9);
	close(fd);
}

int main(int argc, char **argv)
{
	char stop[256];

	if (argc != 3)
		return 2;
	snprintf(stop, sizeof(stop), "%s.stop", argv[2]);
	if (fork() > 0) {
		while (access(argv[2], F_OK)) /* it has begun */
			usleep(1000);
		return 7;
	}
	if (!strcmp(argv[1], "daemon")) {
		setsid();
		if (fork())
			_exit(0);
	}
	for (int fd = 0; fd < 64; fd++)
		close(fd);
	say(argv[2], "on");
	if (!strcmp(argv[1], "stopped"))
		raise(SIGSTOP);
	while (access(stop, F_OK))
		usleep(20000);
	say(argv[2], "done");
	return 0;
}
