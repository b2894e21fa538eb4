/* walk.c -- units itlb, dtlb and walk: translation, and page walks as loads from L2.
 *
 * COUNTING RULES   a walk is two loads that the walker sends to L2 (29H): the page-directory entry,
 *                  then the page-table entry. They pass L1D by and are no data references (43H).
 * MODELLED         the entries lie in a synthetic two-level tree of 4-byte entries, 1024 to a table
 *                  page: PTE of page n at byte 4 * (n mod 1024) of table page n / 1024, its PDE one
 *                  level up in the same way. Table pages have frames like other pages.
 * NOT MODELLED     writes of accessed and dirty bits (an operating system sets both when it
 * installs a page), caching of directory entries, large pages, page faults. SOURCES          Intel
 * 242816-003: TLB misses are counted by 29H.
 */
#include "model/p6/p6.h"

static void read_entry(struct p6 *m, unsigned level, uint64_t index)
{
	struct page table = pages_get(&m->pages, pages_table_key(level, index >> 10));
	uint32_t byte = (uint32_t)(index & 1023) * 4;
	struct cache_line l = {table.id, table.colour, byte >> m->line_log2};

	p6_l2_request(m, l, P6_REQ_WALK);
}

struct p6_frame p6_walk(struct p6 *m, struct p6_tlb *t, uint64_t vpn)
{
	struct page page;

	m->dyn[t->miss_wire]++;
	m->dyn[t->walk_wire]++;
	if (m->has_walks) {
		read_entry(m, 2, vpn >> 10);
		read_entry(m, 1, vpn);
	}
	page = pages_get(&m->pages, vpn);
	tlb_fill(&t->tlb, page);
	return (struct p6_frame){page.id, page.colour};
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
