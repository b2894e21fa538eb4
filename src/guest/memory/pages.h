/* pages.h -- which pages of the program the translator has seen.
 *
 * A sent page that the program may write is write-protected in the host ("guarded"): the first
 * store to it faults, its translations are thrown away, the page is opened again. A page that
 * bounces between writing and executing becomes volatile: it is never guarded and its blocks
 * check themselves. Pages of shared mappings are volatile from the start, because they may be
 * written through another mapping.
 *
 * INVARIANT      every page that softpmu has translated from is guarded, or volatile, or not
 *                writable for the program. If one were not, the program could change its code and
 *                go on in the old translation.
 *
 * NOT MODELLED   changes of the file behind a private mapping that file_change.c does not hear
 *                of.
 */
#ifndef SOFTPMU_GUEST_PAGES_H
#define SOFTPMU_GUEST_PAGES_H

#include <stdint.h>

struct gst;

enum gst_page_flag {
	GST_PAGE_SENT = 1,     /* softpmu has its bytes */
	GST_PAGE_GUARDED = 2,  /* host protection lacks the program's PROT_WRITE */
	GST_PAGE_VOLATILE = 4, /* bounces: never guarded, sent with every question */
	GST_PAGE_KNOWN = 8,    /* the entry is not free */
};

struct gst_page {
	uint64_t addr; /* page aligned */
	uint32_t flags;
	uint32_t bounces; /* times that a store threw its translations away */
};

struct gst_pages {
	uint32_t n, n_guarded;
	uint64_t low, high; /* bounds of all sent pages */
};

/* The entry of the page that holds addr, or NULL when it was never sent. */
struct gst_page *gst_page_find(struct gst *g, uint64_t addr);

/* Why translations are thrown away. */
enum gst_drop {
	GST_DROP_STORE,	  /* the program wrote there: counts towards volatility */
	GST_DROP_KERNEL,  /* a system call will write there: as a store, of guarded pages only */
	GST_DROP_PROTECT, /* it may not be executed any more */
	GST_DROP_GONE,	  /* unmapped or mapped over: the page starts a new life */
};

/* Throw away translations made from [lo, hi): asks softpmu when there are any, opens guarded pages.
 * Returns 1 when some page had been sent. */
int gst_pages_drop(struct gst *g, uint64_t lo, uint64_t hi, enum gst_drop why);

/* The kernel will write into [lo, hi) for the program: open its guarded pages. Returns 1 when
 * there was one. */
int gst_pages_open(struct gst *g, uint64_t lo, uint64_t hi);

/* The bytes in [lo, hi) have changed since they were translated: throw the translations away, even
 * of pages that are not marked as sent. */
void gst_pages_changed(struct gst *g, uint64_t lo, uint64_t hi);

/* Guard sent pages in [lo, hi) again after their host protection was set anew. */
void gst_pages_guard(struct gst *g, uint64_t lo, uint64_t hi);

/* Attach the page of addr to the question in the box, guarded first when it may be written.
 * Returns 0 when the page is not executable (attached as absent). */
int gst_page_attach(struct gst *g, uint64_t addr);

/* Attach pages near addr, in the same mapping, that were not sent yet, as many as fit. */
void gst_page_attach_around(struct gst *g, uint64_t addr);

#endif
