/* runs.h -- the runs of one stat: repetitions, and with --counters one run for each set of
 * events that the counters can hold at once. */
#ifndef SOFTPMU_CLI_RUNS_H
#define SOFTPMU_CLI_RUNS_H

#include "cli/stat/backend.h"
#include "cli/run_options.h"
#include "event/metrics.h"
#include "session/session.h"

/* The events and metrics counted for one machine. */
struct cli_column {
	const struct cat_cpu *cpu;
	const char *name; /* of several machines this one; borrowed, NULL: there is one */
	struct ses_geometry geometry;
	struct evt_events events;
	struct evt_metrics metrics;
	struct evt_counter_plan plan; /* of --counters; n_counters 0: none */
};

/* Free what a column owns. */
void cli_column_free(struct cli_column *c);

struct cli_runs {
	const struct cli_run *options;	   /* borrowed */
	const struct cli_backend *backend; /* model or hardware; borrowed */
	const struct cli_column
	    *column;	   /* borrowed; the first is the processor that the program sees */
	size_t n_column;   /* 1 to 1 + SES_MORE_COLUMNS */
	unsigned n_wanted; /* repetitions, -r */
	/* 0; or the runs of a plan are turns of one run, so long each (rotate.h) */
	unsigned rotate_ms;
	/* filled */
	struct ses_result
	    *result; /* n: one per repetition, with the counts of all its runs; owned */
	size_t n;    /* repetitions with counts: fewer than n_wanted when the last ended early */
	bool has_unlike_runs; /* runs of one repetition had different inputs */
	/* which repetition counted otherwise than the first one, and why: a sentence, or "" */
	char unlike[400];
};

/* Run the program as often as it takes. err receives the trouble that ended the last repetition
 * early, if any (code 0: none). Returns 0 when there is something to report, else as ses_run().
 * cli_runs_free() in every case. */
int cli_runs_do(struct cli_runs *r, struct spmu_error *err);
void cli_runs_free(struct cli_runs *r);

/* The counts of column c (below n_column) in one of `result`, one for each of the column's events;
 * the result owns them. */
struct evt_count *cli_runs_counts(const struct ses_result *result, size_t c);

#endif
