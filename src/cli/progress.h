/* progress.h -- the line that shows that a long run lives: once a second, gone before the result. */
#ifndef SOFTPMU_CLI_PROGRESS_H
#define SOFTPMU_CLI_PROGRESS_H

#include <stdbool.h>

#include "session/serve/progress.h"

struct cli_progress {
	struct ses_progress_config cfg;
	bool is_wanted;   /* --progress */
	bool is_terminal; /* standard error is one: the line renews itself */
	bool is_shown;
	unsigned long long before, before_ns;
};

/* What the session wants, or NULL: nobody asked, and standard error is no terminal, or the program writes there, or a table is
 * not what is printed (is_table: it is, to standard error). */
const struct ses_progress_config *cli_progress_config(struct cli_progress *p, bool is_table);

/* The line goes. */
void cli_progress_end(struct cli_progress *p);

#endif
