/* dcu_snoop.c -- unit dcu: what L2, code fetches and other processors do to lines of L1D.
 *
 * COUNTING RULES   a modified line that goes or is written to L2 on request is dcu.m_line_out; the
 *                  rest as in dcu.c.
 * MODELLED         L2 takes a modified line with it when it replaces its own; code is fetched from
 *                  a modified line after it was written to L2; another processor's request takes a
 *                  line or makes it shared.
 * NOT MODELLED     clocks of snoops.
 * SOURCES          Intel 242816-003 table 7-2; choices in docs/MODELS.md "dcu".
 */
#include "model/p6/units/dcu.h"
#include "model/p6/units/dcu_inline.h"
#include "model/p6/units/l2.h"
#include "model/p6/units/line.h"

/* The filter of `set` knows nothing any more. Without this the loop would hit a line that is gone,
 * or store to one that is not M any more. */
static void forget(struct p6 *m, uint32_t set)
{
	uint64_t *common = m->dcu.common;

	if (common) {
		common += P6_KINDS * (set & m->dcu.common_mask);
		common[P6_FAST_READ] = common[P6_FAST_WRITE] = P6_NO_KEY;
	}
	if (!m->dcu.has_filter)
		return;
	m->dcu.filter[P6_KINDS * set + P6_FAST_READ] = P6_NO_KEY;
	m->dcu.filter[P6_KINDS * set + P6_FAST_WRITE] = P6_NO_KEY;
}

/* The line in `way`, found in that state, goes on as `move` says. A modified one leaves for L2 or
 * the bus. */
static void turn(struct p6 *m, uint32_t set, unsigned way, enum p6_move move,
		 enum cache_state found)
{
	const enum cache_state next = p6_next(m, move, found);

	p6_dcu_count_out(m->dyn, found == CACHE_M);
	if (next == found)
		return;
	forget(m, set);
	cache_turn(&m->dcu.cache, set, way, next);
}

bool p6_dcu_back_invalidate(struct p6 *m, struct cache_line l)
{
	struct cache *c = &m->dcu.cache;
	uint32_t set = cache_set_of(c, l);
	int way = p6_find_way(m, c, set, cache_tag_of(c, l), false);
	enum cache_state found;

	if (way < 0)
		return false;
	found = cache_state_of(c, set, (unsigned)way);
	turn(m, set, (unsigned)way,
	     m->l2.is_textbook ? P6_MOVE_DCU_TEXTBOOK_VICTIM : P6_MOVE_DCU_L2_VICTIM, found);
	return found == CACHE_M;
}

void p6_dcu_code_snoop(struct p6 *m, struct cache_line l)
{
	struct cache *c = &m->dcu.cache;
	uint32_t set = cache_set_of(c, l);
	int way = p6_find_way(m, c, set, cache_tag_of(c, l), false);
	enum cache_state found;

	if (way < 0)
		return;
	found = cache_state_of(c, set, (unsigned)way);
	turn(m, set, (unsigned)way, P6_MOVE_DCU_CODE, found);
	if (found != CACHE_M)
		return;
	p6_l2_cast_out(m, l);
}

enum cache_state p6_dcu_snoop(struct p6 *m, struct cache_line l, bool takes)
{
	struct cache *c = &m->dcu.cache;
	uint32_t set = cache_set_of(c, l);
	int way = p6_find_way(m, c, set, cache_tag_of(c, l), false);
	enum cache_state found;

	if (way < 0)
		return CACHE_I;
	found = cache_state_of(c, set, (unsigned)way);
	turn(m, set, (unsigned)way, takes ? P6_MOVE_DCU_PEER_TAKE : P6_MOVE_DCU_PEER_READ, found);
	return found;
}
