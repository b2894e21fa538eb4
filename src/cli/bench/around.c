/* around.c -- see around.h. */
#include "cli/bench/around.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"

#define ABOVE 100 /* the program finds its low descriptors as they would be */

static int put_away(int fd, int flags)
{
	const int kept = fcntl(fd, F_DUPFD_CLOEXEC, ABOVE), null = open("/dev/null", flags);

	if (kept >= 0 && null >= 0)
		dup2(null, fd);
	if (null >= 0 && null != fd)
		close(null);
	return kept;
}

static void put_back(int fd, int kept)
{
	if (kept < 0)
		return;
	dup2(kept, fd);
	close(kept);
}

void cli_bench_hush(struct cli_bench_quiet *q, bool is_shown)
{
	fflush(stdout);
	q->kept[0] = put_away(STDIN_FILENO, O_RDONLY);
	q->kept[1] = is_shown ? -1 : put_away(STDOUT_FILENO, O_WRONLY);
}

void cli_bench_speak(struct cli_bench_quiet *q)
{
	put_back(STDIN_FILENO, q->kept[0]);
	put_back(STDOUT_FILENO, q->kept[1]);
}

int cli_bench_around(const char *option, const char *text, bool is_shown)
{
	struct cli_bench_quiet quiet;
	int status;

	if (!text)
		return 0;
	cli_bench_hush(&quiet, is_shown);
	status = system(text);
	cli_bench_speak(&quiet);
	if (status == -1 || !WIFEXITED(status))
		return cli_fail("%s '%s': it did not run to its end", option, text);
	if (WEXITSTATUS(status))
		return cli_fail("%s '%s': it ended with status %d, and nothing more is run", option,
				text, WEXITSTATUS(status));
	return 0;
}
