/* btb.c -- look-up and replacement of the branch target buffer. */
#include "model/parts/btb.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define RANDOM_START 0x2545f491u

int btb_open(struct btb *b, unsigned entries, unsigned ways)
{
	memset(b, 0, sizeof(*b));
	if (!entries || !ways || entries > BTB_MAX_ENTRIES || entries % ways)
		return -SPMU_EINVAL;
	b->sets = (uint16_t)(entries / ways);
	b->ways = (uint16_t)ways;
	if (b->sets & (b->sets - 1))
		return -SPMU_EINVAL;
	b->random = RANDOM_START;
	b->entry = calloc(BTB_MAX_ENTRIES, sizeof(*b->entry));
	b->target = calloc(BTB_MAX_ENTRIES, sizeof(*b->target));
	if (!b->entry || !b->target) {
		btb_close(b);
		return -SPMU_ENOMEM;
	}
	return 0;
}

void btb_close(struct btb *b)
{
	free(b->entry);
	free(b->target);
	b->entry = NULL;
	b->target = NULL;
}

static uint32_t first_of_set(const struct btb *b, uint64_t addr)
{
	return (uint32_t)(addr >> 4 & (b->sets - 1u)) * b->ways;
}

uint32_t btb_find(const struct btb *b, uint64_t addr)
{
	uint32_t first = first_of_set(b, addr);

	for (uint32_t at = first; at < first + b->ways; at++)
		if (b->entry[at].tag == addr)
			return at;
	return BTB_MISS;
}

/* Marsaglia's 32-bit xorshift: a fixed sequence, the same in every run. */
static uint32_t next_random(struct btb *b)
{
	b->random ^= b->random << 13;
	b->random ^= b->random >> 17;
	b->random ^= b->random << 5;
	return b->random;
}

uint32_t btb_allocate(struct btb *b, uint64_t addr, bool outcome)
{
	uint32_t first = first_of_set(b, addr), at = first;

	while (at < first + b->ways && b->entry[at].tag)
		at++;
	if (at == first + b->ways)
		at = first + (uint32_t)((uint64_t)next_random(b) * b->ways >> 32);
	b->entry[at].tag = addr;
	memset(b->entry[at].counter, outcome ? 2 : 1, sizeof(b->entry[at].counter));
	b->entry[at].history = outcome ? 15 : 0;
	b->target[at] = 0;
	return at;
}
