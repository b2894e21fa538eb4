/* report_calls.h -- softpmu report of calling contexts: --inclusive, --callers, --callees. */
#ifndef SOFTPMU_CLI_REPORT_CALLS_H
#define SOFTPMU_CLI_REPORT_CALLS_H

#include "cli/where/top.h"

enum cli_calls { CLI_CALLS_NONE, CLI_CALLS_INCLUSIVE, CLI_CALLS_CALLERS, CLI_CALLS_CALLEES };

/* Fill *table, whose rows borrow from c. Without `function`: a row per function, with its own
 * counts and with those of the functions it calls. With it: its callers or its callees. Returns 0,
 * or CLI_FAILED after a message; whr_free() may be called in any case. */
int cli_calls_table(struct whr_table *table, const struct whr_calls *c, enum cli_calls what,
		    const char *function);

/* Say on standard error what of the first event lies in contexts that are not known. */
void cli_calls_note(const struct whr_calls *c, const struct rec *r, uint32_t event);

#endif
