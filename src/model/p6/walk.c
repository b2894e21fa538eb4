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
#include "model/p6/p6.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* Which lines a walk of page `vpn` reads: frames never change, so it is found once. */
struct p6_walk_note {
	uint64_t vpn_plus_1; /* 0 = empty */
	struct page page;
	struct cache_line entry[2]; /* of the PDE, of the PTE */
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

static struct cache_line entry_line(struct p6 *m, unsigned level, uint64_t vpn)
{
	const struct pages_entry e = pages_entry(level, vpn);
	const struct page table = p6_page(m, e.key);

	return (struct cache_line){table.id, table.colour, e.offset >> m->line_log2};
}

/* The note of vpn, made when it is not there. Frames are given in the order in which a walk asks. */
static const struct p6_walk_note *walk_note(struct p6 *m, uint64_t vpn)
{
	struct p6_walk_note *n = &m->walks[vpn & (P6_WALK_NOTES - 1)];

	if (n->vpn_plus_1 == vpn + 1)
		return n;
	n->vpn_plus_1 = vpn + 1;
	if (m->has_walks) {
		n->entry[0] = entry_line(m, 2, vpn);
		n->entry[1] = entry_line(m, 1, vpn);
	}
	n->page = p6_page(m, vpn);
	return n;
}

struct p6_frame p6_walk(struct p6 *m, struct p6_tlb *t, uint64_t vpn)
{
	const struct p6_walk_note *n = walk_note(m, vpn);

	m->dyn[t->miss_wire]++;
	m->dyn[t->walk_wire]++;
	if (m->has_walks) {
		p6_l2_walk(m, n->entry[0]);
		p6_l2_walk(m, n->entry[1]);
	}
	tlb_fill(&t->tlb, n->page);
	return (struct p6_frame){n->page.id, n->page.colour};
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
