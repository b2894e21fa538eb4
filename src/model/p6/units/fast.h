/* fast.h -- what units of the fast shape do to each other without a call.
 *
 * Used by dcu.c, walk.c, ifu.c and l2.c, per miss of theirs, and by time_access.c. All else is in the file of the unit asked.
 *
 * COUNTING RULES   as in l2.c and dcu.c.
 */
#ifndef SOFTPMU_MODEL_P6_FAST_H
#define SOFTPMU_MODEL_P6_FAST_H

#include "model/p6/units/memory.h"

/* The set of L2 of a line; at: colour of its page and number of the line in it. */
static inline __attribute__((always_inline)) struct cache_set_of_four *p6_l2_set_at(const struct p6 *m, uint32_t at)
{
	return (struct cache_set_of_four *)(void *)m->l2.sets + (at & (m->l2.n_sets - 1));
}

static inline __attribute__((always_inline)) struct cache_set_of_four *p6_l2_set_of(const struct p6 *m, struct cache_line l)
{
	return p6_l2_set_at(m, l.colour << (PAGE_LOG2 - P6_FAST_LINE_LOG2) | l.in_page);
}

/* Address of the first of L2's sets for a page, with p6.is_served. */
static inline __attribute__((always_inline)) uint64_t p6_l2_sets_of(const struct p6 *m, struct p6_frame page)
{
	return (uintptr_t)m->l2.sets + (page.colour << (PAGE_LOG2 - P6_FAST_LINE_LOG2) & (m->l2.n_sets - 1)) *
					   sizeof(struct cache_set_of_four);
}

/* Page vpn was put into a way of the DTLB; in the fast shape. */
static inline __attribute__((always_inline)) void p6_dtlb_put(struct p6 *m, uint32_t set, unsigned way, uint64_t vpn,
							      struct p6_frame page)
{
	m->fast.page_tag[set][way] = p6_page_tag(vpn);
	m->fast.page_at[set][way] = p6_l2_sets_of(m, page);
}

/* Page vpn is the one of set `set` of the DTLB that was used last; in the fast shape. */
static inline __attribute__((always_inline)) void p6_dtlb_note(struct p6 *m, uint32_t set, uint64_t vpn, struct p6_frame page)
{
	m->fast.dtlb[set] = vpn;
	m->dtlb.last[set] = page;
	m->data_at[set] = p6_l2_sets_of(m, page);
}

/* A request that takes no ownership, for a line that L2 has: counted, its use noted. at: colour of the page and
 * number of the line in it. Returns an enum p6_l2_found, or -1 when L2 does not have the line; nothing is done
 * then. Only with p6.is_served. */
static inline __attribute__((always_inline)) int p6_l2_serve_at(struct p6 *m, uint32_t at, uint32_t page,
								enum p6_served what)
{
	enum { LANE_BYTES = 4 * P6_FAST_WAYS, STRIDE_BYTES = LANE_BYTES + sizeof(struct cache_meta) };
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
	return p6_l2_serve_at(m, l.colour << (PAGE_LOG2 - P6_FAST_LINE_LOG2) | l.in_page, l.page, what);
}

/* Does L1D, of the fast shape (p6.is_fast_shape), hold l in state M? Changes nothing. */
static inline __attribute__((always_inline)) bool p6_dcu_has_m(const struct p6 *m, struct cache_line l)
{
	const struct cache c =
	    cache_of_shape(&m->dcu.cache, P6_FAST_WAYS, P6_FAST_SET_LOG2, P6_FAST_LINE_LOG2);

	return cache_meta(&c, l.in_page)->m & cache_hit_of_four((const uint8_t *)cache_tags(&c, l.in_page), l.page);
}

/* Line l comes from memory into L2, which does not have it, in state E for a read, M for a store, counted: when what it puts out is not
 * modified in L1D, and no walk remembers a line of the set. Else false, and nothing is done. Only with p6.is_fast_miss. */
static inline __attribute__((always_inline)) bool p6_l2_take(struct p6 *m, struct cache_line l, enum p6_absent what)
{
	struct cache_set_of_four *const set = p6_l2_set_of(m, l);
	const unsigned way = repl_victim_four(set->meta.order), bit = 1u << way;
	/* a way of L2 is a page at least, so what goes is in the same set of L1D as l */
	const struct cache_line gone = {set->tag[way], 0, l.in_page};
	const bool was_m = set->meta.m & bit;

	if (__builtin_expect(set->meta.n_empty | set->meta.noted, 0) || __builtin_expect(p6_dcu_has_m(m, gone), 0))
		return false;
	set->tag[way] = l.page;
	set->meta.s &= (uint16_t)~bit;
	set->meta.m = (uint16_t)((set->meta.m & ~bit) | (what == P6_ABSENT_STORE ? bit : 0));
	set->meta.order = repl_touch_four(set->meta.order, bit);
	m->absent[what][was_m]++;
	return true;
}

/* A modified line of L1D on its way out, and L2's copy of it. */
struct p6_cast_out {
	struct cache_set_of_four *set;
	unsigned hit; /* as cache_hit_of_four() */
};

/* Where L2 has the line of page `page` that is number in_page there; hit is 0 when it does not. Only with p6.is_served. */
static inline __attribute__((always_inline)) struct p6_cast_out p6_l2_copy_of(const struct p6 *m, uint32_t page, uint32_t in_page)
{
	struct cache_set_of_four *const set =
	    p6_l2_set_at(m, (uint32_t)m->colour[page] << (PAGE_LOG2 - P6_FAST_LINE_LOG2) | in_page);

	return (struct p6_cast_out){set, cache_hit_of_four((const uint8_t *)set->tag, page)};
}

/* L2's copy becomes modified, its use noted. Nothing is counted. */
static inline __attribute__((always_inline)) void p6_l2_make_m(struct p6_cast_out x)
{
	x.set->meta.m |= (uint16_t)x.hit;
	x.set->meta.s &= (uint16_t)~x.hit;
	x.set->meta.order = repl_touch_four(x.set->meta.order, x.hit);
}

/* ---- walks ---------------------------------------------------------------------------------------
 */

/* An entry of the tree (walk.c). */
struct p6_walk_place {
	/* where L2, of the fast shape, had the line when it was walked last */
	struct cache_set_of_four *set;
	uint32_t page; /* its page */
	uint8_t in_page; /* number of the line in it */
	uint8_t way;
	uint8_t keep, points; /* what its use does to the replacement word: these bits stay, these are set */
};

/* Which lines a walk of page `vpn` reads: frames never change, so it is found once. */
struct p6_walk_note {
	/* vpn + 1 while L2 has both lines where they are noted, in state E: cache_meta.noted of their sets says so, and whoever takes one
	 * out calls p6_walk_lost(). Else 0; always so without p6.is_fast_miss. */
	uint64_t usual;
	uint64_t vpn_plus_1; /* 0 = empty */
	struct p6_frame page;
	uint64_t page_at; /* as p6.data_at for that page, with p6.is_served */
	struct p6_walk_place place[2]; /* PDE, PTE */
};

#define P6_WALK_NOTES 1024u

/* Is it still there, in state E? */
static inline __attribute__((always_inline)) bool p6_walk_is_there(const struct p6_walk_place *p)
{
	const unsigned states = p->set->meta.m | p->set->meta.s;

	return p->set->tag[p->way] == p->page && !(states >> p->way & 1);
}

static inline __attribute__((always_inline)) void p6_walk_touch(const struct p6_walk_place *p)
{
	p->set->meta.order = (p->set->meta.order & p->keep) | p->points;
}

/* Both reads of a walk, when both lines are where they were; false else, and nothing is done. Not counted. */
static inline __attribute__((always_inline)) bool p6_walk_reads_noted(const struct p6_walk_note *n)
{
	if (!p6_walk_is_there(&n->place[0]) || !p6_walk_is_there(&n->place[1]))
		return false;
	p6_walk_touch(&n->place[0]);
	p6_walk_touch(&n->place[1]);
	return true;
}

/* A walk of page vpn for set `set` of t, counted: when it is noted as usual, and t has no empty way there. *page is the page used last
 * then. Else false, and nothing is done. */
static inline __attribute__((always_inline)) bool p6_walk_fast(struct p6 *m, struct p6_tlb *t, uint64_t vpn, uint32_t set,
							       enum p6_walked what, struct p6_frame *page)
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

/* A reference within a line that changes nothing but which page and line were used last: its use noted. Returns false else; nothing
 * else is changed then, and the reference is to be made in full. Only with p6.is_fast_shape. */
static inline __attribute__((always_inline)) bool p6_dcu_hit_fast(struct p6 *m, uint64_t lin, bool is_write)
{
	const struct cache c =
	    cache_of_shape(&m->dcu.cache, P6_FAST_WAYS, P6_FAST_SET_LOG2, P6_FAST_LINE_LOG2);
	const uint64_t vpn = lin >> PAGE_LOG2;
	const uint32_t page_set = (uint32_t)vpn & (P6_FAST_DTLB_SETS - 1);
	const uint32_t set = (uint32_t)(lin >> P6_FAST_LINE_LOG2) & (c.n_sets - 1);
	struct cache_meta *const meta = cache_meta(&c, set);
	uint64_t *const filter = &m->fast.dcu[P6_KINDS * set];
	unsigned hit;

	if (m->fast.dtlb[page_set] != vpn)
		return false;
	hit = cache_hit_of_four((const uint8_t *)cache_tags(&c, set), m->dtlb.last[page_set].id);
	if (!hit || (is_write && !(meta->m & hit)))
		return false;
	meta->order = repl_touch_four(meta->order, hit);
	filter[P6_FAST_READ] = vpn;
	filter[P6_FAST_WRITE] = vpn | (meta->m & hit ? 0 : P6_NO_KEY);
	return true;
}

#endif
