/* top.h -- tables of where things were counted, as a terminal shows them. */
#ifndef SOFTPMU_CLI_TOP_H
#define SOFTPMU_CLI_TOP_H

#include <stdio.h>

#include "report/screen.h"
#include "where/calls.h"
#include "where/interval.h"

#define CLI_TOP_COLUMNS 4u /* events side by side */

struct cli_top {
	const struct rec *rec;
	const struct whr_table *table; /* sorted */
	uint32_t event[CLI_TOP_COLUMNS];
	unsigned n_event;
	size_t most; /* rows; 0 = all */
	/* Rows whose first event has a smaller share are one row; 0: none are. */
	double least_percent;
	/* Rows are of calls (report_calls.h): there is a column for calls, and rows overlap. */
	bool has_calls;
	bool has_own;			       /* ... and one for own counts of the first event */
	const struct whr_intervals *intervals; /* of estimated clocks, or NULL */
	struct rpt_screen screen;
};

/* A heading, and one line per row: of each event count and share, then the row's name and where
 * that lies. */
void cli_top_print(const struct cli_top *t, FILE *out);

/* Say which events were recorded and have no column. */
void cli_top_note_others(const struct cli_top *t, FILE *out);

/* Parts of the table: the names of the events above their columns; counts and shares of one row,
 * without a newline (returns the columns used); the width of those columns. */
void cli_top_head(const struct cli_top *t, FILE *out);
int cli_top_counts(const struct cli_top *t, const int64_t *count, FILE *out);
int cli_top_width(const struct cli_top *t);

/* n in groups of three digits. Buffer is the caller's. */
const char *cli_top_number(int64_t n, char out[40]);

#endif
