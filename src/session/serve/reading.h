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

/* What blocks have counted by being executed, kept up to date between two readings that are not far apart, so that
 * the second one need not walk over all blocks. Start with all zero. */
struct ses_reading {
	uint64_t executed[WIRE_N];
	uint32_t n_left;           /* executions that will still be kept account of; 0: the next reading starts anew */
};

/* The model is about to be fed this part of the stream / has been told of so many executions of a block without
 * stream. */
void ses_reading_feed(struct ses_server *s, const uint8_t *bytes, size_t n);
void ses_reading_block(struct ses_server *s, uint32_t id, uint64_t times);

/* Feed the model what the guest has handed over and bring the totals onto the wires. Call it once per question, before
 * the functions below. The asking instruction must be one that the processor executes alone (a system call, RDPMC): in
 * time, whatever waits for a partner is done. Cost: what is left in the ring and about a microsecond; after a long
 * stretch without readings a walk over all blocks; in tier 1 a look at the counters of all blocks. */
void ses_read(struct ses_server *s);

/* The same without what lies in the ring: up to the last record that the model was fed. */
void ses_read_fed(struct ses_server *s);

/* The same, but with clocks what waits goes on waiting, and is not in the totals (mdl_peek): looking in the middle of the stream
 * changes nothing. */
void ses_peek(struct ses_server *s);

/* Count of e at that moment. Cost: a few additions. */
struct evt_count ses_read_event(const struct ses_server *s, const struct evt_event *e);

/* How much of that the RDPMC does not see that asks, alone in block `id`. */
uint64_t ses_read_unseen(const struct ses_server *s, const struct evt_event *e, uint32_t id);

#endif
