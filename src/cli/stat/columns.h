/* columns.h -- stat --cpu A,B,C: several processors, the same runs. */
#ifndef SOFTPMU_CLI_COLUMNS_H
#define SOFTPMU_CLI_COLUMNS_H

#include "cli/stat/runs.h"
#include "report/columns.h"

struct cli_columns {
	const struct cat_cpu *cpu[1 + SES_MORE_COLUMNS]; /* the first is the one that the program sees */
	size_t n;                                        /* 0: one processor, no columns */
};

/* --cpu A,B,C. Returns 1, or -1 after a message. */
int cli_columns_option(struct cli_columns *c, const char *list);

/* What is counted for each of c->cpu: what was asked for and the processor has, or a few events that all have; metrics by
 * name (NULL: those that the events give). What no processor has is refused. Returns 0 or an exit code after a
 * message; the caller frees column[0..c->n) in any case. */
int cli_columns_choose(const struct cli_columns *c, const struct cli_run *r, const char *metric_names,
                       struct cli_column *column);

/* Write reports[0..n), one per processor, by an exporter of report/columns.h. Returns 0 or -SPMU_ENOMEM. */
int cli_columns_report(const struct rpt_report *reports, size_t n, int (*export)(const struct rpt_columns *, FILE *),
                       FILE *out);

#endif
