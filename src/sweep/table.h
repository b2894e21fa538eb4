/* table.h -- the results of a sweep as a table: a line for each job, a column for each tag and each
 * event. Its bytes depend on what was counted alone, not on the order in which it was read. */
#ifndef SOFTPMU_SWEEP_TABLE_H
#define SOFTPMU_SWEEP_TABLE_H

#include <stdio.h>

#include "sweep/results.h"

/* Write the rows in use. Returns 0 or -SPMU_ENOMEM; the caller looks at ferror(out). */
int swp_table_csv(const struct swp_results *r, FILE *out);
int swp_table_json(const struct swp_results *r, FILE *out);

#endif
