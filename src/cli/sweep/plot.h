/* plot.h -- the table of a sweep as a picture. */
#ifndef SOFTPMU_CLI_SWEEP_PLOT_H
#define SOFTPMU_CLI_SWEEP_PLOT_H

#include "plot/chart.h"
#include "sweep/results.h"

struct cli_sweep_plot {
	const char *file;   /* FILE.svg or FILE.gp; NULL: no picture is wanted */
	const char *events; /* EVENT, or for a front EVENT,EVENT; NULL: the first of the table */
	const char *over;   /* the tag whose values are side by side; NULL: that with the most */
	enum plt_kind kind;
	bool has_kind; /* else two events make a front, one makes lines */
};

/* Draw the rows in use. Returns 0 or an exit code after a message. */
int cli_sweep_plot(const struct cli_sweep_plot *p, const struct swp_results *r);

/* --as lines|heat|front. Returns 0 or an exit code after a message. */
int cli_sweep_plot_as(struct cli_sweep_plot *p, const char *value);

#endif
