/* limits.h -- how much may be executed before an event can have overflowed.
 *
 * An overflow must be found at the instruction that brings it, and looking at each instruction
 * is slow. So the caller keeps a room (struct shr_room): numbers of clocks, data references,
 * operations, lines, pages and instructions, each so small that no event overflows before one of
 * them is used up. Everything that is executed is taken off the room by the most that it can
 * count. As long as everything fitted, no event can have overflowed, and no look at the events is
 * needed.
 *
 * COUNTING RULES   the most that an instruction or a block can count is a bound that the model
 *                  gives (mdl_bounds()). Which number of the room bounds an event is found when it
 *                  is attached. A bound that is too small would lose overflows; one that is too
 *                  large costs time only.
 */
#ifndef SOFTPMU_PERFEV_LIMITS_H
#define SOFTPMU_PERFEV_LIMITS_H

#include "perfev/local.h"

#define PEV_ANY (UINT64_MAX >> 1) /* of a number of struct shr_room: no event asks for it */
#define PEV_ANY_ROOM                                                                               \
	((struct shr_room){PEV_ANY, PEV_ANY, PEV_ANY, PEV_ANY, PEV_ANY, PEV_ANY, PEV_ANY})

/* Returns which number of a room bounds w. For what no model counts it is an answer without
 * meaning. Cost: some comparisons of names. */
struct mdl_bound pev_bound(const struct ses_server *s, const struct pev_what *w);

/* Returns true if every instruction counts exactly one of w. */
bool pev_is_each(const struct pev_local *l, const struct ses_server *s, const struct pev_what *w);

/* The link may count n more before it overflows: make *room no larger than that. knows_hits: the
 * caller takes hits off by pev_take_hits(), so that the smaller bound of hits may be used. */
void pev_limit(const struct pev_local *l, const struct ses_server *s, const struct pev_link *link,
	       uint64_t n, bool knows_hits, struct shr_room *room);

/* Make *room no larger than the time until another group of events gets the counters, if groups
 * take turns. */
void pev_limit_turn(const struct pev_local *l, const struct ses_server *s, struct shr_room *room);

/* Returns `clk` clocks less those for which older instructions still keep the machine busy
 * (mdl_backlog()): so many are left for the next instructions. PEV_ANY stays PEV_ANY. */
uint64_t pev_behind_backlog(const struct ses_server *s, uint64_t clk);

/* Take an instruction that can count *m off the room. Returns false, and changes nothing, when
 * it does not fit. */
bool pev_take(struct shr_room *room, const struct mdl_bounds *m);

/* Take a whole block off the room, but for the number of its instructions and its pages. Returns
 * false, and changes nothing, when it does not fit or its bound is not known. Cost: a few
 * subtractions; the first time a look at all instructions of the block. */
bool pev_take_block(const struct ses_server *s, uint32_t block, struct shr_room *room);

/* Returns true if the block fits so many times that the caller need not find out whether it
 * hits. */
bool pev_is_far(const struct ses_server *s, uint32_t block, const struct shr_room *room);

/* Take the first `insns` instructions of the block, with the values at `slots`, off the room by
 * the bound of hits. Returns false, and changes nothing, when that does not fit, or when they
 * would not all hit if they were executed next (mdl_hits()). */
bool pev_take_hits(const struct ses_server *s, uint32_t block, uint32_t insns, const uint8_t *slots,
		   struct shr_room *room);

/* Returns the bound of the block, at the place where the guest reads it; `core` is 0 when the
 * block is not known. Cost: as pev_take_block(). */
const struct shr_most *pev_most_of(const struct ses_server *s, uint32_t block);

#endif
