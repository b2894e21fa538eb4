/* limits.h -- how much may be executed before an event can have overflowed.
 *
 * COUNTING RULES   what an instruction, and so a block, counts at most is a limit of the model (mdl_most()), by clocks, data references,
 *                  operations, lines, or any one kind; which of them bounds an event is known when it is attached. Whoever takes no more off a room than
 *                  it has passes no overflow.
 */
#ifndef SOFTPMU_PERFEV_LIMITS_H
#define SOFTPMU_PERFEV_LIMITS_H

#include "perfev/local.h"

#define PEV_ANY	     (UINT64_MAX >> 1) /* of a number of struct shr_room: no event asks for it */
#define PEV_ANY_ROOM ((struct shr_room){ PEV_ANY, PEV_ANY, PEV_ANY, PEV_ANY, PEV_ANY, PEV_ANY, PEV_ANY })

/* What bounds w, where its events are the model's; else nothing does. Cost: some comparisons of names. */
struct mdl_bound pev_bound(const struct ses_server *s, const struct pev_what *w);

/* Does every instruction count exactly one of w? */
bool pev_is_each(const struct pev_local *l, const struct ses_server *s, const struct pev_what *w);

/* The link may count n before it overflows: *room shrinks to that, if it was larger. knows_hits: whoever takes off it tells hits from misses. */
void pev_limit(const struct pev_local *l, const struct ses_server *s, const struct pev_link *link, uint64_t n, bool knows_hits, struct shr_room *room);

/* The groups' turn, if they take turns, does not end within *room: that shrinks, if it was larger. */
void pev_limit_turn(const struct pev_local *l, const struct ses_server *s, struct shr_room *room);

/* Of `clk` clocks, what is left for instructions to come when those of the older ones are taken off; PEV_ANY stays. */
uint64_t pev_behind_backlog(const struct ses_server *s, uint64_t clk);

/* Takes an instruction that can count *m off. Returns false, with nothing changed, when there is no room for it. */
bool pev_take(struct shr_room *room, const struct mdl_most *m);

/* The same for all of a block, but for the number of its instructions and its pages. Cost: of a block that was not asked for before, a look at all instructions. */
bool pev_take_block(const struct ses_server *s, uint32_t block, struct shr_room *room);

/* Is there room for so many of the block that nobody need look closer? */
bool pev_is_far(const struct ses_server *s, uint32_t block, const struct shr_room *room);

/* As pev_take_block(), of the block's first `insns` instructions, whose values are at `slots`, if they hit in front of what comes next (mdl_hits()); false: or not. */
bool pev_take_hits(const struct ses_server *s, uint32_t block, uint32_t insns, const uint8_t *slots, struct shr_room *room);

/* What the block can count at most, where the guest finds it; core 0: the block is not known. Cost: as pev_take_block(). */
const struct shr_most *pev_most_of(const struct ses_server *s, uint32_t block);

#endif
