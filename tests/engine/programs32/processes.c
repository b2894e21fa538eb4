/* Processes of a 32-bit program: fork, vfork, posix_spawn, exec of itself, of a 64-bit shell and of
 * nothing. */
#define _GNU_SOURCE
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include "../programs/check.h"

extern char **environ;

static int status_of(pid_t pid)
{
	int status = -1;

	return waitpid(pid, &status, 0) == pid ? status : -1;
}

int main(int argc, char **argv)
{
	char *again[] = {argv[0], "child", NULL}, *last[] = {argv[0], "last", "two words", NULL};
	int ends[2], status;
	char text[8] = "";
	pid_t pid;

	if (argc > 1 && strcmp(argv[1], "child") == 0)
		return 4;
	if (argc > 1 && strcmp(argv[1], "last") == 0)
		return printf("last %d '%s'\n", argc, argv[2]) > 0 ? 7 : 1;
	CHECK(pipe(ends) == 0);
	pid = fork();
	if (pid == 0)
		_exit(write(ends[1], "hello", 6) == 6 && getppid() != 0 ? 3 : 1);
	CHECK(status_of(pid) == 3 << 8 && read(ends[0], text, 8) == 6 &&
	      strcmp(text, "hello") == 0);
	pid = fork();
	if (pid == 0)
		raise(SIGKILL);
	CHECK(status_of(pid) == SIGKILL);
	pid = vfork();
	if (pid == 0)
		_exit(6);
	CHECK(status_of(pid) == 6 << 8);
	CHECK(posix_spawn(&pid, argv[0], NULL, NULL, again, environ) == 0 &&
	      status_of(pid) == 4 << 8);
	CHECK(posix_spawn(&pid, "/nonexistent", NULL, NULL, again, environ) == ENOENT);
	status = system("echo from a 64-bit shell | cat; exit 5");
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 5);
	check_end();
	fflush(stdout);
	execv(argv[0], last);
	return 1;
}
