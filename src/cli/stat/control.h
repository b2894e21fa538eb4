/* control.h -- --control, --delay and --region: when a run counts. */
#ifndef SOFTPMU_CLI_CONTROL_H
#define SOFTPMU_CLI_CONTROL_H

#include <stdbool.h>

#include "cli/stat/function.h"
#include "session/serve/gate.h"
#include "session/session.h"

struct cli_control {
	struct ses_gate_config gate;
	const struct cli_function *function; /* that a region may be, or NULL; borrowed */
	bool is_wanted, is_own; /* the descriptors are to be closed by cli_control_close() */
};

/* fd:N[,M] or fifo:PATH[,PATH]; N milliseconds or -1. Return 1, or -1 after a message. */
int cli_control_option(struct cli_control *c, const char *value);
int cli_control_delay(struct cli_control *c, const char *value);
int cli_control_region(struct cli_control *c, const char *value); /* a name; borrowed */

/* Returns 0, or CLI_FAILED after a message about two options that exclude each other. */
int cli_control_check(const struct cli_control *c);

/* After the run: keep its region alone in the list of regions, and say on standard error when it
 * was never met, and which ones were; or that a mark has the name of a function. Returns 0, or
 * CLI_FAILED when it was never met and so nothing was counted. */
int cli_control_regions(const struct cli_control *c, struct ses_result *run);

/* Returns the session's form of the options; NULL if none was given. */
const struct ses_gate_config *cli_control_gate(const struct cli_control *c);

void cli_control_close(struct cli_control *c);

#endif
