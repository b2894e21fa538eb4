/* tool.c -- run the system's assembler and linker. */
#include "asm/program.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOT_THERE 127

/* In the child: never returns. */
__attribute__((noreturn)) static void become(const char *dir, char *const *argv, int complaints)
{
	const int nowhere = open("/dev/null", O_RDWR);

	if (nowhere < 0 || chdir(dir) || dup2(nowhere, 0) < 0 || dup2(nowhere, 1) < 0 ||
	    dup2(complaints, 2) < 0)
		_exit(NOT_THERE - 1);
	setenv("LC_ALL", "C", 1); /* its complaints are read */
	execvp(argv[0], argv);
	_exit(NOT_THERE);
}

int asm_tool_run(const char *dir, char *const *argv, char *out, size_t room)
{
	size_t used = 0;
	int pipes[2], status;
	char rest[512];
	pid_t pid;

	if (pipe2(pipes, O_CLOEXEC))
		return -SPMU_ESYS;
	pid = fork();
	if (pid == 0)
		become(dir, argv, pipes[1]);
	close(pipes[1]);
	while (pid > 0) {
		const ssize_t n = used + 1 < room ? read(pipes[0], out + used, room - 1 - used)
						  : read(pipes[0], rest, sizeof(rest));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		if (used + 1 < room)
			used += (size_t)n;
	}
	out[used] = 0;
	close(pipes[0]);
	while (pid > 0 && waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			pid = -1;
	if (pid < 0 || !WIFEXITED(status))
		return -SPMU_ESYS;
	return WEXITSTATUS(status) == NOT_THERE ? -SPMU_ENOENT : WEXITSTATUS(status);
}
