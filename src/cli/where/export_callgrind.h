/* export_callgrind.h -- a record in the format of Valgrind's Callgrind: callgrind_annotate and
 * KCachegrind read it. */
#ifndef SOFTPMU_CLI_EXPORT_CALLGRIND_H
#define SOFTPMU_CLI_EXPORT_CALLGRIND_H

#include <stdio.h>

#include "where/calls.h"

/* Write t, rows by line, in any order, and the calls c, with lines. Own counts are those of t,
 * which stand at their lines; what calls counted is c's. Returns 0 or -SPMU_ENOMEM. Rows of t are
 * sorted. */
int cli_put_callgrind(const struct rec *r, struct whr_table *t, struct whr_calls *c, FILE *out);

#endif
