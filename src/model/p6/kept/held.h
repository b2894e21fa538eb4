/* held.h -- executions of blocks that wait until it is known where execution went on (held.c).
 *
 * One execution at most is held (time.held; NULL: none). Only the next record says where its last
 * branch went, so it is done one record late.
 *
 * ORDER   p6_time_hold(), then p6_time_resolve() when the next record is known, or p6_time_settle()
 *         when there will be none. Whoever reads totals or the tables of struct p6_time in between
 *         finds the held execution missing in them.
 */
#ifndef SOFTPMU_MODEL_P6_HELD_H
#define SOFTPMU_MODEL_P6_HELD_H

#include "model/p6/p6.h"
#include "model/p6/clocks/time_block.h"

/* Hold instructions [from, to) of b. Nothing may be held already. b must stay until they are done;
 * slots are copied. Returns 0. */
int p6_time_hold(struct p6 *m, const struct x86_block *b, const uint8_t *slots, unsigned from,
		 unsigned to);

/* What is held is instructions [from, to) of a block that is executed in pieces. It is done at
 * once, unless it ends the block: only that waits for where execution goes on. The micro-ops
 * collected last stay collected for the next piece (time.is_open). Returns 0 or a negative error,
 * as mdl_feed(). */
int p6_time_piece(struct p6 *m, unsigned from, unsigned to);

/* Make the accesses of what is held now, before its clocks, if another machine's log says what they
 * find (time.log.is_on): the log is gone with the records. Without a log, and without anything
 * held, nothing happens. Returns 0 or a negative error. */
int p6_time_access_now(struct p6 *m);

/* Do what is held: the transfer `term` (enum x86_term) at its end went to linear address `next`.
 * is_known: the BTB had it; is_wrong: it was predicted wrongly. Counts E2H and E6H. An error is
 * left in time.trouble. */
void p6_time_resolve(struct p6 *m, unsigned term, uint64_t next, bool is_known, bool is_wrong);

/* No record will say where execution went on: do what is held, and all collected micro-ops retire.
 * A conditional branch at its end counts as not taken. An error is left in time.trouble. */
void p6_time_settle(struct p6 *m);

/* Work out the clocks of instructions time.held_from to time.held_n - 1 of b, whose accesses are
 * done, because no step is kept for them. next, is_taken, guess: where execution went on, and how
 * the front end found out. is_known: p6_memo_find() was asked and said no: the step is kept.
 * Returns 0 or -SPMU_ENOMEM. */
int p6_time_work_out(struct p6 *m, const struct x86_block *b, uint64_t next, bool is_taken,
		     enum p6_guess guess, bool is_known);

/* Do what is held, accesses and clocks: execution goes on at `next`, and `guess` says how the front
 * end found out. Nothing happens when nothing is held. Nothing is held afterwards, after an error
 * either. Returns 0 or a negative error, as mdl_feed(). */
int p6_time_go(struct p6 *m, uint64_t next, enum p6_guess guess);

#endif
