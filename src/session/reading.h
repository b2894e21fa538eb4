/* reading.h -- what has been counted up to the instruction at which the guest stands.
 *
 * For whoever answers the program itself: RDPMC (bank.h), perf_event_open.
 *
 * COUNTING RULES   exact in every tier: the guest waits for its answer and has handed over its records, so that
 *                  all instructions before the asking one are counted and none behind it. What a forked process
 *                  has counted goes on from what its parent had; time (tier 3) is that of the instruction that
 *                  retired last.
 */
#ifndef SOFTPMU_SESSION_READING_H
#define SOFTPMU_SESSION_READING_H

#include "session/session.h"

struct ses_server;

/* Feed the model what the guest has handed over and bring the totals onto the wires. Call it once per question, before
 * the functions below. Cost: what is left in the ring, and a walk over all blocks. */
void ses_read(struct ses_server *s);

/* Count of e at that moment. Cost: a few additions. */
struct ses_count ses_read_event(const struct ses_server *s, const struct ses_event *e);

/* What one execution of block `id` always adds to the count of e: to be taken off when the block has been counted and the
 * question is what was before it. */
uint64_t ses_read_once(const struct ses_server *s, const struct ses_event *e, uint32_t id);

#endif
