/* walk.h -- units itlb, dtlb and walk: pages of linear addresses.
 *
 * A TLB (struct p6_tlb) is asked by p6_translate(). In the fast shape the DTLB and the ITLB have
 * four ways and dcu.c and ifu.c look them up themselves; they come here on a miss.
 *
 * COUNTING RULES   as in walk.c.
 */
#ifndef SOFTPMU_MODEL_P6_WALK_H
#define SOFTPMU_MODEL_P6_WALK_H

#include "model/p6/units/l2.h"

/* Make p6.walks, which p6_close() frees. Returns 0 or -SPMU_ENOMEM. */
int p6_walk_open(struct p6 *m);

/* A new address space, or other contents of L2: no page is known. The TLBs are the caller's to
 * empty. Without this call a walk would give a page the frame that it had before. */
void p6_walk_forget(struct p6 *m);

/* L2, in the fast shape, replaces the line in `way` of a set whose cache_meta.noted is not 0: notes
 * of walks that read it hold no more. Without this call a walk would find a line that is gone. */
void p6_walk_lost(struct p6 *m, struct cache_set_of_four *set, unsigned way);

/* The page of `vpn`, which t does not have: walk, count it, and put it in; a page that t has would
 * come to lie in two ways. The caller sets the filter of the set, which still names the page that
 * was used before. */
struct p6_frame p6_walk(struct p6 *m, struct p6_tlb *t, uint64_t vpn);

/* The same for the DTLB in the fast shape; afterwards the page is the one of its set that was used
 * last. */
struct p6_frame p6_walk_data_fast(struct p6 *m, uint64_t vpn);

/* The same for the ITLB. */
struct p6_frame p6_walk_code_fast(struct p6 *m, uint64_t vpn);

/* The page of `vpn`, whose use is noted in t; walks on a miss. Cannot fail. */
struct p6_frame p6_translate_in_full(struct p6 *m, struct p6_tlb *t, uint64_t vpn);

/* The same; quicker when it is the page of its set that was used last. */
static inline struct p6_frame p6_translate(struct p6 *m, struct p6_tlb *t, uint64_t vpn)
{
	const uint32_t set = tlb_set_of(&t->tlb, vpn);

	if (t->filter[set] == vpn)
		return t->last[set];
	return p6_translate_in_full(m, t, vpn);
}

/* The page of `key`, given its frame on first touch; cannot fail. Frames are given in the order of
 * first touches, so whoever asks for a page early changes the frames of the pages that follow. It
 * keeps p6.colour of all processors up to date, because the table of colours may move. */
struct page p6_page(struct p6 *m, uint64_t key);

/* Add the walks of p6.walked to total[WIRE_N]: called by p6_l2_add_served() alone. */
void p6_walk_add_served(const struct p6 *m, uint64_t *total);

/* ---- the DTLB in the fast shape -------------------------------------------------------------- */

/* An empty way, and pages of the upper half of addresses. */
#define P6_NO_PAGE_TAG UINT32_MAX

static inline uint32_t p6_page_tag(uint64_t vpn)
{
	_Static_assert(P6_FAST_DTLB_SETS == 16 && PAGE_LOG2 == 12,
		       "bit 47 of an address is bit 35 of its page");
	return (uint32_t)(vpn >> 4) | (uint32_t) - (int32_t)(vpn >> 35 & 1);
}

/* Page vpn was put into a way of the DTLB; in the fast shape. Host code looks at these two:
 * without the call it would find the page that was in the way before. */
static inline __attribute__((always_inline)) void
p6_dtlb_put(struct p6 *m, uint32_t set, unsigned way, uint64_t vpn, struct p6_frame page)
{
	m->fast.page_tag[set][way] = p6_page_tag(vpn);
	m->fast.page_at[set][way] = p6_l2_sets_of(m, page);
}

/* Page vpn is the one of set `set` of the DTLB that was used last; in the fast shape. The three
 * belong together: a filter that names a page whose frame is not in dtlb.last would give data
 * accesses the frame of another page. */
static inline __attribute__((always_inline)) void p6_dtlb_note(struct p6 *m, uint32_t set,
							       uint64_t vpn, struct p6_frame page)
{
	m->fast.dtlb[set] = vpn;
	m->dtlb.last[set] = page;
	m->data_at[set] = p6_l2_sets_of(m, page);
}

/* ---- walks that are remembered --------------------------------------------------------------- */

/* An entry of the tree (walk.c). */
struct p6_walk_place {
	/* where L2, of the fast shape, had the line when it was walked last */
	struct cache_set_of_four *set;
	uint32_t page;	 /* its page */
	uint8_t in_page; /* number of the line in it */
	uint8_t way;
	uint8_t keep,
	    points; /* what its use does to the replacement word: these bits stay, these are set */
};

/* Which lines a walk of page `vpn` reads: frames never change, so it is found once. */
struct p6_walk_note {
	/* vpn + 1 while L2 has both lines where they are noted, in state E. cache_meta.noted of
	 * their sets says so, and L2 calls p6_walk_lost() before it takes one out. Else 0; always
	 * so without p6.is_fast_miss. */
	uint64_t usual;
	uint64_t vpn_plus_1; /* 0 = empty */
	struct p6_frame page;
	uint64_t page_at;	       /* as p6.data_at for that page, with p6.is_served */
	struct p6_walk_place place[2]; /* PDE, PTE */
};

#define P6_WALK_NOTES 1024u

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

/* Both reads of a walk, when both lines are where they were. They are not counted. Returns false
 * else, and nothing is done. */
static inline __attribute__((always_inline)) bool p6_walk_reads_noted(const struct p6_walk_note *n)
{
	if (!p6_walk_is_there(&n->place[0]) || !p6_walk_is_there(&n->place[1]))
		return false;
	p6_walk_touch(&n->place[0]);
	p6_walk_touch(&n->place[1]);
	return true;
}

/* A walk of page vpn, which t does not have, for set `set` of t, when its note says that L2 has
 * both lines, and t has no empty way there: returns true; it is counted in p6.walked, and *page is
 * the page. The caller then names it in the filter of its set, by p6_dtlb_note() or in
 * p6.fast.itlb: until then the filter names another page, which would get the frame of this one.
 * Else returns false, and nothing is done. */
static inline __attribute__((always_inline)) bool p6_walk_fast(struct p6 *m, struct p6_tlb *t,
							       uint64_t vpn, uint32_t set,
							       enum p6_walked what,
							       struct p6_frame *page)
{
	const struct p6_walk_note *const n = &m->walks[vpn & (P6_WALK_NOTES - 1)];
	struct page *const e = t->tlb.entry + (size_t)set * P6_FAST_WAYS;
	int way;

	if (__builtin_expect(n->usual != vpn + 1 || e[3].key == PAGE_NONE, 0))
		return false;
	p6_walk_touch(&n->place[0]);
	p6_walk_touch(&n->place[1]);
	m->walked[what]++;
	*page = n->page;
	way = tlb_fill_four(e, &t->tlb.order[set], (struct page){vpn, n->page.id, n->page.colour});
	if (what == P6_WALKED_DATA)
		p6_dtlb_put(m, set, (unsigned)way, vpn, n->page);
	t->last[set] = n->page;
	return true;
}

#endif
