/* nameless.h -- why counts have no name, and what to install. */
#ifndef SOFTPMU_CLI_NAMELESS_H
#define SOFTPMU_CLI_NAMELESS_H

#include "where/where.h"

/* Say on standard error which files have a hundredth or more of the event in functions without a
 * name, two of them at most. t: summed by function, line or address; others say nothing. */
void cli_say_nameless(const struct whr_table *t, uint32_t event, struct nm *names);

/* Say on standard error which file has a hundredth or more of the event in functions without lines,
 * and is none of the system's; one at most. t: summed by line; others say nothing. */
void cli_say_lineless(const struct whr_table *t, uint32_t event);

#endif
