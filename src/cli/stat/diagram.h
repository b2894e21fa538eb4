/* diagram.h -- softpmu stat --diagram: the processor's block diagram with the counts of the run. */
#ifndef SOFTPMU_CLI_STAT_DIAGRAM_H
#define SOFTPMU_CLI_STAT_DIAGRAM_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/stat/runs.h"
#include "report/report.h"
#include "session/session.h"

struct cli_diagram {
	bool is_wanted;			 /* --diagram: in the table's place */
	const char *file;		 /* --diagram=FILE.svg, or NULL; borrowed */
	FILE *out[1 + SES_MORE_COLUMNS]; /* one per processor; owned */
	size_t n_out;
};

/* Take the option's value, NULL: it has none. Returns 1, or -1 after a message. */
int cli_diagram_option(struct cli_diagram *d, const char *value);

/* Check that the picture can be drawn for each of the n processors, and in the table's place
 * (is_table: the report is a table). Opens the files. Returns 0 or an exit code after a message. */
int cli_diagram_open(struct cli_diagram *d, const struct ses_config *cfg, bool is_table,
		     const char *against, const struct cli_column *column, size_t n);

/* Write the files of n reports. Returns 0 or an exit code after a message. */
int cli_diagram_write(struct cli_diagram *d, const struct rpt_report *reports, size_t n);

/* Close the files that are open; always allowed. */
void cli_diagram_close(struct cli_diagram *d);

/* Draw the parts of cpu with the names of its events: to standard output, or as SVG into file.
 * Returns 0 or an exit code after a message. */
int cli_diagram_explain(const struct cat_cpu *cpu, const char *file);

#endif
