/* touches_plan.h -- the fast path of touches.h: finds out if a block touches only pages that were
 * touched recently.
 *
 * RULE    if it does, touching changes nothing, and the block needs no further work.
 *         If it does not, or has instructions that no plan holds (REP, masked moves, STD, CLD,
 *         references by GS), the whole block takes the slow path. --chaos 256 always takes the
 *         slow path.
 * PLANS   a plan is made at the first question about its block. All plans are thrown away when the
 *         store of blocks has been cleared.
 */
#ifndef SOFTPMU_SESSION_TOUCHES_PLAN_H
#define SOFTPMU_SESSION_TOUCHES_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "x86/block.h"

#define TOUCH_PAGE_LOG2 12u
#define TOUCH_RECENT	1024u

/* Pages touched recently, indexed by the low bits of the page number. An entry holds the number + 1
 * in bits 1 and up; bit 0: the page may be written. */
struct touch_recent {
	uint64_t page[TOUCH_RECENT];
	/* Increased when pages are taken away. What was touched in the present age needs no second
	 * check. Never 0. */
	uint32_t age;
};

static inline bool touch_is_recent(const struct touch_recent *r, uint64_t lin, bool is_write)
{
	const uint64_t number = lin >> TOUCH_PAGE_LOG2;

	return (r->page[number % TOUCH_RECENT] | !is_write) == ((number + 1) << 1 | 1);
}

/* All zero at the beginning. */
struct touch_plans {
	uint32_t n_clears;	 /* x86_store_clears() when the plans were made */
	struct touch_plan *plan; /* owned; by block id */
	size_t room_plan;
	struct touch_ref *ref; /* owned */
	size_t n_ref, room_ref;
};

/* The first `insns` instructions of block `id` of the store were executed. slots: its `room` bytes
 * of values, as in its record; fs_base: NULL while it is not known. Returns true if only recent
 * pages were touched. Returns false if the slow path must be taken: for another page, for a block
 * that no plan holds, if fewer than all instructions were executed, or without memory for a
 * plan. */
bool touch_plan_is_recent(struct touch_plans *p, const struct touch_recent *r,
			  const struct x86_store *store, uint32_t id, uint32_t insns,
			  const uint8_t *slots, size_t room, const uint64_t *fs_base);

/* Returns the size of the records at the beginning of [bytes, bytes + n) that are executions of
 * blocks which touch only recent pages. Only blocks that touch_plan_is_recent() has seen before
 * count. Cost: a few instructions per block and reference. */
size_t touch_plan_pass(const struct touch_plans *p, const struct touch_recent *r,
		       const struct x86_store *store, const uint8_t *bytes, size_t n,
		       const uint64_t *fs_base);

/* Free the plans. *p is then as at the beginning, all zero. */
void touch_plan_close(struct touch_plans *p);

#endif
