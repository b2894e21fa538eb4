/* fulltlb.h -- a TLB in which every entry is compared, with exact LRU; for more ways than tlb.h
 * has.
 *
 * Used by p5/dtlb and p5/itlb for the Pentium with MMX, whose TLBs are fully associative. It owns
 * no memory: there is nothing to close.
 *
 * COUNTING RULES   as tlb.h. Empty entries are filled first.
 * MODELLED         1 to FULLTLB_MAX entries, exact LRU: each use stamps its entry with a running
 *                  number.
 */
#ifndef SOFTPMU_MODEL_PARTS_FULLTLB_H
#define SOFTPMU_MODEL_PARTS_FULLTLB_H

#include <stddef.h>
#include <stdint.h>

#include "model/parts/pages.h"

#define FULLTLB_MAX   256u
#define FULLTLB_HINTS 256u

struct fulltlb {
	struct page entry[FULLTLB_MAX]; /* key PAGE_NONE = empty */
	uint64_t used[FULLTLB_MAX];	/* when: larger is later */
	uint64_t now;
	/* entries in lists, by low bits of their page number */
	uint8_t hint[FULLTLB_HINTS];  /* first entry of a list: the one that was used last */
	uint16_t held[FULLTLB_HINTS]; /* length of a list; what lies beyond it means nothing */
	uint8_t behind[FULLTLB_MAX];  /* the entry after this one in its list */
	/* entries in the order of their last use before sorted_at; those before `next` were
	 * replaced or used since */
	uint8_t order[FULLTLB_MAX];
	uint64_t sorted_at;
	uint32_t next, n;
};

/* Make an empty TLB of `entries` (1..FULLTLB_MAX). Returns 0 or -SPMU_EINVAL. */
int fulltlb_open(struct fulltlb *t, uint32_t entries);

/* Drop all entries, as a new address space does. */
void fulltlb_empty(struct fulltlb *t);

/* Take `vpn` out; nothing happens when it is not there. */
void fulltlb_drop(struct fulltlb *t, uint64_t vpn);

/* Look at the first entry of the list of `vpn`, and note its use when it is that page. NULL: the
 * page may be in another entry; nothing changes then. */
static inline const struct page *fulltlb_find_again(struct fulltlb *t, uint64_t vpn)
{
	const uint32_t i = t->hint[vpn & (FULLTLB_HINTS - 1)];

	if (t->entry[i].key != vpn)
		return NULL;
	t->used[i] = ++t->now;
	return &t->entry[i];
}

/* Look `vpn` up and note its use. NULL = miss; nothing changes then. What is returned lies in t,
 * and is another page after the next fulltlb_fill(). Cost: the entries with the same low bits. */
const struct page *fulltlb_find(struct fulltlb *t, uint64_t vpn);

/* Put a page in after a miss, in place of the one not used for the longest time; fulltlb_find() has
 * said that it is not there, else it would have two entries. Cost: some ns when
 * misses come one after another, else those of a pass over all entries now and then. */
void fulltlb_fill(struct fulltlb *t, struct page page);

#endif
