/* rsb.h -- return stack buffer: the addresses that the next RETs will go to.
 *
 * Used by p6/btb and p5/rsb.
 *
 * COUNTING RULES   CALL pushes, RET pops; a full buffer overwrites its oldest entry.
 * MODELLED         up to 64 entries, round robin; an empty buffer predicts nothing.
 * NOT MODELLED     stale entries that answer after the buffer ran empty; repair after a wrong path.
 */
#ifndef SOFTPMU_MODEL_PARTS_RSB_H
#define SOFTPMU_MODEL_PARTS_RSB_H

#include <stdint.h>

#define RSB_MAX_ENTRIES 64u

struct rsb {
	uint64_t entry[RSB_MAX_ENTRIES];
	uint8_t size;  /* 1..RSB_MAX_ENTRIES */
	uint8_t top;   /* index of the newest entry */
	uint8_t depth; /* entries in use */
};

/* A CALL is executed whose RET goes to addr; size is 1 at least. Pushes and pops come in program
 * order: each RET is predicted by the newest CALL that has not returned. */
static inline void rsb_push(struct rsb *r, uint64_t addr)
{
	r->top = r->top + 1 == r->size ? 0 : (uint8_t)(r->top + 1);
	r->entry[r->top] = addr;
	r->depth = (uint8_t)(r->depth + (r->depth < r->size));
}

/* The predicted return address, or 0 when there is none. */
static inline uint64_t rsb_pop(struct rsb *r)
{
	uint64_t addr;

	if (!r->depth)
		return 0;
	addr = r->entry[r->top];
	r->top = r->top ? (uint8_t)(r->top - 1) : (uint8_t)(r->size - 1);
	r->depth--;
	return addr;
}

#endif
