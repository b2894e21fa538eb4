/* exec.c -- the process replaces its program: a new address space on the same machine.
 *
 * COUNTING RULES   both TLBs, the BTB and the return stack start cold, as after a load of CR3 and a
 *                  new program at the same addresses; the caches keep what they hold. Pages of the
 *                  new address space have frames of which no cache holds a line, so nothing that is
 *                  left there is hit. Frames are used again: whoever remembers one beside the
 *                  caches forgets it here.
 * NOT MODELLED     pages of files that both programs map share no frames; the kernel's own work.
 */
#include "model/p6/loops/time_feed.h"
#include "model/p6/loops/feed.h"
#include "model/p6/units/dcu.h"
#include "model/p6/units/walk.h"

#include <string.h>

static void empty_tlb(struct p6_tlb *t)
{
	tlb_empty(&t->tlb);
	p6_empty_filter(t->filter, t->tlb.n_sets);
}

static void start_cold(struct p6 *m)
{
	p6_dcu_flush_weak(m);
	empty_tlb(&m->itlb);
	empty_tlb(&m->dtlb);
	memset(m->fast.page_tag, 0xff, sizeof(m->fast.page_tag)); /* P6_NO_PAGE_TAG */
	/* the filters are by linear address */
	p6_empty_filter(m->ifu.filter, m->ifu.cache.n_sets);
	p6_empty_filter(m->dcu.filter, (size_t)P6_KINDS * m->dcu.cache.n_sets);
	btb_empty(&m->btb.table);
	m->btb.rsb.depth = 0;
	p6_walk_forget(m);
	m->pending.term = X86_TERM_FALL;
	m->pending_blk = P6_NO_ENTRY;
	m->ifu.epoch++;
	m->seg.fs_base = 0;
	m->strings.df = false;
	m->mmx.last = P6_FPMMX_X87;
	p6_time_exec(m);
}

void p6_exec(struct p6 *m)
{
	for (unsigned i = 0; i < m->system->n; i++)
		start_cold(m->system->cpu[i]);
	pages_forget(&m->system->pages);
	for (unsigned i = 0; i < m->system->n; i++) {
		const struct p6 *cpu = m->system->cpu[i];

		pages_keep(&m->system->pages, &cpu->ifu.cache);
		pages_keep(&m->system->pages, &cpu->dcu.cache);
		pages_keep(&m->system->pages, &cpu->l2.cache);
	}
}
