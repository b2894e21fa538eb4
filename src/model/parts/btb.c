/* btb.c -- look-up and replacement of the branch target buffer. */
#include "model/parts/btb.h"

#include <emmintrin.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define RANDOM_START 0x2545f491u

int btb_open(struct btb *b, unsigned entries, unsigned ways)
{
	memset(b, 0, sizeof(*b));
	if (!entries || !ways || entries > BTB_MAX_ENTRIES - 16 || entries % ways)
		return -SPMU_EINVAL;
	b->sets = (uint16_t)(entries / ways);
	b->ways = (uint16_t)ways;
	if (b->sets & (b->sets - 1))
		return -SPMU_EINVAL;
	b->random = RANDOM_START;
	b->entry = aligned_alloc(
	    64,
	    BTB_MAX_ENTRIES * sizeof(*b->entry)); /* none lies in two lines of the host's cache */
	b->target = calloc(BTB_MAX_ENTRIES, sizeof(*b->target));
	b->key = aligned_alloc(64, BTB_MAX_ENTRIES * sizeof(*b->key));
	b->used = calloc(b->sets, sizeof(*b->used));
	if (!b->entry || !b->target || !b->key || !b->used) {
		btb_close(b);
		return -SPMU_ENOMEM;
	}
	btb_empty(b);
	return 0;
}

void btb_empty(struct btb *b)
{
	memset(b->key, 0, BTB_MAX_ENTRIES * sizeof(*b->key));
	memset(b->entry, 0, BTB_MAX_ENTRIES * sizeof(*b->entry));
	memset(b->target, 0, BTB_MAX_ENTRIES * sizeof(*b->target));
	memset(b->used, 0, b->sets * sizeof(*b->used));
}

void btb_close(struct btb *b)
{
	free(b->key);
	free(b->used);
	b->key = NULL;
	b->used = NULL;
	free(b->entry);
	free(b->target);
	b->entry = NULL;
	b->target = NULL;
}

static uint32_t first_of_set(const struct btb *b, uint64_t addr)
{
	return (uint32_t)(addr >> (b->odd & BTB_ODD_SET ? 5 : 4) & (b->sets - 1u)) * b->ways;
}

/* Four ways from `at` on: all bits of those whose key is `key`. */
static __m128i match_four(const struct btb *b, uint32_t at, __m128i key)
{
	return _mm_cmpeq_epi32(_mm_loadu_si128((const __m128i *)(const void *)(b->key + at)), key);
}

/* Sixteen ways from `at` on: a bit for each of them. */
static unsigned match_sixteen(const struct btb *b, uint32_t at, __m128i key)
{
	const __m128i low = _mm_packs_epi32(match_four(b, at, key), match_four(b, at + 4, key));
	const __m128i high =
	    _mm_packs_epi32(match_four(b, at + 8, key), match_four(b, at + 12, key));

	return (unsigned)_mm_movemask_epi8(_mm_packs_epi16(low, high));
}

static inline uint32_t find_in(const struct btb *b, uint32_t first, uint64_t addr)
{
	const uint32_t end = first + b->ways;
	const __m128i key = _mm_set1_epi32((int)(uint32_t)addr);

	if (__builtin_expect(b->ways == 16, 1)) {
		const unsigned hits = match_sixteen(b, first, key);
		const uint32_t hit = first + (unsigned)__builtin_ctz(hits | 1u << 16);

		/* nothing, or one branch: others with the same low half are next to none */
		if (__builtin_expect(!hits, 1))
			return BTB_MISS;
		if (__builtin_expect(b->entry[hit].tag == addr, 1))
			return hit;
	}
	for (uint32_t at = first; at < end; at += 16) {
		for (unsigned hits = match_sixteen(b, at, key); hits; hits &= hits - 1) {
			uint32_t hit = at + (unsigned)__builtin_ctz(hits);

			if (hit < end && b->entry[hit].tag == addr)
				return hit;
		}
	}
	return BTB_MISS;
}

uint32_t btb_find(const struct btb *b, uint64_t addr)
{
	return find_in(b, first_of_set(b, addr), addr);
}

/* Marsaglia's 32-bit xorshift: a fixed sequence, the same in every run. */
static uint32_t next_random(struct btb *b)
{
	b->random ^= b->random << 13;
	b->random ^= b->random >> 17;
	b->random ^= b->random << 5;
	return b->random;
}

static inline uint32_t allocate_in(struct btb *b, uint32_t first, uint64_t addr, bool outcome)
{
	uint16_t *used = &b->used[first / b->ways];
	struct btb_entry *e;
	uint32_t at;

	if (__builtin_expect(*used < b->ways, 0) && !(b->odd & BTB_ODD_EMPTY))
		at = first + (*used)++;
	else if (b->odd & BTB_ODD_RANDOM)
		at = first;
	else
		at = first + (uint32_t)((uint64_t)next_random(b) * b->ways >> 32);
	e = &b->entry[at];
	b->n_entered++;
	b->key[at] = (uint32_t)addr;
	e->tag = addr;
	_mm_storeu_si128(
	    (__m128i *)(void *)e->counter,
	    _mm_set1_epi8((char)(b->odd & BTB_ODD_COUNTER ? 3 * outcome : 1 + outcome)));
	e->history = outcome != !!(b->odd & BTB_ODD_HISTORY) ? 15 : 0;
	e->steady = 0;
	b->target[at] = 0;
	return at;
}

uint32_t btb_allocate(struct btb *b, uint64_t addr, bool outcome)
{
	return allocate_in(b, first_of_set(b, addr), addr, outcome);
}

uint32_t btb_find_or_allocate(struct btb *b, uint64_t addr, bool outcome, bool *is_new)
{
	const uint32_t first = first_of_set(b, addr);
	const uint32_t at = find_in(b, first, addr);

	*is_new = at == BTB_MISS;
	return __builtin_expect(*is_new, 1) ? allocate_in(b, first, addr, outcome) : at;
}
