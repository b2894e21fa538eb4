/* fulltlb.h -- a TLB in which every entry is compared, with exact LRU; for more ways than tlb.h has.
 *
 * Used by p5/dtlb for the Pentium with MMX, whose TLBs are fully associative.
 *
 * COUNTING RULES   as tlb.h. Empty entries are filled first.
 * MODELLED         1 to FULLTLB_MAX entries, exact LRU: each use stamps its entry with a running number.
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
	uint8_t hint[FULLTLB_HINTS];	/* by low bits of the page number: where it was last */
	uint32_t n;
};

/* Make an empty TLB of `entries` (1..FULLTLB_MAX). Returns 0 or -SPMU_EINVAL. */
int fulltlb_open(struct fulltlb *t, uint32_t entries);

/* Drop all entries, as a new address space does. */
void fulltlb_empty(struct fulltlb *t);

/* Look `vpn` up where it was last and note its use. NULL: it may be elsewhere; nothing changes then. */
static inline const struct page *fulltlb_find_again(struct fulltlb *t, uint64_t vpn)
{
	const uint32_t i = t->hint[vpn & (FULLTLB_HINTS - 1)];

	if (t->entry[i].key != vpn)
		return NULL;
	t->used[i] = ++t->now;
	return &t->entry[i];
}

/* Look `vpn` up by a search and note its use. NULL = miss; nothing changes then. */
const struct page *fulltlb_find(struct fulltlb *t, uint64_t vpn);

/* Put a page in after a miss, in place of the one not used for the longest time. */
void fulltlb_fill(struct fulltlb *t, struct page page);

#endif
