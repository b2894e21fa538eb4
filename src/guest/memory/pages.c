/* pages.c -- the table of pages that softpmu has seen: guarding them, and dropping them when
 * they change. Rules: pages.h. Entries are never removed, so a search ends at the first free
 * one. */
#include "guest/memory/pages.h"

#include "guest/memory/copy.h"
#include "guest/gst.h"

#define BOUNCES_MAX 8u
#define N_ENTRIES   (1u << GST_PAGES_LOG2)

static struct gst_page *table(void)
{
	return (struct gst_page *)GST_PAGES;
}

/* Entries of one MiB of code lie in one page of the table: a range of them touches little of
 * it. */
static uint32_t hash_page(uint64_t addr)
{
	uint32_t group =
	    (uint32_t)(((addr >> 20) * 0x9e3779b97f4a7c15ull) >> (72 - GST_PAGES_LOG2));

	return group << 8 | (uint32_t)(addr >> 12 & 255);
}

/* The entry for a page, or the free one where it belongs. Entries are never removed. */
static struct gst_page *slot(uint64_t addr)
{
	uint32_t i = hash_page(addr);

	while ((table()[i].flags & GST_PAGE_KNOWN) && table()[i].addr != addr)
		i = (i + 1) & (N_ENTRIES - 1);
	return &table()[i];
}

struct gst_page *gst_page_find(struct gst *g, uint64_t addr)
{
	struct gst_page *p;

	if (addr < g->pages.low || addr >= g->pages.high)
		return NULL;
	p = slot(GST_PAGE_DOWN(addr));
	return p->flags & GST_PAGE_KNOWN ? p : NULL;
}

static struct gst_page *take_entry(struct gst *g, uint64_t addr)
{
	struct gst_page *p = slot(addr);

	if (p->flags & GST_PAGE_KNOWN)
		return p;
	if (g->pages.n >= N_ENTRIES / 4 * 3)
		gst_refuse(g, "the program executes code on more than 800 MB of pages", NULL);
	p->addr = addr;
	p->flags = GST_PAGE_KNOWN;
	if (!g->pages.n++ || addr < g->pages.low)
		g->pages.low = addr;
	if (addr + GST_PAGE > g->pages.high)
		g->pages.high = addr + GST_PAGE;
	return p;
}

static uint32_t host_prot(uint32_t prot)
{
	return (prot & PROT_EXEC ? prot | PROT_READ : prot) & ~(uint32_t)PROT_EXEC;
}

/* Forget one page; returns 1 when it had been sent. */
static int drop_page(struct gst *g, struct gst_page *p, enum gst_drop why, int *is_volatile)
{
	const struct gst_vma *v;

	if (!(p->flags & (GST_PAGE_SENT | GST_PAGE_GUARDED | GST_PAGE_VOLATILE)))
		return 0;
	if (why == GST_DROP_KERNEL && !(p->flags & GST_PAGE_GUARDED))
		return 0;
	if (p->flags & GST_PAGE_VOLATILE) {
		if (why == GST_DROP_STORE || why == GST_DROP_KERNEL)
			return 0; /* its blocks check themselves */
		*is_volatile = why == GST_DROP_PROTECT;
	}
	if (why == GST_DROP_GONE) {
		p->flags &= ~(uint32_t)GST_PAGE_VOLATILE;
		p->bounces = 0;
	}
	if ((why == GST_DROP_STORE || why == GST_DROP_KERNEL) && ++p->bounces >= BOUNCES_MAX) {
		p->flags |= GST_PAGE_VOLATILE;
		*is_volatile = 1;
	}
	if (p->flags & GST_PAGE_GUARDED) {
		v = gst_vma_find(&g->vmas, p->addr);
		if (v)
			SYS3(mprotect, p->addr, GST_PAGE, host_prot(v->prot));
		g->pages.n_guarded--;
	}
	p->flags &= ~(uint32_t)(GST_PAGE_SENT | GST_PAGE_GUARDED);
	return 1;
}

static void invalidate(struct gst *g, uint64_t lo, uint64_t hi, int is_volatile)
{
	struct req_box *b = gst_ask_box(g);

	b->arg[0] = lo;
	b->arg[1] = hi - lo;
	b->arg[2] = (uint64_t)is_volatile;
	gst_ask(g, REQ_INVALIDATE);
	gst_ib_forget(g, lo, hi);
}

/* A run of dropped pages, for one REQ_INVALIDATE. is_one: everything from the first to the last
 * page, gaps included. */
struct page_run {
	uint64_t lo, hi;
	int is_volatile, is_one;
};

static void drop_run(struct gst *g, struct page_run *s)
{
	if (s->hi)
		invalidate(g, s->lo, s->hi, s->is_volatile);
	s->hi = 0;
	s->is_volatile = 0;
}

static void drop_into(struct gst *g, struct page_run *s, struct gst_page *p, enum gst_drop why)
{
	int is_volatile = 0;

	if (!(p->flags & GST_PAGE_KNOWN) || !drop_page(g, p, why, &is_volatile))
		return;
	if (s->hi != p->addr && !(s->is_one && s->hi)) {
		drop_run(g, s);
		s->lo = p->addr;
	}
	if (p->addr < s->lo)
		s->lo = p->addr;
	if (p->addr >= s->hi)
		s->hi = p->addr + GST_PAGE;
	s->is_volatile |= is_volatile;
}

int gst_pages_drop(struct gst *g, uint64_t lo, uint64_t hi, enum gst_drop why)
{
	struct page_run s = {0, 0, 0, 0};
	int any = 0;

	lo = lo > g->pages.low ? GST_PAGE_DOWN(lo) : g->pages.low;
	hi = hi < g->pages.high ? GST_PAGE_UP(hi) : g->pages.high;
	if (lo >= hi)
		return 0;
	if ((hi - lo) / GST_PAGE > N_ENTRIES / 8) {
		/* the kernel writes to few of them, and the rest stays */
		s.is_one = why != GST_DROP_KERNEL;
		for (uint32_t i = 0; i < N_ENTRIES; i++) {
			struct gst_page *p = &table()[i];

			if (p->addr >= lo && p->addr < hi)
				drop_into(g, &s, p, why);
			any |= s.hi != 0;
		}
	} else {
		for (uint64_t at = lo; at < hi; at += GST_PAGE) {
			drop_into(g, &s, slot(at), why);
			any |= s.hi != 0;
		}
	}
	drop_run(g, &s);
	return any;
}

int gst_pages_open(struct gst *g, uint64_t lo, uint64_t hi)
{
	if (!g->pages.n_guarded || lo >= hi)
		return 0;
	return gst_pages_drop(g, lo, hi, GST_DROP_KERNEL);
}

void gst_pages_changed(struct gst *g, uint64_t lo, uint64_t hi)
{
	lo = GST_PAGE_DOWN(lo);
	hi = GST_PAGE_UP(hi);
	if (!gst_pages_drop(g, lo, hi, GST_DROP_PROTECT))
		invalidate(g, lo, hi, 1);
}

void gst_pages_guard(struct gst *g, uint64_t lo, uint64_t hi)
{
	lo = lo > g->pages.low ? lo : g->pages.low;
	hi = hi < g->pages.high ? hi : g->pages.high;
	for (uint64_t at = lo; at < hi; at += GST_PAGE) {
		struct gst_page *p = slot(at);

		if (!(p->flags & GST_PAGE_SENT) || (p->flags & GST_PAGE_VOLATILE))
			continue;
		SYS3(mprotect, at, GST_PAGE, PROT_READ);
		g->pages.n_guarded += !(p->flags & GST_PAGE_GUARDED);
		p->flags |= GST_PAGE_GUARDED;
	}
}

int gst_page_attach(struct gst *g, uint64_t addr)
{
	struct req_box *b = &g->ctl->req;
	const struct gst_vma *v;
	struct gst_page *p;
	uint32_t i = b->n_pages;

	addr = GST_PAGE_DOWN(addr);
	for (uint32_t k = 0; k < i; k++) {
		if (b->page_addr[k] == addr)
			return 1;
	}
	v = gst_vma_find(&g->vmas, addr);
	if (i >= REQ_MAX_PAGES)
		return 0;
	b->page_addr[i] = addr;
	b->page_flags[i] = REQ_PAGE_ABSENT;
	b->n_pages = i + 1;
	if (!v || !(v->prot & PROT_EXEC) || v->kind == GST_VMA_ENGINE)
		return 0;
	p = take_entry(g, addr);
	/* another mapping, or the file, can change this page */
	if ((v->flags & MAP_SHARED) || v->is_soft)
		p->flags |= GST_PAGE_VOLATILE;
	if ((v->prot & PROT_WRITE) && !(p->flags & (GST_PAGE_VOLATILE | GST_PAGE_GUARDED))) {
		SYS3(mprotect, addr, GST_PAGE, PROT_READ);
		p->flags |= GST_PAGE_GUARDED;
		g->pages.n_guarded++;
	}
	if (gst_copy_in(b->pages[i], addr, GST_PAGE)) {
		p->flags &= ~(uint32_t)GST_PAGE_SENT;
		return 0;
	}
	b->page_flags[i] = p->flags & GST_PAGE_VOLATILE ? REQ_PAGE_VOLATILE
			   : v->prot & PROT_WRITE	? REQ_PAGE_WRITABLE
							: 0;
	if (!(p->flags & GST_PAGE_VOLATILE))
		p->flags |= GST_PAGE_SENT;
	return 1;
}

/* A neighbour goes along when sending it costs nothing later: same mapping, not writable, new. */
static void attach_neighbour(struct gst *g, uint64_t addr)
{
	struct gst_page *p = gst_page_find(g, addr);

	if (p && (p->flags & (GST_PAGE_SENT | GST_PAGE_VOLATILE)))
		return;
	gst_page_attach(g, addr);
	if (g->ctl->req.page_flags[g->ctl->req.n_pages - 1] & REQ_PAGE_ABSENT)
		g->ctl->req.n_pages--;
}

void gst_page_attach_around(struct gst *g, uint64_t addr)
{
	const struct gst_vma *v = gst_vma_find(&g->vmas, addr);
	uint64_t page = GST_PAGE_DOWN(addr);

	if (!v || !(v->prot & PROT_EXEC) || (v->prot & PROT_WRITE) ||
	    (g->ctl->start.chaos & SHR_CHAOS_ONE_PAGE))
		return;
	for (uint64_t i = 1; i < 2 * REQ_MAX_PAGES && g->ctl->req.n_pages < REQ_MAX_PAGES; i++) {
		if (page + i * GST_PAGE < v->hi)
			attach_neighbour(g, page + i * GST_PAGE);
		if (page >= v->lo + i * GST_PAGE && g->ctl->req.n_pages < REQ_MAX_PAGES)
			attach_neighbour(g, page - i * GST_PAGE);
	}
}
