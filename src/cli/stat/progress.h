/* progress.h -- the progress line of a long run: renewed once a second, erased before the
 * result. */
#ifndef SOFTPMU_CLI_PROGRESS_H
#define SOFTPMU_CLI_PROGRESS_H

#include <stdbool.h>

#include "session/serve/progress.h"

struct cli_progress {
	struct ses_progress_config cfg;
	bool is_wanted;	  /* --progress */
	bool is_terminal; /* standard error is one: the line renews itself */
	bool is_shown;
	unsigned long long before, before_ns;
};

/* The progress settings for the session, or NULL for no line. There is one with --progress; else
 * when is_table (a table goes to standard error), standard error is a terminal, and the program
 * does not write to that terminal. */
const struct ses_progress_config *cli_progress_config(struct cli_progress *p, bool is_table);

/* Erase the line. */
void cli_progress_end(struct cli_progress *p);

#endif
