/* columns.h -- stat --cpu A,B,C: several processors, one run. */
#ifndef SOFTPMU_CLI_COLUMNS_H
#define SOFTPMU_CLI_COLUMNS_H

#include "cli/run_options.h"
#include "report/columns.h"

struct cli_columns {
	const struct cat_cpu *cpu[1 + SES_MORE_COLUMNS]; /* the first is the one that the program sees */
	size_t n;                                        /* 0: one processor, no columns */
};

/* --cpu A,B,C. Returns 1, or -1 after a message. */
int cli_columns_option(struct cli_columns *c, const char *list);

/* Run the program once and report: events from -e, or those that all have. Returns the exit code. */
int cli_columns_count(const struct cli_columns *c, const struct cli_run *r,
                      int (*export)(const struct rpt_columns *, FILE *));

#endif
