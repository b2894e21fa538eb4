/* dtlb.c -- unit dtlb: translation of data addresses.
 *
 * COUNTING RULES   02H: one per look-up that finds nothing and starts a walk; the restart behind
 *                  the walk is no second look-up; an operand over two absent pages gives two.
 * MODELLED         4 KB pages. Pentium: 4 ways, tree pseudo-LRU. Pentium with MMX: every entry is
 *                  compared; the sources do not say which goes, exact LRU is chosen. Time: a walk
 *                  reads a directory entry, then a table entry, over the bus (the board's cache may
 *                  hold them); tables as parts/pages.h lays them out. 30H (counter 1): clocks of
 *                  walks.
 *                  A whole machine has its own tables: dtlb_tables.c.
 * NOT MODELLED     large pages, flushes by system calls and task switches, page faults; the reads
 *                  of page walks pass L1D by and change nothing in it.
 * SOURCES          Intel 241428 (1997) 2.5.
 */
#include "model/p5/units/memory.h"

#include <stdlib.h>

#include "base/error.h"

int p5_dtlb_open(struct p5_dtlb *t, uint32_t entries, unsigned ways, bool is_lru)
{
	uint32_t n_sets;
	int rc;

	t->is_full = ways > REPL_MAX_WAYS && ways == entries;
	rc = t->is_full ? fulltlb_open(&t->full, entries)
			: tlb_open(&t->sets, entries, ways, is_lru);
	if (rc)
		return rc;
	n_sets = t->is_full ? 1 : t->sets.n_sets;
	t->set_mask = n_sets - 1;
	t->filter = malloc(n_sets * sizeof(*t->filter));
	t->last = calloc(n_sets, sizeof(*t->last));
	if (!t->filter || !t->last)
		return -SPMU_ENOMEM;
	p5_dtlb_empty(t);
	return 0;
}

void p5_dtlb_empty(struct p5_dtlb *t)
{
	if (t->is_full)
		fulltlb_empty(&t->full);
	else
		tlb_empty(&t->sets);
	for (uint32_t i = 0; i <= t->set_mask; i++)
		t->filter[i] = P5_NO_KEY;
	for (uint32_t i = 0; i < P5_WALK_NOTES; i++)
		t->note[i].vpn = P5_NO_KEY;
}

void p5_dtlb_close(struct p5_dtlb *t)
{
	tlb_close(&t->sets);
	free(t->filter);
	free(t->last);
}

/* The two reads of a walk of page vpn, directory entry first. Returns who served them, as part of
 * enum p5_seen, and notes where the cache of the board has the two entries. */
static unsigned see_tables(struct p5 *m, uint64_t vpn, struct p5_walk_note *note)
{
	const struct cache *l2 = &m->board->l2.shape;
	unsigned seen = 0, bus;

	for (unsigned level = 2; m->has_walks && level; level--) {
		const struct pages_entry e = pages_entry(level, vpn);
		const struct page table = pages_get(m->pages, e.key);
		const struct p5_frame frame = {table.id, table.colour};
		const struct cache_line l = {table.id, table.colour, e.offset >> l2->line_log2};

		bus = p5_bus_see(m, P5_BUS_READ, frame, e.offset);
		seen |= (bus & P5_BUS_BY) << (P5_SEEN_WALK_SHIFT + 2 * (level - 1));
		seen |= p5_seen_of_bus(bus) & P5_SEEN_GRANTED;
		note->place[level - 1] = cache_set_of(l2, l);
		note->tag[level - 1] = cache_tag_of(l2, l);
	}
	return seen;
}

/* Is n a note of page vpn, and does the cache of the board still hold both entries where n says?
 * That cache has one way, so a read that hits changes nothing, and the walk need not be done. */
static inline bool is_noted(const struct p5 *m, const struct p5_walk_note *n, uint64_t vpn)
{
	const uint32_t *tag = m->board->l2.tag;

	return n->vpn == vpn && !m->is_plain && tag[n->place[1]] == n->tag[1] &&
	       tag[n->place[0]] == n->tag[0];
}

struct page p5_dtlb_see_walk(struct p5 *m, uint64_t vpn, unsigned *seen)
{
	struct p5_walk_note *n = &m->dtlb.note[vpn & (P5_WALK_NOTES - 1)];
	struct page page;

	if (is_noted(m, n, vpn)) {
		*seen |= P5_SEEN_WALK; /* the cache of the board serves both: P5_BUS_BY_L2 is 0 */
		return (struct page){vpn, n->page.id, n->page.colour};
	}
	n->vpn = P5_NO_KEY;
	if (m->time.is_on)
		*seen |= P5_SEEN_WALK | see_tables(m, vpn, n);
	page = pages_get(m->pages, vpn);
	if (m->time.is_on && m->has_walks && !m->has_peers && m->board->l2.tag &&
	    !m->pages->is_full) {
		n->vpn = vpn;
		n->page = (struct p5_frame){page.id, page.colour};
	}
	return page;
}

_Static_assert(P5_BUS_BY_L2 == 0, "what a note says");

uint64_t p5_dtlb_walk(struct p5 *m, unsigned *seen, uint64_t clk)
{
	unsigned granted = *seen & P5_SEEN_GRANTED ? P5_BUS_GRANTED : 0;

	if (!m->has_walks)
		return clk;
	*seen &= ~(unsigned)P5_SEEN_GRANTED;
	for (unsigned level = 2; level; level--) {
		const unsigned by = *seen >> (P5_SEEN_WALK_SHIFT + 2 * (level - 1)) & 3;
		struct p5_transfer t;

		if (by == P5_BUS_BY_NONE)
			continue;
		p5_bus_cycle(m, P5_BUS_READ, by | granted, clk + m->par[P5_PAR_BUS_TO_BUS_CLK], &t);
		granted = 0;
		clk = t.clk[0];
	}
	return clk + m->par[P5_PAR_DTLB_WALK_CLK];
}

/* As tlb_fill(), quicker for four ways under the tree rule. */
static inline void fill(struct tlb *t, uint32_t set, struct page page)
{
	if (t->ways != 4 || t->repl.is_lru ||
	    tlb_fill_four(t->entry + (size_t)set * 4, &t->order[set], page) < 0)
		tlb_fill(t, page);
}

struct p5_frame p5_dtlb_look_up(struct p5 *m, uint64_t vpn, unsigned *seen)
{
	struct p5_dtlb *t = &m->dtlb;
	const uint32_t set = (uint32_t)vpn & t->set_mask;
	const struct page *hit = t->is_full ? fulltlb_find(&t->full, vpn) : tlb_find(&t->sets, vpn);
	struct page page;
	struct p5_frame frame;

	if (hit) {
		frame = (struct p5_frame){hit->id, hit->colour};
	} else if (m->system->tables) {
		page = p5_tables_data(m, vpn, seen);
		frame = (struct p5_frame){page.id, page.colour};
	} else {
		P5_SEE(m, DTLB_MISS, 1);
		page = p5_dtlb_see_walk(m, vpn, seen);
		frame = (struct p5_frame){page.id, page.colour};
		if (t->is_full)
			fulltlb_fill(&t->full, page);
		else
			fill(&t->sets, set, page);
	}
	t->filter[set] = vpn;
	t->last[set] = frame;
	return frame;
}
