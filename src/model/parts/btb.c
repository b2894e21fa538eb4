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
	b->tag = calloc(BTB_MAX_ENTRIES, sizeof(*b->tag));
	b->counter = calloc(BTB_MAX_ENTRIES, 16);
	b->history = calloc(BTB_MAX_ENTRIES, 1);
	b->target = calloc(BTB_MAX_ENTRIES, sizeof(*b->target));
	if (!b->tag || !b->counter || !b->history || !b->target) {
		btb_close(b);
		return -SPMU_ENOMEM;
	}
	return 0;
}

void btb_close(struct btb *b)
{
	free(b->tag);
	free(b->counter);
	free(b->history);
	free(b->target);
	b->tag = b->target = NULL;
	b->counter = b->history = NULL;
}

static uint32_t first_of_set(const struct btb *b, uint64_t addr)
{
	return (uint32_t)(addr >> 4 & (b->sets - 1u)) * b->ways;
}

uint32_t btb_find(const struct btb *b, uint64_t addr)
{
	uint32_t first = first_of_set(b, addr);

	for (uint32_t at = first; at < first + b->ways; at++)
		if (b->tag[at] == addr)
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

	while (at < first + b->ways && b->tag[at])
		at++;
	if (at == first + b->ways)
		at = first + (uint32_t)((uint64_t)next_random(b) * b->ways >> 32);
	b->tag[at] = addr;
	b->target[at] = 0;
	memset(b->counter + (size_t)at * 16, outcome ? 2 : 1, 16);
	b->history[at] = outcome ? 15 : 0;
	return at;
}
