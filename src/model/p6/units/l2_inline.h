/* l2_inline.h -- unit l2: requests that are done in the place that asks.
 *
 * COUNTING RULES   as in l2.c.
 */
#ifndef SOFTPMU_MODEL_P6_L2_INLINE_H
#define SOFTPMU_MODEL_P6_L2_INLINE_H

#include "model/p6/units/dcu_inline.h"

/* ---- in the fast shape: four ways, 32-byte lines (p6.is_served, p6.is_fast_miss) ------------- */

/* The set of L2 of a line; at: colour of its page and number of the line in it. */
static inline __attribute__((always_inline)) struct cache_set_of_four *
p6_l2_set_at(const struct p6 *m, uint32_t at)
{
	return (struct cache_set_of_four *)(void *)m->l2.cache.sets +
	       (at & (m->l2.cache.n_sets - 1));
}

static inline __attribute__((always_inline)) struct cache_set_of_four *
p6_l2_set_of(const struct p6 *m, struct cache_line l)
{
	return p6_l2_set_at(m, l.colour << (PAGE_LOG2 - P6_FAST_LINE_LOG2) | l.in_page);
}

/* Address of the first of L2's sets for a page, with p6.is_served. */
static inline __attribute__((always_inline)) uint64_t p6_l2_sets_of(const struct p6 *m,
								    struct p6_frame page)
{
	return (uintptr_t)m->l2.cache.sets +
	       (page.colour << (PAGE_LOG2 - P6_FAST_LINE_LOG2) & (m->l2.cache.n_sets - 1)) *
		   sizeof(struct cache_set_of_four);
}

/* A request that takes no ownership, for a line that L2 has: it is counted in p6_l2.served, its use
 * noted. at: colour of the page and number of the line in it. Returns an enum p6_l2_found, or -1
 * when L2 does not have the line; nothing is done then. Only with p6.is_served. */
static inline __attribute__((always_inline)) int p6_l2_serve_at(struct p6 *m, uint32_t at,
								uint32_t page, enum p6_served what)
{
	enum {
		LANE_BYTES = 4 * P6_FAST_WAYS,
		STRIDE_BYTES = LANE_BYTES + sizeof(struct cache_meta)
	};
	uint8_t *const set =
	    m->l2.cache.sets + (size_t)(at & (m->l2.cache.n_sets - 1)) * STRIDE_BYTES;
	struct cache_meta *const meta = (struct cache_meta *)(void *)(set + LANE_BYTES);
	const unsigned hit = cache_hit_of_four(set, page);
	int found;

	_Static_assert(STRIDE_BYTES == 32, "as cache_open() lays out four ways");
	if (__builtin_expect(!hit, 0))
		return -1;
	found = P6_L2_E + !!(meta->s & hit) - !!(meta->m & hit);
	meta->order = repl_touch_four(meta->order, hit);
	m->l2.served[what][found]++;
	return found;
}

/* As p6_l2_serve_at(), for line l. */
static inline __attribute__((always_inline)) int p6_l2_serve(struct p6 *m, struct cache_line l,
							     enum p6_served what)
{
	return p6_l2_serve_at(m, l.colour << (PAGE_LOG2 - P6_FAST_LINE_LOG2) | l.in_page, l.page,
			      what);
}

/* Line l comes from memory into L2, which does not have it: in state E for a read, M for a store.
 * It is counted in p6_l2.absent. Returns false, with nothing done, when the line that it puts out
 * is modified in L1D, a way is empty, or a walk remembers a line of the set (p6_walk_lost()). Only
 * with p6.is_fast_miss. */
static inline __attribute__((always_inline)) bool p6_l2_take(struct p6 *m, struct cache_line l,
							     enum p6_absent what)
{
	struct cache_set_of_four *const set = p6_l2_set_of(m, l);
	const unsigned way = repl_victim_four(set->meta.order), bit = 1u << way;
	/* a way of L2 is a page at least, so what goes is in the same set of L1D as l */
	const struct cache_line gone = {set->tag[way], 0, l.in_page};
	const bool was_m = set->meta.m & bit;

	if (__builtin_expect(set->meta.n_empty | set->meta.noted, 0) ||
	    __builtin_expect(p6_dcu_has_m(m, gone), 0))
		return false;
	set->tag[way] = l.page;
	set->meta.s &= (uint16_t)~bit;
	set->meta.m = (uint16_t)((set->meta.m & ~bit) | (what == P6_ABSENT_STORE ? bit : 0));
	set->meta.order = repl_touch_four(set->meta.order, bit);
	m->l2.absent[what][was_m]++;
	return true;
}

/* A modified line of L1D on its way out, and L2's copy of it. */
struct p6_cast_out {
	struct cache_set_of_four *set;
	unsigned hit; /* as cache_hit_of_four() */
};

/* Where L2 has line number in_page of `page`; hit is 0 when it does not have it. Changes nothing.
 * Only with p6.is_served. */
static inline __attribute__((always_inline)) struct p6_cast_out
p6_l2_copy_of(const struct p6 *m, uint32_t page, uint32_t in_page)
{
	struct cache_set_of_four *const set = p6_l2_set_at(
	    m, (uint32_t)m->walker.colour[page] << (PAGE_LOG2 - P6_FAST_LINE_LOG2) | in_page);

	return (struct p6_cast_out){set, cache_hit_of_four((const uint8_t *)set->tag, page)};
}

/* L2's copy becomes modified, and its use is noted. x is what p6_l2_copy_of() returned, with a hit,
 * and L2 has replaced nothing since, else another line would become modified. Nothing is counted:
 * the caller adds to p6_dcu.n_cast_out or p6_l2.served. */
static inline __attribute__((always_inline)) void p6_l2_make_m(struct p6_cast_out x)
{
	x.set->meta.m |= (uint16_t)x.hit;
	x.set->meta.s &= (uint16_t)~x.hit;
	x.set->meta.order = repl_touch_four(x.set->meta.order, x.hit);
}

#endif
