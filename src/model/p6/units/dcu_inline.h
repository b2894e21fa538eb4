/* dcu_inline.h -- unit dcu: what is inlined of L1D in the fast shape, and its counts.
 *
 * COUNTING RULES   as in dcu.c.
 */
#ifndef SOFTPMU_MODEL_P6_DCU_INLINE_H
#define SOFTPMU_MODEL_P6_DCU_INLINE_H

#include "model/p6/units/line.h"

/* Does L1D hold line l in state M? Changes nothing. */
static inline __attribute__((always_inline)) bool p6_dcu_has_m(const struct p6 *m,
							       struct cache_line l)
{
	const struct cache c = p6_fast_l1(&m->dcu.cache);

	return cache_meta(&c, l.in_page)->m & p6_hit_of_four(&c, l.in_page, l.page);
}

/* The line of `lin` is the one of its set that was used last: the next reference to it need not
 * look the set up. set: its number. is_m: it is in state M, so a store need not either. Called
 * after each use of another line of the set, else the old line would hit without a note of its use;
 * with is_m for a line that is E or S, its first store would not make it M. */
static inline __attribute__((always_inline)) void p6_dcu_note_fast(struct p6 *m, uint32_t set,
								   uint64_t lin, bool is_m)
{
	uint64_t *const filter = &m->fast.dcu[P6_KINDS * set];

	filter[P6_FAST_READ] = lin >> PAGE_LOG2;
	filter[P6_FAST_WRITE] = lin >> PAGE_LOG2 | -(uint64_t)!is_m; /* P6_NO_KEY unless M */
}

/* An access to `lin` on `page` that L1D has, for a store in state M: its use is noted. Returns true
 * then. Else false, and nothing is done. *hit: the way that holds the line as a mask, 0 when
 * none. */
static inline __attribute__((always_inline)) bool
p6_dcu_hit_on(struct p6 *m, uint64_t lin, uint32_t page, bool is_write, unsigned *hit)
{
	const struct cache c = p6_fast_l1(&m->dcu.cache);
	const uint32_t set = (uint32_t)(lin >> P6_FAST_LINE_LOG2) & (c.n_sets - 1);
	struct cache_meta *const meta = cache_meta(&c, set);
	unsigned hit_m;

	*hit = p6_hit_of_four(&c, set, page);
	hit_m = *hit & meta->m;
	if (__builtin_expect(!(is_write ? hit_m : *hit), 0))
		return false;
	meta->order = repl_touch_four(meta->order, *hit);
	p6_dcu_note_fast(m, set, lin, hit_m);
	return true;
}

/* As p6_dcu_hits() when the page is the one of its DTLB set that was used last; else false. */
static inline __attribute__((always_inline)) bool p6_dcu_hit_fast(struct p6 *m, uint64_t lin,
								  bool is_write)
{
	const uint64_t vpn = lin >> PAGE_LOG2;
	const uint32_t page_set = (uint32_t)vpn & (P6_FAST_DTLB_SETS - 1);
	unsigned hit;

	return m->fast.dtlb[page_set] == vpn &&
	       p6_dcu_hit_on(m, lin, m->dtlb.last[page_set].id, is_write, &hit);
}

/* ---- counts ---------------------------------------------------------------------------------- */

/* Count n modified lines that leave L1D, or are written to L2, in counts: p6.dyn or a
 * total[WIRE_N]. */
static inline void p6_dcu_count_out(uint64_t *counts, uint64_t n)
{
	counts[WIRE_P6_DCU_M_LINE_OUT] += n;
}

#endif
