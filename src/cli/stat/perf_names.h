/* perf_names.h -- perf inside a run was given an event's name that it does not know. */
#ifndef SOFTPMU_CLI_PERF_NAMES_H
#define SOFTPMU_CLI_PERF_NAMES_H

#include "catalog/catalog.h"

/* The program argv[] has ended with this wait status. If it is perf, which could not read its
 * events, and one of their names is of the catalog or nearly so, say in one sentence what perf
 * calls it. */
void cli_say_perf_names(const struct cat_cpu *cpu, char *const *argv, int wait_status);

#endif
