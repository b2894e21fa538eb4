/* progress.c -- draws and erases the progress line. Rules are in progress.h. */
#include "cli/stat/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define NS_PER_S 1000000000ull
#define MILLION	 1e6

/* Returns true if the program may write to the terminal that standard error is. */
static bool is_shared(void)
{
	struct stat out, err;

	return isatty(STDOUT_FILENO) && !fstat(STDOUT_FILENO, &out) &&
	       !fstat(STDERR_FILENO, &err) && out.st_rdev == err.st_rdev;
}

/* A job in the background must not write over what its user types. */
static bool is_foreground(void)
{
	return tcgetpgrp(STDERR_FILENO) == getpgrp();
}

void cli_progress_end(struct cli_progress *p)
{
	if (p->is_shown && p->is_terminal && is_foreground())
		fprintf(stderr, "\r\033[K");
	p->is_shown = false;
}

static void draw_line(void *ctx, uint64_t elapsed_ns, uint64_t instructions, uint64_t processes)
{
	struct cli_progress *p = ctx;
	const double seconds = (double)(elapsed_ns - p->before_ns) / NS_PER_S;

	if (p->is_terminal && !is_foreground())
		return;
	fprintf(
	    stderr,
	    "%s%.0f s, %.0f million instructions, %.1f million a second, %" PRIu64 " process%s%s",
	    p->is_terminal ? "\r\033[K" : "", (double)elapsed_ns / NS_PER_S,
	    (double)instructions / MILLION, (double)(instructions - p->before) / MILLION / seconds,
	    processes, processes == 1 ? "" : "es", p->is_terminal ? "" : "\n");
	fflush(stderr);
	p->is_shown = true;
	p->before = instructions;
	p->before_ns = elapsed_ns;
}

const struct ses_progress_config *cli_progress_config(struct cli_progress *p, bool is_table)
{
	p->is_terminal = isatty(STDERR_FILENO);
	p->cfg.tell = draw_line;
	p->cfg.ctx = p;
	if (!p->is_wanted && (!is_table || !p->is_terminal || is_shared()))
		return NULL;
	return &p->cfg;
}
