/* intervals.h -- stat -I, --interval-count and --summary: what is printed while the program
 * runs. */
#ifndef SOFTPMU_CLI_INTERVALS_H
#define SOFTPMU_CLI_INTERVALS_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/stat/progress.h"
#include "report/report.h"
#include "session/serve/intervals.h"

struct cli_intervals {
	struct ses_intervals_config cfg;
	const struct rpt_report *report; /* of the whole run, without counts; borrowed */
	int (*export)(const struct rpt_report *r, FILE *out);
	FILE *out; /* borrowed */
	/* its line goes before anything is printed; borrowed, NULL = none */
	struct cli_progress *progress;
	unsigned n_printed;
	bool is_table;
	bool is_wanted, has_count, has_summary;
};

/* -I: MS, or N and "insn"; --interval-count: N. Return 1, or -1 after a message. */
int cli_intervals_option(struct cli_intervals *o, const char *value);
int cli_intervals_count(struct cli_intervals *o, const char *value);

/* Returns the session's form of the options. Intervals go to `out` as `export` writes them, with
 * the settings in *r; an interval that SIGUSR1 asks for goes to standard error. *r and `out` are
 * borrowed. The result lies in *o. */
const struct ses_intervals_config *
cli_intervals_config(struct cli_intervals *o, const struct rpt_report *r,
		     int (*export)(const struct rpt_report *r, FILE *out), FILE *out);

#endif
