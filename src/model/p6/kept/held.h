/* held.h -- executions of blocks that wait until it is known where execution went on
 * (held.c). */
#ifndef SOFTPMU_MODEL_P6_HELD_H
#define SOFTPMU_MODEL_P6_HELD_H

#include "model/p6/p6.h"
#include "model/p6/clocks/time_block.h"

/* Instructions [from, to) of b were executed; they are done when it is known where execution
 * went on. Nothing is held. Returns as mdl_feed(). */
int p6_time_hold(struct p6 *m, const struct x86_block *b, const uint8_t *slots, unsigned from,
		 unsigned to);

/* What is held is a piece of a block, up to instruction `to`: it is done at once unless it ends
 * the block, because only that waits for where execution goes on. The groups of micro-ops go on
 * across pieces. Returns as mdl_feed(). */
int p6_time_piece(struct p6 *m, unsigned from, unsigned to);

/* The accesses of what is held are made now, if other machines tell what they find: what they
 * tell is gone with the records. Returns as mdl_feed(). */
int p6_time_access_now(struct p6 *m);

/* The transfer (enum x86_term) at the end of what is held went to `next`; is_known: the BTB had
 * it. */
void p6_time_resolve(struct p6 *m, unsigned term, uint64_t next, bool is_known, bool is_wrong);

/* Nothing tells any more where it went: do what is held. */
void p6_time_settle(struct p6 *m);

/* The first held_n instructions of block b, whose accesses are done, did not meet its state
 * before: its clocks are looked for, and kept when is_known: then p6_memo_find() was asked.
 * Returns 0 or -SPMU_ENOMEM. */
int p6_time_work_out(struct p6 *m, const struct x86_block *b, uint64_t next, bool is_taken,
		     enum p6_guess guess, bool is_known);

/* Do what is held: execution goes on at `next`. Nothing happens when nothing is held. Returns as
 * mdl_feed(). */
int p6_time_go(struct p6 *m, uint64_t next, enum p6_guess guess);

#endif
