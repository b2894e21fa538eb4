/* part.h -- estimated clocks of parts of a run (mdl_p6_config.has_parts): regions, threads.
 *
 * The estimate of a whole run is linear in what its units counted and in exact counts
 * (model/parts/estimate.h). So a part of the run is a list of numbers that add up: a difference of
 * two moments, and sums of those. Coefficients are known at the end of the run; with them the
 * numbers of a part become its totals. Totals of parts that make up the run sum to that of the
 * run, to the rounding.
 */
#ifndef SOFTPMU_MODEL_PART_H
#define SOFTPMU_MODEL_PART_H

#include <stdbool.h>
#include <stdint.h>

/* Instructions of a part, worked out with clocks, that are enough for an interval nearly always: 30
 * units of 1024 (p6/team/sample.h) and what its ends may cost. */
#define MDL_PART_LEAST (40u * 1024)

/* Numbers of a part. A model that needs more than these estimates no parts. */
#define MDL_PART_ROOM 896u

struct mdl;

/* Returns true if m estimates clocks and tells them of parts; else part[] below is left alone. */
bool mdl_has_parts(const struct mdl *m);

/* Set part[MDL_PART_ROOM] to what is known of the run until now, and bring totals that need no
 * clock onto the wires; those of estimates stay as they were. Numbers are modulo 2^64. Returns 0
 * or -SPMU_ENOMEM. Cost: it waits until the model's threads are done. */
int mdl_part_now(struct mdl *m, uint64_t *part);

/* In place of total[WIRE_N] and half[WIRE_N] (struct wires) of estimates set those of the part, by
 * the coefficients of the run so far. Others are left alone. A part of which fewer than 30 units
 * were worked out has intervals that nobody knows, unless all of it was. Returns 0 or
 * -SPMU_ENOMEM. */
int mdl_part_totals(struct mdl *m, const uint64_t *part, uint64_t *total, uint64_t *half);

/* m is the copy of a model in a new process: units begin anew in it. Returns 0 or -SPMU_ENOMEM. */
int mdl_part_begin(struct mdl *m);

#endif
