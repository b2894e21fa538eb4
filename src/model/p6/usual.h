/* usual.h -- what units of the usual shape do to each other without a call.
 *
 * Used by dcu.c, walk.c, ifu.c and l2.c, per miss of theirs, and by time_access.c. All else is in the file of the unit asked.
 *
 * COUNTING RULES   as in l2.c and dcu.c.
 */
#ifndef SOFTPMU_MODEL_P6_USUAL_H
#define SOFTPMU_MODEL_P6_USUAL_H

#include "model/p6/p6.h"

/* A request that takes no ownership, for a line that L2 has: counted, its use noted. at: colour of the page and
 * number of the line in it. Returns an enum p6_l2_found, or -1 when L2 does not have the line; nothing is done
 * then. Only with p6.is_served. */
static inline __attribute__((always_inline)) int p6_l2_serve_at(struct p6 *m, uint32_t at, uint32_t page,
								enum p6_served what)
{
	enum { LANE_BYTES = 4 * P6_USUAL_WAYS, STRIDE_BYTES = LANE_BYTES + sizeof(struct cache_meta) };
	uint8_t *const set = m->l2.sets + (size_t)(at & (m->l2.n_sets - 1)) * STRIDE_BYTES;
	struct cache_meta *const meta = (struct cache_meta *)(void *)(set + LANE_BYTES);
	const unsigned hit = cache_hit_of_four(set, page);
	int found;

	_Static_assert(STRIDE_BYTES == 32, "as cache_open() lays out four ways");
	if (__builtin_expect(!hit, 0))
		return -1;
	found = P6_L2_E + !!(meta->s & hit) - !!(meta->m & hit);
	meta->order = repl_touch_four(meta->order, hit);
	m->served[what][found]++;
	return found;
}

/* The same for line l. */
static inline __attribute__((always_inline)) int p6_l2_serve(struct p6 *m, struct cache_line l, enum p6_served what)
{
	return p6_l2_serve_at(m, l.colour << (PAGE_LOG2 - P6_USUAL_LINE_LOG2) | l.in_page, l.page, what);
}

/* Does L1D, of the usual shape (p6.is_usual_shape), hold l in state M? Changes nothing. */
static inline __attribute__((always_inline)) bool p6_dcu_has_m(const struct p6 *m, struct cache_line l)
{
	const struct cache c =
	    cache_of_shape(&m->dcu.cache, P6_USUAL_WAYS, P6_USUAL_SET_LOG2, P6_USUAL_LINE_LOG2);

	return cache_meta(&c, l.in_page)->m & cache_hit_of_four((const uint8_t *)cache_tags(&c, l.in_page), l.page);
}

/* A reference within a line that changes nothing but which page and line were used last: its use noted. Returns false else; nothing
 * else is changed then, and the reference is to be made in full. Only with p6.is_usual_shape. */
static inline __attribute__((always_inline)) bool p6_dcu_hit_usual(struct p6 *m, uint64_t lin, bool is_write)
{
	const struct cache c =
	    cache_of_shape(&m->dcu.cache, P6_USUAL_WAYS, P6_USUAL_SET_LOG2, P6_USUAL_LINE_LOG2);
	const uint64_t vpn = lin >> PAGE_LOG2;
	const uint32_t page_set = (uint32_t)vpn & (P6_USUAL_DTLB_SETS - 1);
	const uint32_t set = (uint32_t)(lin >> P6_USUAL_LINE_LOG2) & (c.n_sets - 1);
	struct cache_meta *const meta = cache_meta(&c, set);
	uint64_t *const filter = &m->quick.dcu[P6_KINDS * set];
	unsigned hit;

	if (m->quick.dtlb[page_set] != vpn)
		return false;
	hit = cache_hit_of_four((const uint8_t *)cache_tags(&c, set), m->dtlb.last[page_set].id);
	if (!hit || (is_write && !(meta->m & hit)))
		return false;
	meta->order = repl_touch_four(meta->order, hit);
	filter[P6_QUICK_READ] = vpn;
	filter[P6_QUICK_WRITE] = vpn | (meta->m & hit ? 0 : P6_NO_KEY);
	return true;
}

#endif
