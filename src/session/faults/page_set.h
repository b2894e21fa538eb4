/* page_set.h -- flags of pages, by number: a table that grows with the pages that have some. */
#ifndef SOFTPMU_SESSION_PAGE_SET_H
#define SOFTPMU_SESSION_PAGE_SET_H

#include <stddef.h>
#include <stdint.h>

struct page_set_entry {
	uint64_t key;   /* number of the page + 1; 0 = free */
	uint32_t flags; /* 0: none (any more) */
};

struct page_set {
	struct page_set_entry *entry; /* owned; open addressing */
	size_t n, room;               /* room: a power of two */
};

/* An empty set. Returns 0 or -ENOMEM. */
int page_set_open(struct page_set *s);
void page_set_close(struct page_set *s);

/* Flags of page `number`; 0: none. Cost: a look or two at memory. */
uint32_t page_set_get(const struct page_set *s, uint64_t number);

/* Give page `number` these flags. Without memory for more pages nothing is kept of it. */
void page_set_put(struct page_set *s, uint64_t number, uint32_t flags);

/* Pages [lo, hi) have none; no page has any. Cost: at most the whole table. */
void page_set_drop(struct page_set *s, uint64_t lo, uint64_t hi);
void page_set_clear(struct page_set *s);

#endif
