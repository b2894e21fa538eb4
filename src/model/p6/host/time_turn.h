/* time_turn.h -- the loop over blocks that met their state before (time_turn.c). */
#ifndef SOFTPMU_MODEL_P6_TIME_TURN_H
#define SOFTPMU_MODEL_P6_TIME_TURN_H

#include "model/p6/p6.h"
#include "model/p6/clocks/time_block.h"
#include "model/p6/units/btb.h"

/* Records from *at on, as long as each is a usual block: *at receives the first that is not
 * done. What is held may be done, too. Returns as mdl_feed(). */
int p6_time_turn(struct p6 *m, const uint8_t **at, const uint8_t *end);

/* Parts of it, for time_host_help.c. Block b, whose record's slots are at `slots`, is left for
 * `next`: its transfer resolved (*o receives what that was worth); what follows its accesses and
 * that, is_known: the state in front of it is; or all of it. */
enum p6_guess p6_turn_resolve(struct p6 *m, struct p6_blk *b, uint64_t next, struct p6_outcomes *o);
/* The transfer at the end of b, is_taken, is not in the BTB: what the decoder makes of it.
 * P6_GUESS_WRONG: or it cannot be said here, and nothing is done; else it has an entry now and
 * is counted, but for taken conditional branches; a call's return is not pushed. */
enum p6_guess p6_turn_lost(struct p6 *m, struct p6_blk *b, bool is_taken);
int p6_turn_rest(struct p6 *m, struct p6_blk *b, const uint8_t *slots, uint64_t next,
		 enum p6_guess guess, bool is_known);
/* The same when the state is known and host.outcome says what the accesses came to. */
int p6_turn_rest_again(struct p6 *m, struct p6_blk *b, const uint8_t *slots, uint64_t next,
		       enum p6_guess guess);
int p6_turn_block(struct p6 *m, struct p6_blk *b, const uint8_t *slots, uint64_t next,
		  struct p6_outcomes *o);

#endif
