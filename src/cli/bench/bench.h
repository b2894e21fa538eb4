/* bench.h -- commands compared: what is measured of each, who wins, and what makes the difference.
 *
 * RUNS   Each command is run twice. The first run counts the events, and where (as softpmu record).
 *        The second one says why (the metrics cpi-stack of a P6, sampled in long runs), and its
 *        input digest whether counts repeat: if so, the counts of the first run are those of each
 *        run. If not, -r N has the events counted in N runs, and a count is their mean, its
 *        interval half of the way from the smallest to the largest.
 *        With --clocks sampled it is the second run that counts, and the first one says where
 *        instructions were, or other events that need no clocks.
 */
#ifndef SOFTPMU_CLI_BENCH_BENCH_H
#define SOFTPMU_CLI_BENCH_BENCH_H

#include "cli/bench/command.h"
#include "cli/run_options.h"
#include "cli/screen.h"
#include "event/metrics.h"
#include "cli/where/diff.h"

#define CLI_MOST_COMMANDS 16u
#define CLI_BENCH_ROWS	  5u /* functions, reasons */

/* One command and what became of it. */
struct cli_bench_side {
	struct cli_bench_command command;
	struct ses_result placed;  /* the first run */
	struct ses_result reasons; /* the second one */
	struct evt_count *count;   /* of bench.events: what is shown; owned */
	unsigned n_run;		   /* that count is the mean of */
	bool repeats;		   /* the second run had the first one's input and instructions */
	char unlike[400];	   /* why not, a sentence */
	/* of the first run */
	struct rec *rec;
	struct whr_table function;
	const int64_t *startup; /* counts of start-up, or NULL */
};

struct cli_bench {
	struct cli_run run;
	struct evt_events events;   /* asked for */
	struct evt_events placed;   /* of the first run */
	struct evt_events why;	    /* of the second run */
	struct evt_metrics parts;   /* of a P6's stack, by events of why */
	bool has_stalls;	    /* why has a Pentium's stalls, those of its diagram */
	const char *sort_name;	    /* --sort */
	uint32_t sort, placed_sort; /* the events that decide: who wins, and where */
	bool is_sampled;	    /* the second run counts */
	unsigned n_wanted;	    /* -r */
	const char *setup, *prepare, *conclude, *cleanup;
	bool is_shown, takes_failures, is_verbose;
	struct cli_limits limits;
	struct cli_sources sources;
	enum cli_color color;
	struct cli_bench_side side[CLI_MOST_COMMANDS];
	size_t n_side, n_name;
	bool has_shell;
};

/* A part of the clocks of two sides: of a metric, of a stall, or of neither: the row for the rest.
 */
struct cli_bench_reason {
	const struct cat_metric *metric;
	const struct cat_event *stall;
	int64_t clocks; /* the second side's more than the first one's */
	double half;	/* half of its interval; 0: it is exact */
};

/* ---- measuring (side.c): each returns 0 or an exit code after a message -----------------------
 */

/* Choose the events of both runs. */
int cli_bench_choose(struct cli_bench *b);
/* Run a command, and look at its first run's functions. */
int cli_bench_measure(struct cli_bench *b, struct cli_bench_side *s);
void cli_bench_side_free(struct cli_bench_side *s);

/* ---- comparing (compare.c) --------------------------------------------------------------------
 */

/* The sides by their count of the event that decides, in order[]. Returns how many have one. */
size_t cli_bench_rank(const struct cli_bench *b, size_t *order);
/* Are the two counts apart by more than their intervals? */
bool cli_bench_is_apart(const struct evt_count *a, const struct evt_count *b);
/* The functions of two sides in *d, with its rows; whr_pairs_free(&d->functions). */
int cli_bench_pair(const struct cli_bench *b, size_t winner, size_t other, struct cli_diff *d);
/* The parts whose clocks differ most, at most CLI_BENCH_ROWS, and behind them one row for the rest
 * where there is any, so that rows sum to the difference in clocks: that of the two counts, or,
 * where another event than clocks decides, that of all parts. Stalls overlap: they sum to nothing,
 * and have no row for the rest. Returns how many rows there are; out has room for
 * CLI_BENCH_ROWS + 1. */
size_t cli_bench_reasons(const struct cli_bench *b, size_t winner, size_t other,
			 struct cli_bench_reason *out);
/* Sentence i, from 0, that readers of the numbers should know; NULL: there are no more. */
const char *cli_bench_note(const struct cli_bench *b, unsigned i, char *out, size_t room);
/* Can the limits be judged? Returns 0 or an exit code after a message. */
int cli_bench_check_limits(const struct cli_bench *b);
/* Judge the limits, each command by the first one. take() gets a sentence for each that is not
 * kept. Returns 0 or an exit code. */
int cli_bench_judge(const struct cli_bench *b, void (*take)(void *ctx, const char *sentence),
		    void *ctx);
#define CLI_BENCH_SENTENCE 640

/* ---- layouts ----------------------------------------------------------------------------------
 */

int cli_bench_human(const struct cli_bench *b, FILE *out);
int cli_bench_markdown(const struct cli_bench *b, FILE *out);
int cli_bench_json(const struct cli_bench *b, FILE *out);

/* "1,234", "1,234 +-0.4%" or "<not modelled>". */
const char *cli_bench_count(const struct evt_count *c, char out[64]);
/* 1.00: how often a side counts the least count of `event`. */
double cli_bench_times(const struct cli_bench *b, size_t side, size_t event);
/* Of a metric what comes behind "clocks: ", of a stall its meaning, of the rest a text of its own.
 */
const char *cli_bench_reason_text(const struct cli_bench_reason *r);
/* "NAME: " of a stall, to print in front of its meaning; "" for other reasons. */
const char *cli_bench_reason_name(const struct cli_bench_reason *r, char out[80]);

#endif
