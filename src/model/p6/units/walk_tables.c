/* walk_tables.c -- units itlb, dtlb and walk: the tables of a whole machine (parts/tables.h).
 *
 * COUNTING RULES   as walk.c; a walk of a large page is one load, of the page-directory entry. A
 *                  page without paging is no miss.
 * MODELLED         real entries at their physical addresses, in pages that caches know as any
 *                  other; an entry that L1D has modified is written to L2 first, as code is. A TLB
 *                  of large pages beside each TLB (parts/large.h). CR3, CR0, CR4 and INVLPG empty
 *                  TLBs as TRC_FLUSH says. All walks are done in full.
 * NOT MODELLED     writes of accessed and dirty bits, and the walk by which a store into a page
 *                  that is clean in the TLB sets the second one; caching of directory entries;
 *                  flushes by writes of MTRRs; page faults.
 * SOURCES          Intel 243192: which TLBs there are, what invalidates them.
 */
#include "model/p6/units/walk.h"

#include <string.h>

#include "base/error.h"
#include "model/p6/units/dcu.h"
#include "model/p6/units/l2.h"
#include "model/p6/units/walk_inline.h"

/* The figure `name` of the processor, or what --set puts in its place. */
static unsigned figure(const struct p6 *m, const struct mdl_config *cfg, const char *name)
{
	unsigned value = (unsigned)cat_p6_param(m->cpu, name);

	for (uint32_t i = 0; i < cfg->p6.n_setting && i < MDL_MAX_PARAMS; i++)
		if (!strcmp(cfg->p6.setting[i].name, name))
			value = cfg->p6.setting[i].value;
	return value;
}

int p6_walk_tables_open(struct p6 *m, const struct mdl_config *cfg)
{
	const unsigned itlb = figure(m, cfg, "itlb_large");
	int rc = 0;

	if (m->system->tables)
		rc = large_open(&m->itlb.large, itlb, itlb);
	if (m->system->tables && !rc)
		rc = large_open(&m->dtlb.large, figure(m, cfg, "dtlb_large"),
				figure(m, cfg, "dtlb_large_ways"));
	return rc;
}

/* ---- walks ----------------------------------------------------------------------------------- */

/* The walker's load of the entry at physical address `at`. */
static void read_entry(struct p6 *m, uint32_t at)
{
	const struct page table = p6_page_of_frame(m, at >> PAGE_LOG2);
	const struct cache_line l = {table.id, table.colour,
				     (at & ((1u << PAGE_LOG2) - 1)) >> m->line_log2};

	p6_dcu_code_snoop(m, l);
	p6_l2_request(m, l, P6_REQ_WALK);
}

/* Every filter: what was used last in its set is not known any more. */
static void forget_last(struct p6 *m)
{
	p6_empty_filter(m->itlb.filter, m->itlb.tlb.n_sets);
	p6_empty_filter(m->dtlb.filter, m->dtlb.tlb.n_sets);
	p6_empty_filter(m->ifu.filter, m->ifu.cache.n_sets);
	p6_empty_filter(m->dcu.filter, (size_t)P6_KINDS * m->dcu.cache.n_sets);
	m->ifu.epoch++;
}

struct p6_frame p6_walk_tables(struct p6 *m, struct p6_tlb *t, uint64_t vpn)
{
	const struct tables_page p = tables_of(m->system->tables, vpn);
	const struct page frame = p6_page_of_frame(m, p.frame);
	const uint64_t large = tables_large_key(p, vpn);
	const bool is_large = p.flags & TRC_PAGE_LARGE;

	if (p.pde == TRC_NO_ENTRY || (is_large && large_has(&t->large, large)))
		return (struct p6_frame){frame.id, frame.colour};
	m->dyn[t->miss_wire]++;
	m->dyn[t->walk_wire]++;
	m->walker.n_large += is_large;
	if (m->walker.is_on)
		read_entry(m, p.pde);
	if (m->walker.is_on && !is_large)
		read_entry(m, p.pte);
	if (!is_large)
		p6_tlb_fill(m, t, (struct page){vpn, frame.id, frame.colour});
	else if (large_fill(&t->large, large, p.flags & TRC_PAGE_GLOBAL))
		forget_last(m); /* filters name pages of the one that went */
	return (struct p6_frame){frame.id, frame.colour};
}

bool p6_tlb_peek(const struct p6 *m, const struct p6_tlb *t, uint64_t vpn, uint32_t *frame)
{
	const struct page *page = tlb_peek(&t->tlb, vpn);
	struct tables_page p;

	if (page)
		*frame = page->id;
	if (page || !m->system->tables)
		return page;
	p = tables_of(m->system->tables, vpn);
	if (p.pde != TRC_NO_ENTRY &&
	    !(p.flags & TRC_PAGE_LARGE && large_has(&t->large, tables_large_key(p, vpn))))
		return false;
	return pages_peek(&m->system->pages, p.frame, frame);
}

/* ---- what empties TLBs ----------------------------------------------------------------------- */

/* Take the entry in `way` of `set` out. */
static void drop_entry(struct p6 *m, struct p6_tlb *t, uint32_t set, unsigned way)
{
	t->tlb.entry[(size_t)set * t->tlb.ways + way].key = PAGE_NONE;
	if (t == &m->dtlb && m->is_fast_shape)
		m->fast.page_tag[set][way] = P6_NO_PAGE_TAG;
}

static void drop_page(struct p6 *m, struct p6_tlb *t, uint64_t vpn)
{
	const uint32_t set = tlb_set_of(&t->tlb, vpn);

	for (unsigned way = 0; way < t->tlb.ways; way++)
		if (t->tlb.entry[(size_t)set * t->tlb.ways + way].key == vpn)
			drop_entry(m, t, set, way);
	large_drop(&t->large, vpn >> 10);
	large_drop(&t->large, vpn >> 9 | TABLES_2M);
}

static void empty_tlb(struct p6 *m, struct p6_tlb *t, bool keeps_global)
{
	for (uint32_t set = 0; set < t->tlb.n_sets; set++) {
		for (unsigned way = 0; way < t->tlb.ways; way++) {
			const uint64_t vpn = t->tlb.entry[(size_t)set * t->tlb.ways + way].key;

			if (vpn != PAGE_NONE &&
			    !(keeps_global &&
			      tables_of(m->system->tables, vpn).flags & TRC_PAGE_GLOBAL))
				drop_entry(m, t, set, way);
		}
	}
	large_empty(&t->large, keeps_global);
}

void p6_walk_flush(struct p6 *m, enum trc_flush what, uint64_t vpn)
{
	struct p6_tlb *const tlb[] = {&m->itlb, &m->dtlb};

	for (unsigned i = 0; i < 2; i++) {
		if (what == TRC_FLUSH_PAGE)
			drop_page(m, tlb[i], vpn);
		else
			empty_tlb(m, tlb[i], what == TRC_FLUSH_LOCAL);
	}
	forget_last(m);
}

void p6_walk_mapped(struct p6 *m, const struct tables_taken *taken)
{
	if (taken->change == TABLES_CHANGED) {
		p6_dcu_flush_weak(m); /* its buffers go by linear address */
		p6_walk_flush(m, TRC_FLUSH_PAGE, taken->page.page);
	}
	forget_last(m);
}
