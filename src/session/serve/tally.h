/* tally.h -- the counts of a guest process up to now, from the model and the block counters. */
#ifndef SOFTPMU_SESSION_TALLY_H
#define SOFTPMU_SESSION_TALLY_H

#include "session/serve/serve.h"

/* Tier 1: note the partial executions (TRC_PARTIAL) in p[0..n), a chunk of the stream. The model
 * counts a partial execution by its record. If its block counter was raised as well,
 * ses_tally_settle() subtracts one: without that it would be counted twice. */
void ses_tally_partials(struct ses_server *s, const uint8_t *p, size_t n);

/* Returns the instructions retired so far. Cost: as ses_tally_settle(). */
uint64_t ses_tally_instructions(struct ses_server *s);

/* Move the block counters into the model. The guest must stand still. With a record stream it does
 * nothing. The counters lie in the program's memory: a count that is impossible since the run began
 * is left out, and the run is refused (s->is_refused). A program that adds less cannot be detected.
 * Cost: a look at 16 bytes per block. */
void ses_tally_settle(struct ses_server *s);

/* Set *t to all that was counted so far, by this guest and by the guests that it was forked from.
 * The guest must stand still. */
void ses_tally_totals(struct ses_server *s, struct ses_totals *t);

#endif
