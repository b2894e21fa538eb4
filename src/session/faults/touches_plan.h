/* touches_plan.h -- the short way of touches.h: does a block touch nothing but pages that were
 * touched of late?
 *
 * RULE   when it does, touching changes nothing; when it does not, or has what is not planned
 *        here (REP, masked moves, STD, CLD, references by GS), the whole block goes the long
 *        way. --chaos 256 always takes that.
 */
#ifndef SOFTPMU_SESSION_TOUCHES_PLAN_H
#define SOFTPMU_SESSION_TOUCHES_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "x86/block.h"

#define TOUCH_PAGE_LOG2 12u
#define TOUCH_RECENT 1024u

/* Pages touched of late: the page's number + 1 in bits 1 and up; bit 0: it may be written. By
 * the low bits of the number. */
struct touch_recent {
	uint64_t page[TOUCH_RECENT];
	/* counts up when pages were taken away: until then what was touched once needs no second
	 * look; never 0 */
	uint32_t age;
};

static inline bool touch_is_recent(const struct touch_recent *r, uint64_t lin, bool is_write)
{
	const uint64_t number = lin >> TOUCH_PAGE_LOG2;

	return (r->page[number % TOUCH_RECENT] | !is_write) == ((number + 1) << 1 | 1);
}

struct touch_plans {
	uint32_t n_clears;      /* of the store, when the plans were made */
	struct touch_plan *plan; /* owned; by block id */
	size_t room_plan;
	struct touch_ref *ref;  /* owned */
	size_t n_ref, room_ref;
};

/* The first `insns` instructions of block `id` of the store were executed, with these values:
 * all of them, or it goes the long way. fs_base: NULL while it is not known. */
bool touch_plan_is_recent(struct touch_plans *p, const struct touch_recent *r,
			  const struct x86_store *store, uint32_t id, uint32_t insns,
			  const uint8_t *slots, size_t room, const uint64_t *fs_base);

/* Bytes of the records at the begin of [bytes, bytes + n) that are executions of blocks which
 * touch nothing but such pages, as touch_plan_is_recent() found of each of them before. Cost: a
 * few instructions per block and reference. */
size_t touch_plan_pass(const struct touch_plans *p, const struct touch_recent *r,
		       const struct x86_store *store, const uint8_t *bytes, size_t n,
		       const uint64_t *fs_base);
void touch_plan_close(struct touch_plans *p);

#endif
