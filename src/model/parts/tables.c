/* tables.c -- pages of a machine by their linear number. Rules: tables.h. */
#include "model/parts/tables.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define WHAT_WALKS_SET (TRC_PAGE_SETS_PDE | TRC_PAGE_SETS_PTE)

struct tables *tables_open(void)
{
	return calloc(1, sizeof(struct tables));
}

void tables_close(struct tables *t)
{
	for (unsigned i = 0; t && i < TABLES_PAGES; i++)
		free(t->group[i]);
	free(t);
}

/* The flags that stay. */
static uint8_t flags_of(const struct trc_page *page)
{
	return (uint8_t)(page->flags & TRC_PAGE_FLAGS & ~WHAT_WALKS_SET);
}

/* The place of page vpn, made when it is not there; NULL without memory. */
static struct tables_page *place(struct tables *t, uint32_t vpn)
{
	struct tables_page **group = &t->group[vpn / TABLES_PAGES];

	if (!*group)
		*group = calloc(TABLES_PAGES, sizeof(**group));
	return *group ? &(*group)[vpn % TABLES_PAGES] : NULL;
}

int tables_look(const struct tables *t, const uint8_t *payload, uint32_t bytes,
		struct tables_taken *out)
{
	const struct trc_page *page = &out->page;
	struct tables_page now;

	if (bytes != sizeof(out->pc) + sizeof(out->page))
		return -SPMU_EPROTO;
	memcpy(&out->pc, payload, sizeof(out->pc));
	memcpy(&out->page, payload + sizeof(out->pc), sizeof(out->page));
	if (page->page >= TABLES_PAGES * TABLES_PAGES)
		return -SPMU_EPROTO;
	now = tables_of(t, page->page);
	out->is_code_stale = now.is_in_code && now.frame != page->frame;
	out->change = TABLES_CHANGED;
	if (!now.is_known || now.pde == TRC_NO_ENTRY)
		out->change = TABLES_NEW;
	else if (now.frame == page->frame && now.pde == page->pde && now.pte == page->pte)
		out->change = TABLES_NEW;
	if (now.is_known && now.frame == page->frame && now.pde == page->pde &&
	    now.pte == page->pte && now.flags == flags_of(page))
		out->change = TABLES_EQUAL;
	return 0;
}

int tables_take(struct tables *t, const struct tables_taken *taken)
{
	const struct trc_page *page = &taken->page;
	struct tables_page *p = place(t, page->page);

	if (!p)
		return -SPMU_ENOMEM;
	p->has_moved |= p->is_known && p->frame != page->frame;
	p->is_known = true;
	p->frame = page->frame;
	p->pde = page->pde;
	p->pte = page->pte;
	p->flags = flags_of(page);
	return 0;
}

bool tables_note_code(struct tables *t, uint64_t vpn)
{
	struct tables_page *p = vpn < TABLES_PAGES * TABLES_PAGES ? place(t, (uint32_t)vpn) : NULL;

	if (!p || !p->is_known || p->has_moved)
		return false;
	p->is_in_code = true;
	return true;
}

void tables_forget_code(struct tables *t)
{
	for (unsigned i = 0; i < TABLES_PAGES; i++)
		for (unsigned k = 0; t->group[i] && k < TABLES_PAGES; k++)
			t->group[i][k].is_in_code = false;
}
