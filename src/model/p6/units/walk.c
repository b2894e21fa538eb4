/* walk.c -- units itlb, dtlb and walk: translation, and page walks as loads from L2.
 *
 * COUNTING RULES   a walk is two loads that the walker sends to L2 (29H): the page-directory entry,
 *                  then the page-table entry. They pass L1D by and are no data references (43H).
 * MODELLED         the entries lie in a synthetic two-level tree of 4-byte entries, 1024 to a table
 *                  page: PTE of page n at byte 4 * (n mod 1024) of table page n / 1024, its PDE one
 *                  level up in the same way. Table pages have frames like other pages.
 *                  A whole machine has its own tables: walk_tables.c.
 * NOT MODELLED     writes of accessed and dirty bits (an operating system sets both when it
 *                  installs a page), caching of directory entries, large pages, page faults.
 * SOURCES          Intel 242816-003: TLB misses are counted by 29H.
 */

#include "model/p6/units/l2.h"
#include "model/p6/units/l2_inline.h"
#include "model/p6/units/walk.h"
#include "model/p6/units/walk_inline.h"
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

int p6_walk_open(struct p6 *m)
{
	_Static_assert(sizeof(*m->walker.note) == 64, "none lies in two lines of the host's cache");
	m->walker.note = aligned_alloc(64, P6_WALK_NOTES * sizeof(*m->walker.note));
	if (!m->walker.note)
		return -SPMU_ENOMEM;
	p6_walk_forget(m);
	return 0;
}

void p6_walk_forget(struct p6 *m)
{
	memset(m->walker.note, 0, P6_WALK_NOTES * sizeof(*m->walker.note));
}

/* The page of `key` among all pages. */
static struct page find_page(struct p6 *m, uint64_t key)
{
	struct p6_system *s = m->system;
	const struct page page = pages_get(&s->pages, key);

	if (m->walker.colour != s->pages.colour)
		for (unsigned i = 0; i < s->n; i++)
			s->cpu[i]->walker.colour = s->pages.colour;
	return page;
}

struct page p6_page_of_frame(struct p6 *m, uint32_t frame)
{
	return find_page(m, frame);
}

struct page p6_page(struct p6 *m, uint64_t key)
{
	const struct tables *t = m->system->tables;

	return find_page(m, t ? tables_of(t, key).frame : key);
}

/* Count n walks; miss, walk: the wires of the TLB. counts: p6.dyn or a total[WIRE_N]. */
static inline void count_walks(uint64_t *counts, unsigned miss, unsigned walk, uint64_t n)
{
	counts[miss] += n;
	counts[walk] += n;
}

void p6_walk_add_served(const struct p6 *m, uint64_t *total)
{
	count_walks(total, WIRE_P6_DTLB_MISS, WIRE_P6_WALK_DTLB,
		    m->walker.n_served[P6_WALKED_DATA]);
	count_walks(total, WIRE_P6_ITLB_MISS, WIRE_P6_WALK_ITLB,
		    m->walker.n_served[P6_WALKED_CODE]);
}

/* ---- notes -----------------------------------------------------------------------------------
 *
 * Where the two entries of a page lie never changes, so it is found once per page and kept in one
 * of P6_WALK_NOTES notes, by low bits of the page (struct p6_walk_note). In the fast shape a note
 * also knows in which way of L2 each line was when it was walked last. While both are still there,
 * in state E, a walk is two updates of replacement words.
 *
 * To be sure of that without a look, p6.is_fast_miss keeps n->usual: it says so as long as L2 has
 * called p6_walk_lost() for no line of the note. L2 must call it before it takes out a line of a
 * set whose cache_meta.noted is not 0, else a walk would use a way that holds another line. The
 * number there names the group of notes that know a line of the set, so that few notes are searched
 * then.
 */

/* Where the entry of page vpn lies in the tables of this level: 2 the directory, 1 the page
 * table. */
static struct p6_walk_place entry_of(struct p6 *m, unsigned level, uint64_t vpn)
{
	const struct pages_entry e = pages_entry(level, vpn);
	const struct page table = p6_page(m, e.key);

	m->walker.tables |= 1ull << (table.id & 63);
	return (struct p6_walk_place){.page = table.id,
				      .in_page = (uint8_t)(e.offset >> m->line_log2)};
}

static struct cache_line line_of(const struct p6 *m, const struct p6_walk_place *p)
{
	return (struct cache_line){p->page, m->walker.colour[p->page], p->in_page};
}

/* L2 has the line of p in `way`. A use of a way sets some bits of a set's replacement word, clears
 * some, and leaves the others alone. p->points: the bits that it sets, found by a use in an empty
 * word. p->keep: the bits that it leaves alone, found by a use in a word with all three bits (14);
 * what is still set there and is not in p->points was left alone. */
static void note_way(struct p6_walk_place *p, unsigned way)
{
	const uint64_t points = repl_touch_four(0, 1u << way);

	p->way = (uint8_t)way;
	p->points = (uint8_t)points;
	p->keep = (uint8_t)(repl_touch_four(14, 1u << way) & ~points);
}

/* Make n the note of page vpn. */
static __attribute__((noinline)) void note_walk(struct p6 *m, struct p6_walk_note *n, uint64_t vpn)
{
	struct page page;

	n->usual = 0;
	n->vpn_plus_1 = vpn + 1;
	for (unsigned i = 0; i < 2 && m->walker.is_on; i++) {
		struct p6_walk_place *const p = &n->place[i];

		*p = entry_of(m, 2 - i, vpn);
		if (m->is_fast_l2) {
			p->set = p6_l2_set_of(m, line_of(m, p));
			note_way(p, 0);
		}
	}
	page = p6_page(m, vpn);
	n->page = (struct p6_frame){page.id, page.colour};
	if (m->is_served)
		n->page_at = p6_l2_sets_of(m, n->page);
}

/* The note of vpn, made when it is not there. Frames are given in the order in which a walk
 * asks. */
static inline struct p6_walk_note *walk_note(struct p6 *m, uint64_t vpn)
{
	struct p6_walk_note *n = &m->walker.note[vpn & (P6_WALK_NOTES - 1)];

	if (__builtin_expect(n->vpn_plus_1 != vpn + 1, 0))
		note_walk(m, n, vpn);
	return n;
}

/* The walker's load of an entry: a request to L2; in place when L2 has the line. */
static __attribute__((noinline)) void read_entry(struct p6 *m, const struct p6_walk_place *p)
{
	p6_l2_request(m, line_of(m, p), P6_REQ_WALK);
}

static inline void read_entry_fast(struct p6 *m, const struct p6_walk_place *p)
{
	if (__builtin_expect(p6_l2_serve(m, line_of(m, p), P6_SERVED_WALK) < 0, 0))
		read_entry(m, p);
}

void p6_tlb_fill(struct p6 *m, struct p6_tlb *t, struct page page)
{
	const uint32_t set = tlb_set_of(&t->tlb, page.key);
	const struct page *e = t->tlb.entry + (size_t)set * t->tlb.ways;

	tlb_fill(&t->tlb, page);
	for (unsigned way = 0; t == &m->dtlb && m->is_fast_shape && way < P6_FAST_WAYS; way++)
		if (e[way].key == page.key)
			p6_dtlb_put(m, set, way, page.key, (struct p6_frame){page.id, page.colour});
}

struct p6_frame p6_walk(struct p6 *m, struct p6_tlb *t, uint64_t vpn)
{
	const struct p6_walk_note *n;

	if (m->system->tables)
		return p6_walk_tables(m, t, vpn);
	n = walk_note(m, vpn);
	count_walks(m->dyn, t->miss_wire, t->walk_wire, 1);
	if (m->walker.is_on) {
		read_entry(m, &n->place[0]);
		read_entry(m, &n->place[1]);
	}
	p6_tlb_fill(m, t, (struct page){vpn, n->page.id, n->page.colour});
	if (t == &m->itlb)
		p6_log_write_page(&m->log, &m->itlb.tlb, vpn);
	return n->page;
}

/* The two reads of a walk, and where L2 has the lines then. */
static __attribute__((noinline)) void read_entries(struct p6 *m, struct p6_walk_note *n)
{
	for (unsigned i = 0; i < 2; i++) {
		struct p6_walk_place *const p = &n->place[i];

		read_entry_fast(m, p);
		for (unsigned way = 0; way < P6_FAST_WAYS; way++)
			if (p->set->tag[way] == p->page)
				note_way(p, way);
	}
}

/* Notes come in groups of so many: one line of a table has the entries of a group's pages. */
#define GROUP ((1u << P6_FAST_LINE_LOG2) / 4)
/* Values of cache_meta.noted of a set. 0: no note knows a line of the set. MANY: notes of several
 * groups may know one. Else: only notes of one group do, and this is the group's number plus 1. */
#define MANY UINT16_MAX

/* Both lines of n are where they are noted: so it stays until p6_walk_lost(). */
static void note_fast(struct p6 *m, struct p6_walk_note *n)
{
	const uint16_t group = (uint16_t)((size_t)(n - m->walker.note) / GROUP + 1);
	uint16_t *const pde = &n->place[0].set->meta.noted, *const pte =
								&n->place[1].set->meta.noted;

	if (!p6_walk_is_there(&n->place[0]) || !p6_walk_is_there(&n->place[1]))
		return;
	*pde = MANY;
	*pte = *pte == 0 || *pte == group ? group : MANY;
	n->usual = n->vpn_plus_1;
}

void p6_walk_lost(struct p6 *m, struct cache_set_of_four *set, unsigned way)
{
	const bool is_many = set->meta.noted == MANY;
	struct p6_walk_note *n = m->walker.note + (is_many ? 0 : (set->meta.noted - 1u) * GROUP);
	bool is_noted = false;

	if (!(m->walker.tables >> (set->tag[way] & 63) & 1))
		return;
	for (const struct p6_walk_note *end = n + (is_many ? P6_WALK_NOTES : GROUP); n < end; n++) {
		for (unsigned i = 0; i < 2; i++)
			if (n->place[i].set == set && n->place[i].way == way)
				n->usual = 0;
		is_noted |= n->usual && (n->place[0].set == set || n->place[1].set == set);
	}
	if (!is_noted)
		set->meta.noted = 0;
}

/* As p6_walk() for TLB t of the fast shape, whose filter is `filter`: filter[set] becomes vpn. */
static inline __attribute__((always_inline)) struct p6_frame
walk_fast(struct p6 *m, struct p6_tlb *t, uint64_t vpn, uint32_t set, uint64_t *filter,
	  const unsigned miss_wire, const unsigned walk_wire)
{
	struct p6_walk_note *n;
	struct p6_frame frame;
	int way;

	if (__builtin_expect(!m->is_served || !m->walker.is_on || m->system->tables, 0)) {
		frame = p6_walk(m, t, vpn);
	} else {
		n = walk_note(m, vpn);
		frame = n->page;
		count_walks(m->dyn, miss_wire, walk_wire, 1);
		if (__builtin_expect(p6_walk_reads_noted(n), 1))
			m->l2.served[P6_SERVED_WALK][P6_L2_E] += 2;
		else
			read_entries(m, n);
		if (m->is_fast_miss)
			note_fast(m, n);
		way = tlb_fill_four(t->tlb.entry + (size_t)set * P6_FAST_WAYS, &t->tlb.order[set],
				    (struct page){vpn, frame.id, frame.colour});
		if (__builtin_expect(way < 0, 0))
			p6_tlb_fill(m, t, (struct page){vpn, frame.id, frame.colour});
		else if (walk_wire == WIRE_P6_WALK_DTLB)
			p6_dtlb_put(m, set, (unsigned)way, vpn, frame);
	}
	filter[set] = vpn;
	t->last[set] = frame;
	return frame;
}

struct p6_frame p6_walk_data_fast(struct p6 *m, uint64_t vpn)
{
	const uint32_t set = (uint32_t)vpn & (P6_FAST_DTLB_SETS - 1);
	const struct p6_frame page =
	    walk_fast(m, &m->dtlb, vpn, set, m->fast.dtlb, WIRE_P6_DTLB_MISS, WIRE_P6_WALK_DTLB);

	p6_dtlb_note(m, set, vpn, page);
	return page;
}

struct p6_frame p6_walk_code_fast(struct p6 *m, uint64_t vpn)
{
	const uint32_t set = (uint32_t)vpn & (P6_FAST_ITLB_SETS - 1);
	struct p6_frame page;

	m->ifu.epoch++;
	if (p6_walk_fast(m, &m->itlb, vpn, set, P6_WALKED_CODE, &page))
		m->fast.itlb[set] = vpn;
	else
		page = walk_fast(m, &m->itlb, vpn, set, m->fast.itlb, WIRE_P6_ITLB_MISS,
				 WIRE_P6_WALK_ITLB);
	p6_log_write_page(&m->log, &m->itlb.tlb, vpn);
	return page;
}

struct p6_frame p6_translate_in_full(struct p6 *m, struct p6_tlb *t, uint64_t vpn)
{
	const uint32_t set = tlb_set_of(&t->tlb, vpn);
	const struct page *hit = tlb_find(&t->tlb, vpn);
	struct p6_frame page = hit ? (struct p6_frame){hit->id, hit->colour} : p6_walk(m, t, vpn);

	if (!m->is_plain) {
		t->filter[set] = vpn;
		t->last[set] = page;
		m->ifu.epoch += t == &m->itlb;
		if (t == &m->dtlb && m->is_fast_shape)
			p6_dtlb_note(m, set, vpn, page);
	}
	return page;
}
