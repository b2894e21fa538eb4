/* large.c -- a TLB of large pages. Rules: large.h. */
#include "model/parts/large.h"

#include <string.h>

#include "base/error.h"

int large_open(struct large *t, unsigned entries, unsigned ways)
{
	const unsigned n_sets = ways ? entries / ways : 0;

	memset(t, 0, sizeof(*t));
	if (entries > LARGE_MOST || !n_sets || n_sets * ways != entries || (n_sets & (n_sets - 1)))
		return -SPMU_EINVAL;
	t->n_sets = (uint8_t)n_sets;
	t->ways = (uint8_t)ways;
	large_empty(t, false);
	return 0;
}

/* The first entry of the set of `key`. */
static unsigned first_of(const struct large *t, uint64_t key)
{
	return (unsigned)(key & (t->n_sets - 1u)) * t->ways;
}

bool large_has(const struct large *t, uint64_t key)
{
	for (unsigned i = 0; t->n_sets && i < t->ways; i++)
		if (t->key[first_of(t, key) + i] == key)
			return true;
	return false;
}

bool large_fill(struct large *t, uint64_t key, bool is_global)
{
	const unsigned first = first_of(t, key), set = first / t->ways;
	unsigned way = t->next[set];
	bool goes = true;

	for (unsigned i = t->ways; i--;) {
		if (t->key[first + i] == LARGE_NONE) {
			way = i;
			goes = false;
		}
	}
	if (goes)
		t->next[set] = (uint8_t)((way + 1) % t->ways);
	t->key[first + way] = key;
	t->is_global[first + way] = is_global;
	return goes;
}

void large_drop(struct large *t, uint64_t key)
{
	for (unsigned i = 0; i < LARGE_MOST; i++)
		if (t->key[i] == key)
			t->key[i] = LARGE_NONE;
}

void large_empty(struct large *t, bool keeps_global)
{
	for (unsigned i = 0; i < LARGE_MOST; i++)
		if (!keeps_global || !t->is_global[i])
			t->key[i] = LARGE_NONE;
	if (!keeps_global)
		memset(t->next, 0, sizeof(t->next));
}
