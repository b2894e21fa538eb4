/* control.h -- stat --control and --delay: from words to descriptors. */
#ifndef SOFTPMU_CLI_CONTROL_H
#define SOFTPMU_CLI_CONTROL_H

#include <stdbool.h>

#include "session/serve/gate.h"

struct cli_control {
	struct ses_gate_config gate;
	bool is_wanted, is_own; /* the descriptors are to be closed by cli_control_close() */
};

/* fd:N[,M] or fifo:PATH[,PATH]; N milliseconds or -1. Return 1, or -1 after a message. */
int cli_control_option(struct cli_control *c, const char *value);
int cli_control_delay(struct cli_control *c, const char *value);

/* What the session wants, or NULL when neither was given. */
const struct ses_gate_config *cli_control_gate(const struct cli_control *c);

void cli_control_close(struct cli_control *c);

#endif
