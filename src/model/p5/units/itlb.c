/* itlb.c -- unit itlb: translation of code addresses.
 *
 * COUNTING RULES   0DH: one per request of the prefetcher that finds no entry and starts a walk.
 * MODELLED         4 KB pages. Pentium: 4 ways, tree pseudo-LRU. Pentium with MMX: every entry is
 *                  compared, exact LRU (chosen, as dtlb). A walk reads two table entries over the
 *                  bus (1EH).
 *                  A whole machine has its own tables: dtlb_tables.c.
 * NOT MODELLED     large pages, flushes by system calls and task switches, page faults.
 * SOURCES          Intel 241428 (1997) 2.5.
 */
#include "model/p5/p5.h"

int p5_itlb_open(struct p5_itlb *t, uint32_t entries, unsigned ways, bool is_lru)
{
	int rc;

	t->is_full = ways > REPL_MAX_WAYS && ways == entries;
	rc = t->is_full ? fulltlb_open(&t->full, entries)
			: tlb_open(&t->sets, entries, ways, is_lru);
	if (!rc)
		p5_itlb_empty(t);
	return rc;
}

void p5_itlb_close(struct p5_itlb *t)
{
	tlb_close(&t->sets);
}

void p5_itlb_empty(struct p5_itlb *t)
{
	if (t->is_full)
		fulltlb_empty(&t->full);
	else
		tlb_empty(&t->sets);
	t->last_vpn = P5_NO_KEY;
}

struct p5_frame p5_itlb_translate(struct p5 *m, uint64_t vpn, unsigned *seen)
{
	struct p5_itlb *t = &m->itlb;
	const struct page *hit;
	struct page page;

	/* the page used last: noting its use again changes nothing */
	if (t->last_vpn == vpn && !m->is_plain)
		return (struct p5_frame){t->last_id, t->last_colour};
	hit = t->is_full ? fulltlb_find(&t->full, vpn) : tlb_find(&t->sets, vpn);
	if (hit) {
		page = *hit;
	} else if (m->system->tables) {
		page = p5_tables_code(m, vpn, seen);
	} else {
		P5_SEE(m, ITLB_MISS, 1);
		page = p5_dtlb_see_walk(m, vpn, seen);
		if (t->is_full)
			fulltlb_fill(&t->full, page);
		else
			tlb_fill(&t->sets, page);
	}
	t->last_vpn = vpn;
	t->last_id = page.id;
	t->last_colour = page.colour;
	return (struct p5_frame){page.id, page.colour};
}
