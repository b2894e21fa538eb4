/* tally.h -- what a guest process has counted up to now, from the model and the block counters. */
#ifndef SOFTPMU_SESSION_TALLY_H
#define SOFTPMU_SESSION_TALLY_H

#include "session/serve/serve.h"

/* Counts (tier 1) have no block records, only events. An execution that stopped early
 * (TRC_PARTIAL) is counted by the model; when its block counter was raised all the same, that is
 * noted here and taken back later. p[0..n): a chunk of the stream. */
void ses_tally_partials(struct ses_server *s, const uint8_t *p, size_t n);

/* Instructions retired so far. Cost: as ses_tally_settle(). */
uint64_t ses_tally_instructions(struct ses_server *s);

/* Move what the block counters hold into the model; the guest must stand still. Tier 2: nothing
 * to do. The counters lie in the program's memory: what cannot have been executed since the run
 * began is left out, and the run is refused (s->is_refused). What a program adds within that
 * bound cannot be noticed. Cost: a look at 16 bytes per block. */
void ses_tally_settle(struct ses_server *s);

/* Everything counted so far, as totals of this guest and of those that it was forked from. The
 * guest must stand still. */
void ses_tally_totals(struct ses_server *s, struct ses_totals *t);

#endif
