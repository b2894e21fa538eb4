/* page_set.h -- flags of pages, by page number: a hash table that holds the pages with flags. */
#ifndef SOFTPMU_SESSION_PAGE_SET_H
#define SOFTPMU_SESSION_PAGE_SET_H

#include <stddef.h>
#include <stdint.h>

struct page_set_entry {
	uint64_t key;	/* number of the page + 1; 0 = free */
	uint32_t flags; /* 0 = the page has no flags any more */
};

struct page_set {
	struct page_set_entry *entry; /* owned; open addressing */
	size_t n, room;		      /* room: a power of two */
};

/* An empty set. Returns 0 or -ENOMEM. */
int page_set_open(struct page_set *s);
void page_set_close(struct page_set *s);

/* Returns the flags of page `number`; 0: it has none. Cost: one or two accesses to memory. */
uint32_t page_set_get(const struct page_set *s, uint64_t number);

/* Set the flags of page `number`. Without memory for more pages the flags are lost. */
void page_set_put(struct page_set *s, uint64_t number, uint32_t flags);

/* Clear the flags of pages [lo, hi), or of all pages. Cost: at most a walk over the table. */
void page_set_drop(struct page_set *s, uint64_t lo, uint64_t hi);
void page_set_clear(struct page_set *s);

#endif
