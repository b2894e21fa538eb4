/* time_turn.h -- the loop over blocks that met their state before (time_turn.c). */
#ifndef SOFTPMU_MODEL_P6_TIME_TURN_H
#define SOFTPMU_MODEL_P6_TIME_TURN_H

#include "model/p6/p6.h"
#include "model/p6/clocks/time_block.h"
#include "model/p6/units/btb.h"

/* Do records from *at on, as long as each is a usual block. *at receives the first record that is
 * not done. The block that was held before may be done, too. Returns as mdl_feed(). */
int p6_time_turn(struct p6 *m, const uint8_t **at, const uint8_t *end);

/* ---- parts of the loop, for time_host_help.c --------------------------------------------------
 * b: the block. slots: those of its record. next: where execution went from b. The functions that
 * return int return as mdl_feed(). */

/* Predict the transfer at the end of b, count it and teach the BTB. *o receives what it counts.
 * Returns who was right: the BTB, the decoder or nobody. */
enum p6_guess p6_turn_resolve(struct p6 *m, struct p6_blk *b, uint64_t next, struct p6_outcomes *o);

/* The BTB has no entry for the transfer at the end of b, which is taken or not. Returns
 * P6_GUESS_WRONG, and does nothing, when the decoder's rule is wrong or the transfer is of a kind
 * that is not done here. Else makes the entry, and counts the BTB miss and the BACLEAR. Two things
 * are left to the caller: to count a taken conditional branch, and to push a call's return. */
enum p6_guess p6_turn_lost(struct p6 *m, struct p6_blk *b, bool is_taken);

/* Do what is left of b after its accesses and its transfer, which `guess` is about. is_known: the
 * state in front of b has a number in the memo. */
int p6_turn_rest(struct p6 *m, struct p6_blk *b, const uint8_t *slots, uint64_t next,
		 enum p6_guess guess, bool is_known);

/* As p6_turn_rest() when the state is known and host.outcome says what the accesses came to. */
int p6_turn_rest_again(struct p6 *m, struct p6_blk *b, const uint8_t *slots, uint64_t next,
		       enum p6_guess guess);

/* Do all of b: transfer, accesses and the rest. *o receives what the transfer counts. */
int p6_turn_block(struct p6 *m, struct p6_blk *b, const uint8_t *slots, uint64_t next,
		  struct p6_outcomes *o);

#endif
