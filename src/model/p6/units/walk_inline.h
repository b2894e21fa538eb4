/* walk_inline.h -- units dtlb and walk: look-ups and walks that are done in the place that asks.
 *
 * COUNTING RULES   as in walk.c.
 */
#ifndef SOFTPMU_MODEL_P6_WALK_INLINE_H
#define SOFTPMU_MODEL_P6_WALK_INLINE_H

#include "model/p6/units/l2_inline.h"

/* The page of `vpn` in t: as p6_translate_in_full() (walk.h), and quicker when vpn is the page of
 * its set that was used last. */
static inline struct p6_frame p6_translate(struct p6 *m, struct p6_tlb *t, uint64_t vpn)
{
	const uint32_t set = tlb_set_of(&t->tlb, vpn);

	if (t->filter[set] == vpn)
		return t->last[set];
	return p6_translate_in_full(m, t, vpn);
}

/* ---- the DTLB in the fast shape -------------------------------------------------------------- */

/* An empty way, and pages of the upper half of addresses. */
#define P6_NO_PAGE_TAG UINT32_MAX

static inline uint32_t p6_page_tag(uint64_t vpn)
{
	_Static_assert(P6_FAST_DTLB_SETS == 16 && PAGE_LOG2 == 12,
		       "bit 47 of an address is bit 35 of its page");
	return (uint32_t)(vpn >> 4) | (uint32_t) - (int32_t)(vpn >> 35 & 1);
}

/* Page vpn was put into a way of the DTLB; in the fast shape. Host code looks pages up in
 * fast.page_tag[] and fast.page_at[]: without this call it would find the page that was in the way
 * before. */
static inline __attribute__((always_inline)) void
p6_dtlb_put(struct p6 *m, uint32_t set, unsigned way, uint64_t vpn, struct p6_frame page)
{
	m->fast.page_tag[set][way] = p6_page_tag(vpn);
	m->fast.page_at[set][way] = p6_l2_sets_of(m, page);
}

/* Page vpn is the one of set `set` of the DTLB that was used last; in the fast shape. fast.dtlb[],
 * dtlb.last[] and walker.data_at[] change together: if fast.dtlb[] named a page and dtlb.last[] had
 * the frame of another one, data accesses would get the wrong frame. */
static inline __attribute__((always_inline)) void p6_dtlb_note(struct p6 *m, uint32_t set,
							       uint64_t vpn, struct p6_frame page)
{
	m->fast.dtlb[set] = vpn;
	m->dtlb.last[set] = page;
	m->walker.data_at[set] = p6_l2_sets_of(m, page);
}

/* ---- walks that are remembered --------------------------------------------------------------- */

/* Does L2 still have the line there, in state E? */
static inline __attribute__((always_inline)) bool p6_walk_is_there(const struct p6_walk_place *p)
{
	const unsigned states = p->set->meta.m | p->set->meta.s;

	return p->set->tag[p->way] == p->page && !(states >> p->way & 1);
}

/* Note the use of the line, which is there: else another line of its set would be kept longer. */
static inline __attribute__((always_inline)) void p6_walk_touch(const struct p6_walk_place *p)
{
	p->set->meta.order = (p->set->meta.order & p->keep) | p->points;
}

/* Do both reads of a walk, without counting them, when L2 has both lines where the note says. Else
 * returns false and does nothing. */
static inline __attribute__((always_inline)) bool p6_walk_reads_noted(const struct p6_walk_note *n)
{
	if (!p6_walk_is_there(&n->place[0]) || !p6_walk_is_there(&n->place[1]))
		return false;
	p6_walk_touch(&n->place[0]);
	p6_walk_touch(&n->place[1]);
	return true;
}

/* A walk of page vpn, which t does not have, for set `set` of t, when its note says that L2 has
 * both lines, and t has no empty way there: returns true; it is counted in p6_walker.n_served, and
 * *page is the page. The caller then names it in the filter of its set, by p6_dtlb_note() or in
 * p6.fast.itlb: until then the filter names another page, which would get the frame of this one.
 * Else returns false, and nothing is done. */
static inline __attribute__((always_inline)) bool p6_walk_fast(struct p6 *m, struct p6_tlb *t,
							       uint64_t vpn, uint32_t set,
							       enum p6_walked what,
							       struct p6_frame *page)
{
	const struct p6_walk_note *const n = &m->walker.note[vpn & (P6_WALK_NOTES - 1)];
	struct page *const e = t->tlb.entry + (size_t)set * P6_FAST_WAYS;
	int way;

	if (__builtin_expect(n->usual != vpn + 1 || e[3].key == PAGE_NONE, 0))
		return false;
	p6_walk_touch(&n->place[0]);
	p6_walk_touch(&n->place[1]);
	m->walker.n_served[what]++;
	*page = n->page;
	way = tlb_fill_four(e, &t->tlb.order[set], (struct page){vpn, n->page.id, n->page.colour});
	if (what == P6_WALKED_DATA)
		p6_dtlb_put(m, set, (unsigned)way, vpn, n->page);
	t->last[set] = n->page;
	return true;
}

#endif
