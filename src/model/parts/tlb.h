/* tlb.h -- one translation lookaside buffer.
 *
 * Used by both families; fulltlb.h is for more ways. Holds pages as parts/pages hands them out; the
 * caller walks on a miss. After pages_forget() it must be emptied, else it would give pages of the
 * old address space.
 *
 * COUNTING RULES   one look-up per access to a page; an access over two pages is two.
 * MODELLED         1 to 16 ways, tree pseudo-LRU or exact LRU.
 * NOT MODELLED     entries of large pages, flushes by system calls or context switches.
 */
#ifndef SOFTPMU_MODEL_PARTS_TLB_H
#define SOFTPMU_MODEL_PARTS_TLB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/parts/pages.h"
#include "model/parts/replace.h"

struct tlb {
	struct page *entry; /* n_sets * ways; key PAGE_NONE = empty */
	uint64_t *order;    /* n_sets replacement words */
	struct repl repl;
	uint32_t n_sets; /* a power of two */
	uint8_t ways;
};

/* Make an empty TLB. Returns 0; -SPMU_EINVAL when entries / ways is no power of two or ways not in
 * 1..16; -SPMU_ENOMEM. */
int tlb_open(struct tlb *t, uint32_t entries, unsigned ways, bool is_lru);
void tlb_close(struct tlb *t);

/* Drop all entries, as a new address space does. */
void tlb_empty(struct tlb *t);

static inline uint32_t tlb_set_of(const struct tlb *t, uint64_t vpn)
{
	return (uint32_t)vpn & (t->n_sets - 1);
}

/* Look `vpn` up and note its use. NULL = miss; nothing changes then. What is returned lies in t,
 * and is another page after the next tlb_fill(). */
static inline const struct page *tlb_find(struct tlb *t, uint64_t vpn)
{
	uint32_t set = tlb_set_of(t, vpn);
	struct page *e = t->entry + (size_t)set * t->ways;

	for (unsigned w = 0; w < t->ways; w++) {
		if (e[w].key == vpn) {
			if (!(t->repl.odd & REPL_ODD_HIT))
				t->order[set] = repl_touch(&t->repl, t->order[set], w);
			return &e[w];
		}
	}
	return NULL;
}

/* Take `vpn` out; nothing happens when it is not there. */
void tlb_drop(struct tlb *t, uint64_t vpn);

/* Look `vpn` up without noting its use. NULL = absent. */
static inline const struct page *tlb_peek(const struct tlb *t, uint64_t vpn)
{
	const struct page *e = t->entry + (size_t)tlb_set_of(t, vpn) * t->ways;

	for (unsigned w = 0; w < t->ways; w++)
		if (e[w].key == vpn)
			return &e[w];
	return NULL;
}

/* The TLB with its shape as constants that the compiler sees; as cache_of_shape(). */
static inline struct tlb tlb_of_shape(const struct tlb *t, unsigned ways, unsigned n_sets)
{
	struct tlb k;

	k.entry = t->entry;
	k.order = t->order;
	k.n_sets = n_sets;
	k.ways = (uint8_t)ways;
	k.repl.ways = (uint8_t)ways;
	k.repl.is_lru = false;
	k.repl.odd = 0;
	return k;
}

/* Put a page in after a miss, and note its use: in an empty way, else in place of the victim. A
 * page that is there already would come to lie in two ways. */
void tlb_fill(struct tlb *t, struct page page);

/* As tlb_fill() for four ways and pseudo-LRU; e: the entries of the set. Returns the way. Returns
 * -1, and does nothing, while a way of the set is empty. Ways are filled in order, so it looks at
 * the last one alone. */
static inline int tlb_fill_four(struct page *e, uint64_t *order, struct page page)
{
	const unsigned way = repl_victim_four(*order);

	if (__builtin_expect(e[3].key == PAGE_NONE, 0))
		return -1;
	e[way] = page;
	*order = repl_touch_four(*order, 1u << way);
	return (int)way;
}

#endif
