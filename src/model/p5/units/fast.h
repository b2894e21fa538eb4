/* fast.h -- caches of the fast shape, for code that is written for it: 128 sets of two or four ways
 * under the tree rule, lines of 32 bytes, so that a way is a page and the tag of a line the
 * identity of its page; a board whose cache has ways of a page or more. Used by dcache.c and
 * icache.c.
 *
 * COUNTING RULES   as dcache.c, icache.c and bus.c.
 */
#ifndef SOFTPMU_MODEL_P5_FAST_H
#define SOFTPMU_MODEL_P5_FAST_H

#include "model/p5/p5.h"

#define P5_LINE_LOG2 5u
#define P5_SET_LOG2  (PAGE_LOG2 - P5_LINE_LOG2)
#define P5_SET_MASK  ((1u << P5_SET_LOG2) - 1)

/* The ways of a cache of this shape; 0: it has another one. */
static inline unsigned p5_fast_ways(const struct cache *c)
{
	const bool is_fast =
	    !c->repl.is_lru && c->line_log2 == P5_LINE_LOG2 && c->set_log2 == P5_SET_LOG2 &&
	    c->stride_bytes == sizeof(struct cache_set_of_four) && (c->ways == 2 || c->ways == 4);

	return is_fast ? c->ways : 0;
}

/* Has the board a cache, of this shape? */
static inline bool p5_fast_board(const struct p5 *m)
{
	const struct cache *l2 = &m->board->l2.shape;

	return m->board->l2.tag && l2->line_log2 == P5_LINE_LOG2 && l2->set_log2 >= P5_SET_LOG2;
}

/* The set of that number. Only of a cache of which p5_fast_ways() is not 0: in another one the sets
 * lie elsewhere. */
static inline struct cache_set_of_four *p5_fast_set(const struct cache *c, uint32_t set)
{
	return (struct cache_set_of_four *)(void *)c->sets + set;
}

/* One bit for the way that has the tag; 0: none. */
static inline unsigned p5_fast_hit(const struct cache_set_of_four *s, uint32_t tag,
				   const unsigned ways)
{
	if (ways == 4)
		return cache_hit_of_four((const uint8_t *)s, tag);
	return (s->tag[0] == tag ? 1u : 0u) | (s->tag[1] == tag ? 2u : 0u);
}

/* The replacement word behind a use of that way. The one of two ways is 2 when the other one goes
 * next. */
static inline uint64_t p5_fast_order(uint64_t order, unsigned hit, const unsigned ways)
{
	return ways == 4 ? repl_touch_four(order, hit) : (hit & 1) << 1;
}

/* The way that goes next. */
static inline unsigned p5_fast_victim(uint64_t order, const unsigned ways)
{
	return ways == 4 ? repl_victim_four(order) : (unsigned)order >> 1 & 1;
}

/* A line of this number in its page comes in: what the cycle sees (enum p5_bus_by). */
static inline unsigned p5_fast_fill(struct p5 *m, struct p5_frame page, uint32_t in_page)
{
	struct p5_board *b = m->board;
	uint32_t *has =
	    &b->l2.tag[(page.colour << P5_SET_LOG2 | in_page) & (b->l2.shape.n_sets - 1)];

	if (__builtin_expect(*has == page.id, 1))
		return P5_BUS_BY_L2;
	return p5_bus_see(m, P5_BUS_FILL, page, in_page << P5_LINE_LOG2);
}

#endif
