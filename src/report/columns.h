/* columns.h -- layouts of runs that were counted for several machines. */
#ifndef SOFTPMU_REPORT_COLUMNS_H
#define SOFTPMU_REPORT_COLUMNS_H

#include "report/report.h"

/* One event: its place in each machine's list, -1 where its processor does not have it. */
struct rpt_columns_row {
	char name[128];
	int at[1 + SES_MORE_COLUMNS];
};

/* All borrowed. */
struct rpt_columns {
	const struct rpt_report
	    *report; /* one per machine; the first is the one that the program saw */
	size_t n_report;
	const struct rpt_columns_row *row;
	size_t n_row;
};

/* In which order the events of the reports stand below each other: names that several have share a
 * row, between them the first processor's come first. *row receives n rows, the caller's. Returns 0
 * or -SPMU_ENOMEM. */
int rpt_columns_rows(const struct rpt_report *report, size_t n_report, struct rpt_columns_row **row,
		     size_t *n);

/* A table with one column per machine. Returns 0. The caller checks ferror(). */
int rpt_columns_human(const struct rpt_columns *r, FILE *out);

/* As rpt_columns(), as one JSON object. Returns 0 or -SPMU_ENOMEM. */
int rpt_columns_json(const struct rpt_columns *r, FILE *out);

/* Each machine's lines, which begin with its name. Return 0. */
int rpt_columns_csv(const struct rpt_columns *r, FILE *out);
int rpt_columns_perf_json(const struct rpt_columns *r, FILE *out);

#endif
