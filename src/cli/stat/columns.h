/* columns.h -- stat --cpu A,B,C and --l1d 8K,16K: each run is counted for several machines.
 *
 * Every processor of the list with every geometry of every list is a machine. */
#ifndef SOFTPMU_CLI_COLUMNS_H
#define SOFTPMU_CLI_COLUMNS_H

#include "cli/geometry.h"
#include "cli/stat/runs.h"
#include "report/columns.h"

#define CLI_MOST_MACHINES (1 + SES_MORE_COLUMNS)

struct cli_machine {
	const struct cat_cpu *cpu;
	struct ses_geometry geometry;
	char name[96]; /* what tells it from the others: "pentium2", "l1d=8K", "pentium2 l1d=8K" */
};

struct cli_columns {
	const struct cat_cpu
	    *cpu[CLI_MOST_MACHINES];   /* --cpu; the first is the one that the program sees */
	size_t n_cpu;		       /* 0: no list */
	const char *list[CLI_N_PARTS]; /* --l1i and its kin with a list, as typed, or NULL */
	struct cli_machine machine[CLI_MOST_MACHINES];
	size_t n; /* of these; 0: one machine, no columns */
};

/* --cpu A,B,C. Returns 1, or -1 after a message. */
int cli_columns_option(struct cli_columns *c, const char *list);

/* Option --l1i or one of its kin, `part` in the order of struct ses_geometry: a list is kept.
 * Returns 1, or 0 when it is none. */
int cli_columns_geometry(struct cli_columns *c, unsigned part, const char *value);

/* Options are read, and what r has of geometry, too: which machines there are. Returns 0 or an exit
 * code after a message. */
int cli_columns_machines(struct cli_columns *c, const struct cli_run *r);

/* What asks for several machines, for a message: "--cpu with several processors". */
const char *cli_columns_asked(const struct cli_columns *c);

/* Choose the events of each machine: those asked for that its processor has, or by default a few
 * that all have. metric_names: comma list, or NULL for the metrics that the events give. An event
 * that no processor has is refused. Returns 0, or an exit code after a message; the caller frees
 * column[0..c->n) in any case. */
int cli_columns_choose(const struct cli_columns *c, const struct cli_run *r,
		       const char *metric_names, struct cli_column *column);

/* Write reports[0..n), one per machine, by an exporter of report/columns.h. Returns 0 or
 * -SPMU_ENOMEM. */
int cli_columns_report(const struct rpt_report *reports, size_t n,
		       int (*export)(const struct rpt_columns *, FILE *), FILE *out);

#endif
