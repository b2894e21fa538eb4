/* page.c -- the pages of guest code that were sent. */
#include "translate/internal.h"

#include <stdlib.h>

#include "base/error.h"
#include "trace/request.h"

#define PAGE_FREE 1u /* no page has an odd address */

static uint32_t slot_of(const struct xlt *x, uint64_t addr)
{
	uint32_t mask = x->page_cap - 1;
	uint32_t i = (uint32_t)((addr >> 12) * 0x9e3779b1u) & mask;

	while (x->page[i].addr != addr && x->page[i].addr != PAGE_FREE)
		i = (i + 1) & mask;
	return i;
}

struct xlt_page *xlt_find_page(const struct xlt *x, uint64_t addr)
{
	struct xlt_page *p;

	if (!x->page_cap)
		return NULL;
	p = &x->page[slot_of(x, addr)];
	return p->addr == addr ? p : NULL;
}

static int grow(struct xlt *x)
{
	uint32_t old_cap = x->page_cap, cap = old_cap ? old_cap * 2 : 1024;
	struct xlt_page *old = x->page, *now = calloc(cap, sizeof(*now));

	if (!now)
		return -SPMU_ENOMEM;
	for (uint32_t i = 0; i < cap; i++)
		now[i].addr = PAGE_FREE;
	x->page = now;
	x->page_cap = cap;
	for (uint32_t i = 0; i < old_cap; i++)
		if (old[i].addr != PAGE_FREE)
			now[slot_of(x, old[i].addr)] = old[i];
	free(old);
	return 0;
}

int xlt_add_page(struct xlt *x, uint64_t page_addr, uint32_t flags, const uint8_t *bytes)
{
	struct xlt_page *p;

	if (x->page_used * 2 >= x->page_cap && grow(x) != 0)
		return -SPMU_ENOMEM;
	page_addr &= ~(uint64_t)(XLT_PAGE_BYTES - 1);
	p = &x->page[slot_of(x, page_addr)];
	if (p->addr == PAGE_FREE) {
		memset(p, 0, sizeof(*p));
		p->addr = page_addr;
		x->page_used++;
	}
	p->flags = flags;
	if (!bytes || flags & REQ_PAGE_ABSENT) {
		free(p->bytes);
		p->bytes = NULL;
		p->flags |= REQ_PAGE_ABSENT;
		return 0;
	}
	if (!p->bytes)
		p->bytes = malloc(XLT_PAGE_BYTES);
	if (!p->bytes)
		return -SPMU_ENOMEM;
	memcpy(p->bytes, bytes, XLT_PAGE_BYTES);
	x->stats.pages++;
	return 0;
}

int xlt_page_add_block(struct xlt_page *p, uint32_t id)
{
	if (p->n_block == p->cap_block) {
		uint32_t cap = p->cap_block ? p->cap_block * 2 : 16;
		void *q = realloc(p->block, cap * sizeof(*p->block));

		if (!q)
			return -SPMU_ENOMEM;
		p->block = q;
		p->cap_block = cap;
	}
	p->block[p->n_block++] = id;
	return 0;
}

void xlt_pages_free(struct xlt *x)
{
	for (uint32_t i = 0; i < x->page_cap; i++) {
		free(x->page[i].block);
		free(x->page[i].bytes);
	}
	free(x->page);
}

static void kill_blocks(struct xlt *x, struct xlt_page *p)
{
	for (uint32_t i = 0; i < p->n_block; i++)
		xlt_kill_block(x, p->block[i]);
	p->n_block = 0;
}

void xlt_pages_forget_blocks(struct xlt *x)
{
	for (uint32_t i = 0; i < x->page_cap; i++) {
		free(x->page[i].block);
		x->page[i].block = NULL;
		x->page[i].n_block = x->page[i].cap_block = 0;
	}
}

/* Forget one page: its blocks die, and its bytes and state are unknown from now on. The entry stays
 * with no bytes and no flags, which reads as "must be sent". */
static void forget(struct xlt *x, struct xlt_page *p)
{
	kill_blocks(x, p);
	free(p->bytes);
	p->bytes = NULL;
	p->flags = 0;
}

void xlt_invalidate(struct xlt *x, uint64_t addr, uint64_t bytes)
{
	uint64_t first = addr & ~(uint64_t)(XLT_PAGE_BYTES - 1), end = addr + bytes;

	x->stats.invalidations++;
	if (end < addr)
		end = UINT64_MAX;
	if ((end - first) / XLT_PAGE_BYTES > x->page_cap) { /* a large range: walk what is known */
		for (uint32_t i = 0; i < x->page_cap; i++)
			if (x->page[i].addr != PAGE_FREE && x->page[i].addr >= first && x->page[i].addr < end)
				forget(x, &x->page[i]);
		return;
	}
	for (uint64_t a = first; a < end; a += XLT_PAGE_BYTES) {
		struct xlt_page *p = xlt_find_page(x, a);

		if (p)
			forget(x, p);
	}
}
