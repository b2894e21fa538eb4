/* walk.c -- units itlb, dtlb and walk: translation, and page walks as loads from L2.
 *
 * COUNTING RULES   a walk is two loads that the walker sends to L2 (29H): the page-directory entry,
 *                  then the page-table entry. They pass L1D by and are no data references (43H).
 * MODELLED         the entries lie in a synthetic two-level tree of 4-byte entries, 1024 to a table
 *                  page: PTE of page n at byte 4 * (n mod 1024) of table page n / 1024, its PDE one
 *                  level up in the same way. Table pages have frames like other pages.
 * NOT MODELLED     writes of accessed and dirty bits (an operating system sets both when it
 *                  installs a page), caching of directory entries, large pages, page faults.
 * SOURCES          Intel 242816-003: TLB misses are counted by 29H.
 */
#include "model/p6/usual.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* An entry of the tree: its page, and the colour of that page with the number of the line in it below. */
struct table_entry {
	uint32_t page, at;
};

/* Which lines a walk of page `vpn` reads: frames never change, so it is found once; and in which ways of L2 they
 * were when it was walked last. */
struct p6_walk_note {
	uint64_t vpn_plus_1; /* 0 = empty */
	struct p6_frame page;
	struct table_entry entry[2]; /* PDE, PTE */
	uint8_t way[2];
};

#define P6_WALK_NOTES 1024u

int p6_walk_open(struct p6 *m)
{
	m->walks = calloc(P6_WALK_NOTES, sizeof(*m->walks));
	return m->walks ? 0 : -SPMU_ENOMEM;
}

void p6_walk_forget(struct p6 *m)
{
	memset(m->walks, 0, P6_WALK_NOTES * sizeof(*m->walks));
}

static unsigned page_lines_log2(const struct p6 *m)
{
	return PAGE_LOG2 - m->line_log2;
}

static struct table_entry entry_of(struct p6 *m, unsigned level, uint64_t vpn)
{
	const struct pages_entry e = pages_entry(level, vpn);
	const struct page table = p6_page(m, e.key);

	return (struct table_entry){table.id, table.colour << page_lines_log2(m) | e.offset >> m->line_log2};
}

static __attribute__((noinline)) void note_walk(struct p6 *m, struct p6_walk_note *n, uint64_t vpn)
{
	struct page page;

	n->vpn_plus_1 = vpn + 1;
	if (m->has_walks) {
		n->entry[0] = entry_of(m, 2, vpn);
		n->entry[1] = entry_of(m, 1, vpn);
	}
	page = p6_page(m, vpn);
	n->page = (struct p6_frame){page.id, page.colour};
}

/* The note of vpn, made when it is not there. Frames are given in the order in which a walk asks. */
static inline struct p6_walk_note *walk_note(struct p6 *m, uint64_t vpn)
{
	struct p6_walk_note *n = &m->walks[vpn & (P6_WALK_NOTES - 1)];

	if (__builtin_expect(n->vpn_plus_1 != vpn + 1, 0))
		note_walk(m, n, vpn);
	return n;
}

static __attribute__((noinline)) void read_entry(struct p6 *m, struct table_entry e)
{
	const uint32_t lines = 1u << page_lines_log2(m);

	p6_l2_request(m, (struct cache_line){e.page, e.at >> page_lines_log2(m), e.at & (lines - 1)}, P6_REQ_WALK);
}

static inline void read_entry_usual(struct p6 *m, struct table_entry e)
{
	if (__builtin_expect(p6_l2_serve_at(m, e.at, e.page, P6_SERVED_WALK) < 0, 0))
		read_entry(m, e);
}

struct p6_frame p6_walk(struct p6 *m, struct p6_tlb *t, uint64_t vpn)
{
	const struct p6_walk_note *n = walk_note(m, vpn);

	m->dyn[t->miss_wire]++;
	m->dyn[t->walk_wire]++;
	if (m->has_walks) {
		read_entry(m, n->entry[0]);
		read_entry(m, n->entry[1]);
	}
	tlb_fill(&t->tlb, (struct page){vpn, n->page.id, n->page.colour});
	return n->page;
}

/* The set of L2 that e is in. */
static inline struct cache_set_of_four *set_of(const struct p6 *m, struct table_entry e)
{
	return (struct cache_set_of_four *)(void *)m->l2.sets + (e.at & (m->l2.n_sets - 1));
}

/* The two reads of a walk, and where L2 has the lines then. */
static __attribute__((noinline)) void read_entries(struct p6 *m, struct p6_walk_note *n)
{
	for (unsigned i = 0; i < 2; i++) {
		const struct cache_set_of_four *set = set_of(m, n->entry[i]);

		read_entry_usual(m, n->entry[i]);
		for (unsigned way = 0; way < P6_USUAL_WAYS; way++)
			if (set->tag[way] == n->entry[i].page)
				n->way[i] = (uint8_t)way;
	}
}

/* Is e where it was, in state E? Both entries are asked before anything changes. */
static inline bool is_there(const struct cache_set_of_four *set, struct table_entry e, unsigned way)
{
	return set->tag[way] == e.page && !((set->meta.m | set->meta.s) >> way & 1);
}

/* As p6_walk() for TLB t of the usual shape, of which filter[set] is the page used last. */
static inline __attribute__((always_inline)) struct p6_frame walk_usual(struct p6 *m, struct p6_tlb *t, uint64_t vpn,
									uint32_t set, uint64_t *filter,
									const unsigned miss_wire,
									const unsigned walk_wire)
{
	struct p6_walk_note *n = walk_note(m, vpn);
	const struct page page = {vpn, n->page.id, n->page.colour};
	struct p6_frame frame = n->page;

	if (__builtin_expect(!m->is_served || !m->has_walks, 0)) {
		frame = p6_walk(m, t, vpn);
	} else {
		struct cache_set_of_four *const pde = set_of(m, n->entry[0]), *const pte = set_of(m, n->entry[1]);

		m->dyn[miss_wire]++;
		m->dyn[walk_wire]++;
		if (__builtin_expect(is_there(pde, n->entry[0], n->way[0]) && is_there(pte, n->entry[1], n->way[1]), 1)) {
			pde->meta.order = repl_touch_four(pde->meta.order, 1u << n->way[0]);
			pte->meta.order = repl_touch_four(pte->meta.order, 1u << n->way[1]);
			m->served[P6_SERVED_WALK][P6_L2_E] += 2;
		} else {
			read_entries(m, n);
		}
		if (__builtin_expect(!tlb_fill_four(t->tlb.entry + (size_t)set * P6_USUAL_WAYS, &t->tlb.order[set], page), 0))
			tlb_fill(&t->tlb, page);
	}
	filter[set] = vpn;
	t->last[set] = frame;
	return frame;
}

struct p6_frame p6_walk_data_usual(struct p6 *m, uint64_t vpn)
{
	return walk_usual(m, &m->dtlb, vpn, (uint32_t)vpn & (P6_USUAL_DTLB_SETS - 1), m->quick.dtlb,
			  WIRE_P6_DTLB_MISS, WIRE_P6_WALK_DTLB);
}

struct p6_frame p6_walk_code_usual(struct p6 *m, uint64_t vpn)
{
	m->code_epoch++;
	return walk_usual(m, &m->itlb, vpn, (uint32_t)vpn & (P6_USUAL_ITLB_SETS - 1), m->quick.itlb,
			  WIRE_P6_ITLB_MISS, WIRE_P6_WALK_ITLB);
}

struct p6_frame p6_translate_in_full(struct p6 *m, struct p6_tlb *t, uint64_t vpn)
{
	const uint32_t set = tlb_set_of(&t->tlb, vpn);
	const struct page *hit = tlb_find(&t->tlb, vpn);
	struct p6_frame page = hit ? (struct p6_frame){hit->id, hit->colour} : p6_walk(m, t, vpn);

	if (!m->is_plain) {
		t->filter[set] = vpn;
		t->last[set] = page;
		m->code_epoch += t == &m->itlb;
	}
	return page;
}
