/* own.h -- a record's counts by lines of the program's own source: with what was inlined there from
 * the system's headers and, in a record with call paths, with what libraries counted for them.
 *
 * RULE            a line is the program's own when its file is none of the system's (/usr, /opt,
 *                 /lib, /rustc), and its object is the program, or none of the system's either.
 *                 With call paths a function of others counts for the nearest own line above it.
 * COUNTING RULES  rows do not sum to the totals: start-up, the machine, and without call paths what
 *                 was called, are in none.
 */
#ifndef SOFTPMU_WHERE_OWN_H
#define SOFTPMU_WHERE_OWN_H

#include "where/where.h"

/* Sum r by own lines: t->by is WHR_LINE. names: who knows them, for r alone; root: a directory
 * whose files are own ones wherever it lies, borrowed. Returns 0 or -SPMU_ENOMEM; whr_free() may be
 * called in any case. */
int whr_own_lines(struct whr_table *t, const struct rec *r, struct nm *names, const char *root);

#endif
