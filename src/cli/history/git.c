/* git.c -- starts git and other programs. Rules: git.h. */
#include "cli/history/git.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"

/* Where a child's standard output and error go; -1: where softpmu's go. */
static pid_t start(char *const *argv, int out, int err)
{
	const pid_t pid = fork();

	if (pid)
		return pid;
	if (out >= 0)
		dup2(out, STDOUT_FILENO);
	if (err >= 0)
		dup2(err, STDERR_FILENO);
	execvp(argv[0], argv);
	_exit(CLI_NOT_FOUND);
}

static int end_of(pid_t pid)
{
	int status = 0;

	if (pid < 0)
		return -1;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFSIGNALED(status))
		return 128 + WTERMSIG(status);
	return WEXITSTATUS(status) == CLI_NOT_FOUND ? -1 : WEXITSTATUS(status);
}

static void read_all(int fd, struct text *out)
{
	char bytes[4096];
	ssize_t n;

	while ((n = read(fd, bytes, sizeof(bytes))) > 0 || (n < 0 && errno == EINTR))
		if (n > 0)
			text_printf(out, "%.*s", (int)n, bytes);
	while (out->n && out->bytes[out->n - 1] == '\n')
		out->bytes[--out->n] = 0;
}

int cli_git(const char *const *argv, struct text *out, bool is_silent)
{
	int fd[2], nowhere = -1, status;
	char *const *words;
	pid_t pid;

	memcpy(&words, &argv, sizeof(words)); /* exec changes none of them */
	if (pipe2(fd, O_CLOEXEC))
		return -1;
	if (is_silent)
		nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
	pid = start(words, fd[1], nowhere);
	close(fd[1]);
	if (nowhere >= 0)
		close(nowhere);
	read_all(fd[0], out);
	close(fd[0]);
	status = end_of(pid);
	return status;
}

int cli_shell(const char *command)
{
	char sh[] = "sh", c[] = "-c";
	char *words[] = {sh, c, NULL, NULL};

	memcpy(&words[2], &command, sizeof(words[2]));
	return end_of(start(words, STDERR_FILENO, -1));
}

int cli_run_words(char *const *argv)
{
	const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
	const int status = end_of(start(argv, nowhere, -1));

	if (nowhere >= 0)
		close(nowhere);
	return status;
}

void cli_git_exclude(const char *name)
{
	struct text path = {0}, none = {0};
	char pattern[300];
	FILE *f = NULL;

	snprintf(pattern, sizeof(pattern), ":/%.280s", name);
	if (cli_git_ask(&none, "check-ignore", "--quiet", "--", pattern) == 1 &&
	    cli_git_ask(&none, "ls-files", "--error-unmatch", "--", pattern) == 1 &&
	    !cli_git_ask(&path, "rev-parse", "--git-path", "info/exclude"))
		f = fopen(text_get(&path), "ae");
	if (f) {
		fprintf(f, "/%s*\n", name);
		fclose(f);
	}
	text_free(&path);
	text_free(&none);
}
