/* columns.h -- layouts of a run that was counted for several processors. */
#ifndef SOFTPMU_REPORT_COLUMNS_H
#define SOFTPMU_REPORT_COLUMNS_H

#include <stdbool.h>
#include <stdio.h>

#include "session/events.h"

/* One event: its place in each processor's list, -1 where the processor does not have it. */
struct rpt_columns_row {
	char name[128];
	int at[1 + SES_MORE_COLUMNS];
};

/* All borrowed. */
struct rpt_columns {
	const struct cat_cpu *const *cpu; /* the first is the one that the program saw */
	size_t n_cpu;
	char *const *argv;
	const struct rpt_columns_row *row;
	size_t n_row;
	const struct ses_result *run;
	const char *trouble;              /* why the run ended early, or NULL */
	bool is_quiet;
};

/* A table with one column per processor. Returns 0. The caller checks ferror(). */
int rpt_columns_human(const struct rpt_columns *r, FILE *out);

/* The same as one object. Returns 0 or -SPMU_ENOMEM. */
int rpt_columns_json(const struct rpt_columns *r, FILE *out);

#endif
