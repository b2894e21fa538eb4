/* diff.h -- two runs compared: what `softpmu diff` shows, in each of its layouts. */
#ifndef SOFTPMU_CLI_DIFF_H
#define SOFTPMU_CLI_DIFF_H

#include "cli/screen.h"
#include "cli/where/limits.h"
#include "cli/where/sources.h"
#include "where/interval.h"
#include "where/pairs.h"
#include "where/startup.h"

#define CLI_DIFF_ROWS	   20u /* of a table */
#define CLI_DIFF_NOTES	   8u
#define CLI_DIFF_ONE_SIDED 8u

/* A limit that is broken, or left open. */
struct cli_broken {
	const struct cli_limit *limit;
	uint32_t event;
	bool is_main;	   /* of the program without its start-up */
	uint64_t old, new; /* counts */
};

/* Two runs and what became of them. [0] old, [1] new. */
struct cli_diff {
	const char *path[2];
	struct rec *rec[2];
	bool is_totals; /* of stat --json: nothing of places is known */
	const struct cli_limits *limits;
	struct nm *names[2]; /* a file may be as it was for one of them alone */
	struct whr_table function[2], line[2];
	const int64_t *startup[2]; /* counts of start-up, or NULL */
	struct whr_names called;   /* functions that have another name now */
	struct whr_pairs functions, lines;
	char *root;		 /* the checkout, or the working directory; owned; NULL: no table */
	struct whr_table own[2]; /* lines of the program's own, with what they brought along */
	struct whr_pairs own_lines;
	/* of rows of estimated clocks; rec NULL: not known, as of all rows that are exact */
	struct whr_intervals function_interval[2], line_interval[2], own_interval[2];
	const struct cli_sources *sources;
	uint32_t sort; /* the event that rows are sorted by */
	/* n_broken, and behind them n_open that intervals leave open; owned */
	struct cli_broken *broken;
	size_t n_broken, n_open;
	char note[CLI_DIFF_NOTES][320]; /* sentences */
	unsigned n_note;
	size_t most;	      /* rows of a table */
	bool shows_unchanged; /* rows, too, whose interval explains the change */
	/* last parts of objects that have lines in one run alone */
	const char *one_sided[CLI_DIFF_ONE_SIDED];
	unsigned n_one_sided;
};

/* What cli_records_compare() compares: records, of which clocks were worked out alike; records,
 * whatever was worked out; reports of stat --json. */
enum cli_compared { CLI_RECORDS_ALIKE, CLI_RECORDS, CLI_REPORTS };

/* Check that both records are of one machine and count the same events. command: its name, for the
 * message. Returns 0, or 2 after a sentence. */
int cli_records_compare(const char *command, const struct rec *old, const struct rec *new,
			enum cli_compared are);

/* Open both files. Returns 0; 2 after a sentence when they cannot be compared; or another exit code
 * after a message. cli_diff_close() may be called in any case. */
int cli_diff_open(struct cli_diff *d);
void cli_diff_close(struct cli_diff *d);

/* Returns the count of event e in run `which`; is_main: without its start-up. */
uint64_t cli_diff_count(const struct cli_diff *d, unsigned which, bool is_main, uint32_t e);

/* Half of the interval of the change of event e, at 95 %; 0: both counts are exact. INFINITY:
 * nobody knows it. is_main: without its start-up. */
double cli_diff_half(const struct cli_diff *d, bool is_main, uint32_t e);

/* As cli_diff_half(), of a row of p, one of d's pairs. */
double cli_diff_row_half(const struct cli_diff *d, const struct whr_pairs *p,
			 const struct whr_pair *pair, uint32_t e);

/* Did a row change by more than its interval explains? */
bool cli_diff_has_changed(const struct cli_diff *d, const struct whr_pairs *p,
			  const struct whr_pair *pair, uint32_t e);

/* Is a row shown in tables, sorted by d->sort? */
bool cli_diff_is_shown(const struct cli_diff *d, const struct whr_pairs *p,
		       const struct whr_pair *pair);

/* Is any of p's? */
bool cli_diff_has_shown(const struct cli_diff *d, const struct whr_pairs *p);

/* Fill the intervals of functions and lines. Returns 0 or -SPMU_ENOMEM. */
int cli_diff_intervals(struct cli_diff *d);

/* Say in a note how many functions are not shown because intervals explain their change. */
void cli_diff_note_unchanged(struct cli_diff *d);

/* Have no names asked for of an object whose file is another one than was executed in one of the
 * runs, in neither of them, so that it is one row. Says so in a note. */
void cli_diff_distrust(struct cli_diff *d);

/* Find the objects that have lines in one run alone, and say so in a note. */
void cli_diff_find_one_sided(struct cli_diff *d);

/* Is it a row of one of them? */
bool cli_diff_is_one_sided(const struct cli_diff *d, const struct whr_pair *p);

/* Say in a note which functions have another name in the new run. */
void cli_diff_note_called(struct cli_diff *d);

/* The limit that is broken by event e, or NULL. */
const struct cli_broken *cli_diff_broken(const struct cli_diff *d, bool is_main, uint32_t e);

/* Returns true if a limit is about event e without start-up. */
bool cli_diff_has_main(const struct cli_diff *d, uint32_t e);

/* "+1,234", and "+1.25%", "x12" or "new". Buffers are the caller's. */
const char *cli_diff_number(int64_t n, char out[41]);
const char *cli_diff_percent(uint64_t old, int64_t change, char out[16]);

/* "+1.25% +-0.40%", or "as before +-0.40%". half as of cli_diff_half(). */
#define CLI_DIFF_PART 48
const char *cli_diff_part(uint64_t old, int64_t change, double half, char out[CLI_DIFF_PART]);

/* The change of the event that rows are sorted by. */
int64_t cli_diff_all(const struct cli_diff *d);

/* Does an own line count enough of the change of event e to be named? */
bool cli_diff_is_named(const struct whr_pair *p, uint32_t e, int64_t all);

/* Does an own line count so much in the other direction that tables show it? */
bool cli_diff_is_contrary(const struct whr_pair *p, uint32_t e, int64_t all);

/* Where the file of an own line is below the checkout; NULL: elsewhere, or not there. Owned by the
 * caller. */
char *cli_diff_below(const struct cli_diff *d, const char *file);

/* Fill the own lines. Returns 0 or -SPMU_ENOMEM. */
int cli_diff_own(struct cli_diff *d);

/* Is one of them named by the change of the event that rows are sorted by? */
bool cli_diff_has_own(const struct cli_diff *d);

/* Say in a note what records with call paths would tell of the change, if these have none. */
void cli_diff_note_callers(struct cli_diff *d);

/* What the table of own lines is called, and how one of them is: "src/prog.c:12". Buffer is the
 * caller's. */
const char *cli_diff_own_title(const struct cli_diff *d);
const char *cli_diff_own_name(const struct cli_diff *d, const struct whr_row *row, char *out,
			      size_t room);

/* ---- layouts: the exit code, 0 or CLI_FAILED after a message -------------------------------- */

void cli_diff_human(const struct cli_diff *d, const struct rpt_screen *screen, FILE *out);
int cli_diff_json(const struct cli_diff *d, FILE *out);

/* Tables of Markdown as GitHub reads them, cut behind a line when they are longer than most_bytes;
 * 0: they are not. */
int cli_diff_markdown(const struct cli_diff *d, size_t most_bytes, FILE *out);

/* ---- parts of the layouts, also for softpmu bench, which fills in rec, function, functions, sort
 * and most of *d and leaves the rest all zero ---- */

/* Write the rows of pairs that changed, with the names of table t: at most d->most of them, but all
 * in JSON. */
void cli_diff_rows(const struct cli_diff *d, const struct whr_pairs *p, const struct whr_table *t,
		   const struct rpt_screen *screen, FILE *out);
void cli_diff_markdown_rows(const struct cli_diff *d, const struct whr_pairs *p,
			    const struct whr_table *t, FILE *out);
json_t *cli_diff_rows_json(const struct cli_diff *d, const struct whr_pairs *p);
/* Write a name as code in a cell of Markdown; write a sentence so that nothing in it is markup. */
void cli_markdown_name(const char *name, FILE *out);
void cli_markdown_text(const char *text, FILE *out);

/* For a job of GitHub's: Markdown at the end of the file that GITHUB_STEP_SUMMARY names, and
 * annotations of lines that broke a limit to `out`. */
int cli_diff_github(const struct cli_diff *d, FILE *out);

#endif
