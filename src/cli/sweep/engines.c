/* engines.c -- starts GNU parallel or xargs, writes a script for sbatch. Rules: engines.h. */
#include "cli/sweep/engines.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "sweep/words.h"

#define MOST_TASKS 1000u /* Slurm's MaxArraySize is 1001, where nobody has raised it */

/* Another program of that name (moreutils) does something else. */
static int has_gnu_parallel(void)
{
	FILE *in = popen("parallel --version 2>/dev/null </dev/null", "re");
	char line[64] = "";

	if (!in)
		return 0;
	(void)!fgets(line, sizeof(line), in);
	while (getc(in) != EOF)
		;
	pclose(in);
	return !strncmp(line, "GNU parallel", 12);
}

/* In the child: standard input are the lines. */
static void become_engine(int is_parallel, const char *n)
{
	if (is_parallel) {
		setenv("PARALLEL_SHELL", "/bin/sh", 1);
		execlp("parallel", "parallel", "--will-cite", "-j", n, (char *)NULL);
	} else {
		execlp("xargs", "xargs", "-d", "\\n", "-n", "1", "-P", n, "sh", "-c", (char *)NULL);
	}
	_exit(CLI_NOT_FOUND);
}

int cli_sweep_run(const struct text *lines, unsigned n)
{
	FILE *in = tmpfile();
	const int is_parallel = has_gnu_parallel();
	struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
	char number[16];
	int status = 0;
	pid_t pid;

	if (!in || fputs(text_get(lines), in) == EOF || fflush(in))
		return cli_fail("sweep --run: no room for a list of the jobs: %s", strerror(errno));
	rewind(in);
	snprintf(number, sizeof(number), "%u", n ? n : (unsigned)sysconf(_SC_NPROCESSORS_ONLN));
	fprintf(stderr, " %s runs %s jobs at once\n", is_parallel ? "GNU parallel" : "xargs",
		number);
	pid = fork();
	if (!pid) {
		dup2(fileno(in), STDIN_FILENO);
		close(fileno(in)); /* no program has it open */
		become_engine(is_parallel, number);
	}
	sigaction(SIGINT, &ignore, &before); /* the jobs end by it */
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	sigaction(SIGINT, &before, NULL);
	fclose(in);
	if (pid < 0 || (WIFEXITED(status) && WEXITSTATUS(status) == CLI_NOT_FOUND))
		return cli_fail(
		    "sweep --run: neither GNU parallel nor xargs can be started; --list "
		    "prints the commands");
	return 0;
}

/* Keep the lines in a file whose name is a hash of them, so that a later script leaves this one's
 * alone. Returns its name, the caller's, or NULL after a message. */
static char *keep_lines(const struct text *lines, const char *dir)
{
	uint64_t h = 14695981039346656037u; /* FNV-1a */
	char *path;
	FILE *out;

	for (const char *p = text_get(lines); *p; p++)
		h = (h ^ (unsigned char)*p) * 1099511628211u;
	if (asprintf(&path, "%s/jobs-%016" PRIx64, dir, h) < 0) {
		cli_fail("out of memory");
		return NULL;
	}
	out = fopen(path, "we");
	if (out)
		fputs(text_get(lines), out);
	if (!out || (ferror(out) | fclose(out))) {
		cli_fail("sweep --slurm: cannot write '%s': %s", path, strerror(errno));
		free(path);
		return NULL;
	}
	return path;
}

int cli_sweep_slurm(const struct text *lines, size_t n_job, const char *dir)
{
	const size_t n_task = n_job < MOST_TASKS ? n_job : MOST_TASKS;
	char *path, *here = getcwd(NULL, 0);
	struct text words = {0};

	if (!n_job) {
		free(here);
		return cli_fail("sweep --slurm: every job has its result; there is nothing to run");
	}
	path = here ? keep_lines(lines, dir) : NULL;
	if (!path) {
		free(here);
		return CLI_FAILED;
	}
	printf("#!/bin/sh\n#SBATCH --job-name=softpmu-sweep\n#SBATCH --array=1-%zu\n", n_task);
	printf("#SBATCH --output=%s/slurm-%%A_%%a.out\n", dir);
	printf("# %zu jobs; task N runs the jobs N, N + %zu and so on\n", n_job, n_task);
	swp_quote(&words, here);
	printf("cd %s || exit 1\n", text_get(&words));
	text_free(&words);
	swp_quote(&words, path);
	printf("sed -n \"${SLURM_ARRAY_TASK_ID:?}~%zup\" %s | sh\n", n_task, text_get(&words));
	text_free(&words);
	free(path);
	free(here);
	return cli_close_stdout(0);
}
