/* dtlb_tables.c -- units dtlb and itlb: the tables of a whole machine (parts/tables.h).
 *
 * COUNTING RULES   as dtlb.c and itlb.c; a walk of a large page is one read. A page without paging
 *                  is no miss. A walk that sets accessed or dirty bits is a locked sequence for
 *                  each entry that it writes (1CH).
 * MODELLED         real entries at their physical addresses. Large pages: the Pentium has a TLB of
 *                  their own for data (parts/large.h); else they lie in the TLB of 4 KB pages, by
 *                  the number of the large page. CR3, CR0, CR4 and INVLPG empty TLBs as TRC_FLUSH
 *                  says.
 * NOT MODELLED     clocks of the writes of accessed and dirty bits; an entry that L1D has modified
 *                  is read where the bus has it; page faults.
 * SOURCES          Intel 243192: which TLBs there are, what invalidates them; Intel 241428.
 */
#include "model/p5/units/memory.h"

#include <string.h>

#define IN_SHARED_TLB (1ull << 41) /* in keys of large pages in the TLB of 4 KB pages */

/* A TLB of 4 KB pages, with what lies beside it. */
struct both {
	struct tlb *sets;
	struct fulltlb *full; /* NULL: sets */
	struct large *large;  /* NULL: large pages lie in the TLB itself */
};

static struct both data_tlb(struct p5 *m)
{
	return (struct both){&m->dtlb.sets, m->dtlb.is_full ? &m->dtlb.full : NULL,
			     m->dtlb.large.n_sets ? &m->dtlb.large : NULL};
}

static struct both code_tlb(struct p5 *m)
{
	return (struct both){&m->itlb.sets, m->itlb.is_full ? &m->itlb.full : NULL, NULL};
}

int p5_tables_open(struct p5 *m)
{
	const unsigned entries = m->par[P5_PAR_DTLB_LARGE];

	if (!m->system->tables || !entries)
		return 0;
	return large_open(&m->dtlb.large, entries, m->par[P5_PAR_DTLB_LARGE_WAYS]);
}

static bool find(const struct both *t, uint64_t key)
{
	return t->full ? fulltlb_find(t->full, key) != NULL : tlb_find(t->sets, key) != NULL;
}

static void fill(const struct both *t, struct page page)
{
	if (t->full)
		fulltlb_fill(t->full, page);
	else
		tlb_fill(t->sets, page);
}

struct page p5_page(struct p5 *m, uint64_t vpn)
{
	const struct tables *t = m->system->tables;

	return pages_get(m->pages, t ? tables_of(t, vpn).frame : vpn);
}

/* ---- walks ----------------------------------------------------------------------------------- */

/* The read of the entry of `level` at physical address `at`. Returns what it adds to enum
 * p5_seen. */
static unsigned see_entry(struct p5 *m, uint32_t at, unsigned level)
{
	const struct page table = pages_get(m->pages, at >> PAGE_LOG2);
	const unsigned bus =
	    p5_bus_see(m, P5_BUS_READ, (struct p5_frame){table.id, table.colour}, at & 4095);

	return (bus & P5_BUS_BY) << (P5_SEEN_WALK_SHIFT + 2 * (level - 1)) |
	       (p5_seen_of_bus(bus) & P5_SEEN_GRANTED);
}

static unsigned see_walk(struct p5 *m, struct tables_page p)
{
	unsigned seen = P5_SEEN_WALK;

	if (m->has_walks)
		seen |= see_entry(m, p.pde, 2);
	if (m->has_walks && !(p.flags & TRC_PAGE_LARGE))
		seen |= see_entry(m, p.pte, 1);
	else
		seen |= P5_BUS_BY_NONE << P5_SEEN_WALK_SHIFT;
	return seen;
}

/* Page vpn, which t does not have as a page of 4 KB. *is_miss: it was walked for, and is in now;
 * *has_left: a large page went for it. */
static struct page look_up(struct p5 *m, const struct both *t, uint64_t vpn, unsigned *seen,
			   bool *is_miss, bool *has_left)
{
	const struct tables_page p = tables_of(m->system->tables, vpn);
	const struct page frame = pages_get(m->pages, p.frame);
	const uint64_t large = tables_large_key(p, vpn), shared = large | IN_SHARED_TLB;
	const bool is_large = p.flags & TRC_PAGE_LARGE;
	struct page page = {vpn, frame.id, frame.colour};

	*is_miss = *has_left = false;
	if (p.pde == TRC_NO_ENTRY ||
	    (is_large && (t->large ? large_has(t->large, large) : find(t, shared))))
		return page;
	*is_miss = true;
	if (m->time.is_on)
		*seen |= see_walk(m, p);
	if (is_large && t->large)
		*has_left = large_fill(t->large, large, p.flags & TRC_PAGE_GLOBAL);
	else
		fill(t, (struct page){is_large ? shared : vpn, frame.id, frame.colour});
	return page;
}

static void forget_last(struct p5 *m)
{
	const size_t n_sets = m->dcache.cache.n_sets;

	for (uint32_t i = 0; i <= m->dtlb.set_mask; i++)
		m->dtlb.filter[i] = P5_NO_KEY;
	for (size_t i = 0; i < n_sets; i++) {
		m->dcache.read_filter[i] = P5_NO_KEY;
		m->dcache.write_filter[i] = P5_NO_KEY;
	}
	m->itlb.last_vpn = P5_NO_KEY;
}

struct page p5_tables_data(struct p5 *m, uint64_t vpn, unsigned *seen)
{
	const struct both t = data_tlb(m);
	bool is_miss, has_left;
	const struct page page = look_up(m, &t, vpn, seen, &is_miss, &has_left);

	P5_SEE(m, DTLB_MISS, is_miss);
	if (has_left)
		forget_last(m); /* filters name pages of the one that went */
	return page;
}

struct page p5_tables_code(struct p5 *m, uint64_t vpn, unsigned *seen)
{
	const struct both t = code_tlb(m);
	bool is_miss, has_left;
	const struct page page = look_up(m, &t, vpn, seen, &is_miss, &has_left);

	P5_SEE(m, ITLB_MISS, is_miss);
	return page;
}

/* ---- what empties TLBs ----------------------------------------------------------------------- */

static void drop(const struct both *t, uint64_t key)
{
	if (t->full)
		fulltlb_drop(t->full, key);
	else
		tlb_drop(t->sets, key);
}

/* Page vpn goes, and the large page that it lies in. */
static void drop_page(const struct both *t, uint64_t vpn)
{
	const uint64_t large[] = {vpn >> 10, vpn >> 9 | TABLES_2M};

	drop(t, vpn);
	for (unsigned i = 0; i < 2; i++) {
		if (t->large)
			large_drop(t->large, large[i]);
		else
			drop(t, large[i] | IN_SHARED_TLB);
	}
}

static void empty(const struct both *t)
{
	if (t->full)
		fulltlb_empty(t->full);
	else
		tlb_empty(t->sets);
	if (t->large)
		large_empty(t->large, false);
}

/* A Pentium has no global pages. */
void p5_tables_flush(struct p5 *m, enum trc_flush what, uint64_t vpn)
{
	const struct both tlb[] = {data_tlb(m), code_tlb(m)};

	for (unsigned i = 0; i < 2; i++) {
		if (what == TRC_FLUSH_PAGE)
			drop_page(&tlb[i], vpn);
		else
			empty(&tlb[i]);
	}
	forget_last(m);
}

void p5_tables_mapped(struct p5 *m, const struct tables_taken *taken)
{
	if (taken->change == TABLES_CHANGED) {
		p5_tables_flush(m, TRC_FLUSH_PAGE, taken->page.page);
		p5_icache_forget(&m->icache); /* which linear lines it has */
		m->dcache.filled_line = P5_NO_KEY;
	}
	forget_last(m);
}
