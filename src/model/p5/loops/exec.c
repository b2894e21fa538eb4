/* exec.c -- the process replaces its program: a new address space on the same machine.
 *
 * COUNTING RULES   TLBs, BTB and return stack start cold, as after a load of CR3; L1D keeps what it
 *                  holds. Pages of the new address space have frames of which no cache holds a
 *                  line, so nothing that is left there is hit.
 * NOT MODELLED     frames that both programs share because they map the same file; the kernel's own
 *                  work.
 */
#include "model/p5/p5.h"
#include "model/p5/loops/feed.h"

static void start_cold(struct p5 *m)
{
	const size_t n_sets = m->dcache.cache.n_sets;

	p5_dtlb_empty(&m->dtlb);
	p5_itlb_empty(&m->itlb);
	p5_btb_empty(&m->btb);
	m->rsb.depth = 0;
	for (size_t i = 0; i < n_sets; i++) { /* the filters are by linear address */
		m->dcache.read_filter[i] = P5_NO_KEY;
		m->dcache.write_filter[i] = P5_NO_KEY;
	}
	m->dcache.filled_line = P5_NO_KEY;
	p5_icache_forget(&m->icache);
	p5_pf_empty(m);
	m->waits = false;
	m->seg.fs_base = 0;
	m->strings.df = false;
	m->mmx.last = P5_FPMMX_X87;
}

void p5_exec(struct p5 *m)
{
	struct p5_system *s = m->system;

	for (unsigned i = 0; i < s->turns.n; i++)
		start_cold(s->cpu[i]);
	pages_forget(&s->pages);
	for (unsigned i = 0; i < s->turns.n; i++) {
		pages_keep(&s->pages, &s->cpu[i]->dcache.cache);
		pages_keep(&s->pages, &s->cpu[i]->icache.cache);
	}
	direct_keep_pages(&s->board.l2, &s->pages);
}
