/* page.c -- the pages of guest code that were sent. */
#include "translate/internal.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/stretch.h"
#include "trace/request.h"

#define PAGE_FREE   1u /* no page has an odd address */
#define CHUNK_PAGES 63u

/* Bytes of pages. They are given back all together: a new server, which starts with a copy of its
 * parent's memory, does not touch what it throws away. */
struct xlt_page_chunk {
	struct xlt_page_chunk *next;
	uint64_t ready;
	uint32_t used;
	_Alignas(64) uint8_t bytes[CHUNK_PAGES][XLT_PAGE_BYTES];
};

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

/* Room for the bytes of a page, NULL when memory is out. */
static uint8_t *take_bytes(struct xlt *x)
{
	struct xlt_page_chunk *c = x->page_chunk;
	uint8_t *p = x->free_bytes;

	if (p) {
		memcpy(&x->free_bytes, p, sizeof(x->free_bytes));
		return p;
	}
	if (!c || c->used == CHUNK_PAGES) {
		c = malloc(sizeof(*c));
		if (!c)
			return NULL;
		c->next = x->page_chunk;
		c->used = 0;
		c->ready = 0;
		x->page_chunk = c;
	}
	c->used++;
	stretch_ahead(&c->ready, c->bytes, c->used * sizeof(c->bytes[0]), sizeof(c->bytes));
	return c->bytes[c->used - 1];
}

/* The page is no longer known. */
static void drop_bytes(struct xlt *x, struct xlt_page *p)
{
	if (p->bytes && !p->is_lent)
		x->free_bytes = memcpy((uint8_t *)p->bytes, &x->free_bytes, sizeof(x->free_bytes));
	p->bytes = NULL;
	p->is_lent = false;
	p->shelf = NULL;
}

/* Bytes that the page has now. Returns 0 or -SPMU_ENOMEM. */
static int set_bytes(struct xlt *x, struct xlt_page *p, const uint8_t *bytes)
{
	uint8_t *own;

	drop_bytes(x, p);
	if (x->is_sharing && !(p->flags & (REQ_PAGE_VOLATILE | REQ_PAGE_WRITABLE))) {
		p->shelf = xlt_shelf_page(x->cfg.shelf, p->addr, xlt_shelf_kind(x), bytes);
		p->n_seen = 0;
		if (p->shelf) {
			p->bytes = p->shelf->bytes;
			p->is_lent = true;
			return 0;
		}
	}
	own = take_bytes(x);
	if (!own)
		return -SPMU_ENOMEM;
	p->bytes = memcpy(own, bytes, XLT_PAGE_BYTES);
	return 0;
}

int xlt_add_page(struct xlt *x, uint64_t page_addr, uint32_t flags, const uint8_t *bytes)
{
	struct xlt_page *p;
	int rc;

	if (x->page_used * 2 >= x->page_cap && grow(x) != 0)
		return -SPMU_ENOMEM;
	page_addr &= ~(uint64_t)(XLT_PAGE_BYTES - 1);
	p = &x->page[slot_of(x, page_addr)];
	if (p->addr == PAGE_FREE) {
		memset(p, 0, sizeof(*p));
		p->addr = page_addr;
		p->block = XLT_NONE;
		x->page_used++;
	}
	p->flags = flags;
	if (!bytes || flags & REQ_PAGE_ABSENT) {
		drop_bytes(x, p);
		p->flags |= REQ_PAGE_ABSENT;
		return 0;
	}
	x->stats.pages++;
	rc = set_bytes(x, p, bytes);
	if (rc == 0 && p->shelf) {
		x->open_fall = XLT_NONE;
		xlt_take_page_from_shelf(
		    x, p); /* should there be no room, the next question finds it out */
	}
	return rc;
}

void xlt_pages_add_block(struct xlt *x, const struct x86_block *b, uint32_t id)
{
	uint64_t first = b->pc & ~(uint64_t)(XLT_PAGE_BYTES - 1);

	for (unsigned i = 0; i < 2; i++) {
		struct xlt_page *p = xlt_find_page(x, first + i * XLT_PAGE_BYTES);

		if (!p || (i == 1 && b->pc + b->bytes <= p->addr))
			break;
		x->next_of_page[2 * id + i] = p->block;
		p->block = 2 * id + i;
	}
}

void xlt_pages_free(struct xlt *x)
{
	while (x->page_chunk) {
		struct xlt_page_chunk *next = x->page_chunk->next;

		free(x->page_chunk);
		x->page_chunk = next;
	}
	free(x->page);
	x->page = NULL;
	x->page_cap = x->page_used = 0;
	x->free_bytes = NULL;
}

void xlt_pages_forget_blocks(struct xlt *x)
{
	for (uint32_t i = 0; i < x->page_cap; i++) {
		x->page[i].block = XLT_NONE;
		x->page[i].n_seen = 0;
	}
}

void xlt_pages_tell_shelf(struct xlt *x)
{
	for (uint32_t i = 0; i < x->page_cap; i++) {
		const struct xlt_page *p = &x->page[i];

		if (p->addr != PAGE_FREE && p->bytes &&
		    !(p->flags & (REQ_PAGE_VOLATILE | REQ_PAGE_WRITABLE)))
			xlt_shelf_page(x->cfg.shelf, p->addr, xlt_shelf_kind(x), p->bytes);
	}
}

void xlt_pages_change_kind(struct xlt *x)
{
	for (uint32_t i = 0; i < x->page_cap; i++) {
		struct xlt_page *p = &x->page[i];

		if (p->addr != PAGE_FREE && p->shelf)
			p->shelf =
			    xlt_shelf_page(x->cfg.shelf, p->addr, xlt_shelf_kind(x), p->bytes);
	}
}

/* Forget one page: its blocks die, and its bytes and state are unknown from now on. The entry stays
 * with no bytes and no flags, which reads as "must be sent". */
static void forget(struct xlt *x, struct xlt_page *p)
{
	for (uint32_t at = p->block; at != XLT_NONE; at = x->next_of_page[at])
		xlt_kill_block(x, at / 2);
	p->block = XLT_NONE;
	drop_bytes(x, p);
	p->flags = 0;
}

void xlt_invalidate(struct xlt *x, uint64_t addr, uint64_t bytes)
{
	const uint64_t top = ~(uint64_t)(XLT_PAGE_BYTES - 1); /* no page of code lies there */
	uint64_t first = addr & top, end = addr + bytes;

	x->stats.invalidations++;
	if (end < addr || end > top)
		end = top;
	if ((end - first) / XLT_PAGE_BYTES > x->page_cap) { /* a large range: walk what is known */
		for (uint32_t i = 0; i < x->page_cap; i++)
			if (x->page[i].addr != PAGE_FREE && x->page[i].addr >= first &&
			    x->page[i].addr < end)
				forget(x, &x->page[i]);
		return;
	}
	for (uint64_t a = first; a < end; a += XLT_PAGE_BYTES) {
		struct xlt_page *p = xlt_find_page(x, a);

		if (p)
			forget(x, p);
	}
}
