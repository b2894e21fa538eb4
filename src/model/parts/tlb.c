/* tlb.c -- building and filling a TLB. */
#include "model/parts/tlb.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

int tlb_open(struct tlb *t, uint32_t entries, unsigned ways, bool is_lru)
{
	memset(t, 0, sizeof(*t));
	if (ways < 1 || ways > REPL_MAX_WAYS || !entries || entries % ways || entries > 1u << 20)
		return -SPMU_EINVAL;
	t->n_sets = entries / ways;
	if (t->n_sets & (t->n_sets - 1))
		return -SPMU_EINVAL;
	t->ways = (uint8_t)ways;
	repl_init(&t->repl, ways, is_lru);
	/* a set of four ways is a line of the host's cache */
	t->entry = aligned_alloc(64, (entries * sizeof(*t->entry) + 63) & ~63ul);
	t->order = calloc(t->n_sets, sizeof(*t->order));
	if (!t->entry || !t->order) {
		tlb_close(t);
		return -SPMU_ENOMEM;
	}
	tlb_empty(t);
	return 0;
}

void tlb_empty(struct tlb *t)
{
	for (uint32_t i = 0; i < t->n_sets * t->ways; i++)
		t->entry[i] = (struct page){.key = PAGE_NONE};
	for (uint32_t i = 0; i < t->n_sets; i++)
		t->order[i] = t->repl.start;
}

void tlb_close(struct tlb *t)
{
	free(t->entry);
	free(t->order);
	t->entry = NULL;
	t->order = NULL;
}

void tlb_fill(struct tlb *t, struct page page)
{
	uint32_t set = tlb_set_of(t, page.key);
	struct page *e = t->entry + (size_t)set * t->ways;
	unsigned way = REPL_MAX_WAYS;

	for (unsigned w = 0; w < t->ways && way == REPL_MAX_WAYS && !(t->repl.odd & REPL_ODD_EMPTY);
	     w++)
		if (e[w].key == PAGE_NONE)
			way = w;
	if (way == REPL_MAX_WAYS)
		way = repl_victim(&t->repl, t->order[set]);
	e[way] = page;
	if (!(t->repl.odd & REPL_ODD_FILL))
		t->order[set] = repl_touch(&t->repl, t->order[set], way);
}

void tlb_drop(struct tlb *t, uint64_t vpn)
{
	struct page *e = t->entry + (size_t)tlb_set_of(t, vpn) * t->ways;

	for (unsigned w = 0; w < t->ways; w++)
		if (e[w].key == vpn)
			e[w].key = PAGE_NONE;
}
