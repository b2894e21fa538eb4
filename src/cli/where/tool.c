/* tool.c -- runs git or dpkg-query and reads its standard output. Rules: tool.h. */
#include "cli/where/tool.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

char *cli_tool_output(char *const *argv, size_t *n)
{
	char *text = malloc(CLI_MOST_OUTPUT + 1);
	posix_spawn_file_actions_t actions;
	int fd[2], status = -1;
	ssize_t k = 1;
	pid_t pid;

	*n = 0;
	if (!text || pipe(fd)) {
		free(text);
		return NULL;
	}
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, fd[1], STDOUT_FILENO);
	posix_spawn_file_actions_addclose(&actions, fd[0]);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	if (posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ))
		pid = -1;
	posix_spawn_file_actions_destroy(&actions);
	close(fd[1]);
	for (; pid > 0 && k > 0 && *n<CLI_MOST_OUTPUT; *n += k> 0 ? (size_t)k : 0)
		k = read(fd[0], text + *n, CLI_MOST_OUTPUT - *n);
	close(fd[0]);
	if (pid > 0)
		waitpid(pid, &status, 0);
	text[*n] = 0;
	if (status == 0)
		return text;
	free(text);
	return NULL;
}
