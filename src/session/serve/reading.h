/* reading.h -- what has been counted up to the instruction at which the guest stands.
 *
 * These answer a program that reads its own counters: by RDPMC (bank.h) or perf_event_open
 * (perfev).
 *
 * COUNTING RULES   exact in every tier. The guest waits for its answer and has handed over its
 *                  records, so all instructions before the asking one are counted and none after
 *                  it. A forked process goes on from what its parent had counted. Clocks (tier
 *                  3) are those of the instruction that retired last.
 */
#ifndef SOFTPMU_SESSION_READING_H
#define SOFTPMU_SESSION_READING_H

#include "session/session.h"

struct ses_server;

/* The counts that follow from executions of blocks alone. They are kept up to date for a while
 * after a reading, so that the next reading need not walk over all blocks. All zero at the
 * beginning. */
struct ses_reading {
	uint64_t executed[WIRE_N];
	uint32_t n_left; /* executions that will be added to it; 0: the next reading walks anew */
};

/* Note what the model is about to be fed: a part of the stream, or, without stream, executions
 * of a block. */
void ses_reading_feed(struct ses_server *s, const uint8_t *bytes, size_t n);
void ses_reading_block(struct ses_server *s, uint32_t id, uint64_t times);

/* Feed the model all records that the guest has handed over, and put the totals on the wires. Call
 * it once per question, before ses_read_event(). The asking instruction must be one that the
 * processor executes alone (a system call, RDPMC), so that with clocks nothing before it still
 * waits for a partner. Cost: what is left in the ring, and about a microsecond; after a long
 * stretch without readings a walk over all blocks; in tier 1 a look at all counters. */
void ses_read(struct ses_server *s);

/* As ses_read(), without the records that still lie in the ring. */
void ses_read_fed(struct ses_server *s);

/* As ses_read_fed(), but instructions that a model with clocks has not finished stay unfinished,
 * and are not in the totals (mdl_peek()). Looking in the middle of the stream this way changes
 * nothing. */
void ses_peek(struct ses_server *s);

/* Returns the count of e as of the last reading. Cost: a few additions. */
struct evt_count ses_read_event(const struct ses_server *s, const struct evt_event *e);

/* Returns how much of that count the RDPMC that asks, alone in block `id`, does not see
 * (mdl_unseen()). */
uint64_t ses_read_unseen(const struct ses_server *s, const struct evt_event *e, uint32_t id);

#endif
