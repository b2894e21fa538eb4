/* cheaper.h -- what a long run with clocks could have been spared. */
#ifndef SOFTPMU_CLI_CHEAPER_H
#define SOFTPMU_CLI_CHEAPER_H

#include "cli/stat/runs.h"

/* What --clocks sampled would have taken, or which events of the column needed clocks, where that
 * took long: returns `text`, or NULL when there is nothing to say. */
const char *cli_cheaper(const struct cli_column *c, const struct ses_config *cfg,
			const struct ses_result *run, char *text, size_t room);

#endif
