/* pages.h -- the virtual-to-physical function: linear page -> page identity and colour.
 *
 * Used by the TLBs and the page walker of every model with caches. A page gets its identity, a
 * small dense number, when it is first touched, and keeps it. Identity and colour together are its
 * frame. When the program is replaced all pages go; identities that no cache names any more are
 * given again, lowest first, so that the number of identities does not grow with the number of
 * programs.
 *
 * COUNTING RULES   caches compare identities and index with the colour, the frame bits below the
 *                  size of the largest cache way. Bits above the colour cannot be observed.
 * MODELLED         colour kept from the linear address (default, and identity, which gives the same
 *                  counts by the rule above); pseudo-random colour from a seed.
 * NOT MODELLED     two linear pages on one frame; a new frame after munmap; large pages.
 * SOURCES          the mapping is chosen, docs/MODELS.md "walk".
 */
#ifndef SOFTPMU_MODEL_PARTS_PAGES_H
#define SOFTPMU_MODEL_PARTS_PAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "model/parts/cache.h"

#define PAGE_LOG2 12u
#define PAGE_NONE UINT64_MAX

/* One page as TLBs and caches know it. */
struct page {
	uint64_t key;	 /* linear page number, or that of a table page (pages_table_key) */
	uint32_t id;	 /* dense, 0 ... */
	uint32_t colour; /* below the number of colours */
};

struct pages {
	struct page *slot;  /* open addressing; key PAGE_NONE = free */
	uint16_t *colour;   /* by id */
	uint8_t *named;	    /* bit per id below n_old: a cache names it still */
	uint32_t n_slots;   /* a power of two */
	uint32_t n_used;    /* slots that hold a page */
	uint32_t n, n_room; /* identities given so far; room in colour[] */
	/* identities below n_old were given to an earlier program; the search for free ones among
	 * them has come to `old` */
	uint32_t n_old, old;
	uint32_t colours; /* a power of two */
	uint64_t seed;
	bool is_random;
	/* with keeps_order: keys in the order in which they got their frames; the caller may
	 * drop the first ones */
	uint64_t *order;
	uint32_t n_order, order_room;
	bool keeps_order, is_order_lost;
	bool is_full; /* memory ran out: from there pages share identity 0 */
};

/* Prepare an empty mapping with 2^colour_log2 colours (at most 2^16).
 * Returns 0 or -SPMU_ENOMEM. pages_close() frees it. */
int pages_open(struct pages *p, unsigned colour_log2, bool is_random, uint64_t seed);
void pages_close(struct pages *p);

/* A new address space: no page has a frame yet. pages_keep() follows for every cache that is not
 * empty, before the next pages_get(): a frame of which a cache still holds lines would be given
 * again, and the new program would hit lines of the old one. Whatever else remembers frames (TLBs,
 * notes of walks) must be emptied. */
void pages_forget(struct pages *p);

/* Frames of which c holds lines are not given again before the next pages_forget(). Cost: all tags
 * of c. */
void pages_keep(struct pages *p, const struct cache *c);

/* As pages_keep(), for the frame of identity `id`. */
void pages_keep_one(struct pages *p, uint32_t id);

/* Find a page, giving it its frame on first touch. Cannot fail: without memory the page shares
 * identity 0, and is_full says so. `colour` may move in it: read p->colour anew afterwards. Frames
 * are given in the order of first touches, so an early look changes later frames. Cost: one hash
 * probe. */
struct page pages_get(struct pages *p, uint64_t key);

/* Does the page have a frame? Changes nothing. */
bool pages_has(const struct pages *p, uint64_t key);

/* As pages_has(); then *id is its identity. */
bool pages_peek(const struct pages *p, uint64_t key, uint32_t *id);

/* Key of the page of the synthetic page table of `level` (1: PTEs, 2: PDEs) number `index`. */
static inline uint64_t pages_table_key(unsigned level, uint64_t index)
{
	return index | (uint64_t)level << 60;
}

/* Where the entry of page `vpn` lies in the table of `level`: two levels, entries of 4 bytes, 1024
 * to a table page. An entry of level 2 says where a table page of level 1 lies. */
struct pages_entry {
	uint64_t key; /* of its table page */
	uint32_t offset;
};

static inline struct pages_entry pages_entry(unsigned level, uint64_t vpn)
{
	const uint64_t index = vpn >> 10 * (level - 1);

	return (struct pages_entry){pages_table_key(level, index >> 10),
				    (uint32_t)(index & 1023) * 4};
}

#endif
