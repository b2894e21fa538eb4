/* large.h -- a TLB of large pages, beside the one of 4 KB pages.
 *
 * Used by p6/walk and p5/dtlb for whole machines.
 *
 * COUNTING RULES   as tlb.h; an empty entry is filled first.
 * MODELLED         sets and ways; the entry of its set that was filled first goes. A use changes
 *                  nothing, so callers may leave look-ups of the page that was used last out.
 * NOT MODELLED     the real rule of replacement: no source says which it is.
 */
#ifndef SOFTPMU_MODEL_PARTS_LARGE_H
#define SOFTPMU_MODEL_PARTS_LARGE_H

#include <stdbool.h>
#include <stdint.h>

#define LARGE_MOST 16u
#define LARGE_NONE UINT64_MAX

struct large {
	uint64_t key[LARGE_MOST]; /* linear number of a large page, or LARGE_NONE */
	bool is_global[LARGE_MOST];
	uint8_t next[LARGE_MOST]; /* by set: the way that goes */
	uint8_t n_sets, ways;	  /* n_sets: a power of two, or 0: there is no such TLB */
};

/* Make an empty TLB. Returns 0; -SPMU_EINVAL for more than LARGE_MOST entries, or sets that are no
 * power of two. */
int large_open(struct large *t, unsigned entries, unsigned ways);

bool large_has(const struct large *t, uint64_t key);

/* Put a page in that is not there. Returns true when another one went. */
bool large_fill(struct large *t, uint64_t key, bool is_global);

void large_drop(struct large *t, uint64_t key);
void large_empty(struct large *t, bool keeps_global);

#endif
