/* table.c -- counts by place: rows in the order in which they came, and a hash index that
 * doubles when it fills. */
#include "session/places/table.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 1024u

static uint32_t hash_place(struct rec_place p)
{
	uint64_t x = (p.offset ^ (uint64_t)p.object << 48) * 0x9e3779b97f4a7c15ull;

	return (uint32_t)(x >> 32);
}

/* Twice the index, which then holds what there is. */
static bool grow_index(struct ses_table *t)
{
	const uint32_t n = t->n_index ? 2 * t->n_index : 2 * FIRST_ROOM;
	uint32_t *index = calloc(n, sizeof(*index));

	if (!index)
		return false;
	for (uint32_t i = 0; i < t->n; i++) {
		uint32_t at = hash_place(t->place[i]) & (n - 1);

		while (index[at])
			at = (at + 1) & (n - 1);
		index[at] = i + 1;
	}
	free(t->index);
	t->index = index;
	t->n_index = n;
	return true;
}

static bool grow_table(struct ses_table *t)
{
	const uint32_t room = t->room ? 2 * t->room : FIRST_ROOM;
	void *place = realloc(t->place, room * sizeof(*t->place)), *count;

	if (!place)
		return false;
	t->place = place;
	count = realloc(t->count, (size_t)room * t->n_event * sizeof(*t->count) + 1);
	if (!count)
		return false;
	t->count = count;
	t->room = room;
	return true;
}

int64_t *ses_table_at(struct ses_table *t, struct rec_place p)
{
	uint32_t at;

	if (2 * t->n >= t->n_index && !grow_index(t))
		return NULL;
	at = hash_place(p) & (t->n_index - 1);
	for (; t->index[at]; at = (at + 1) & (t->n_index - 1)) {
		const struct rec_place *q = &t->place[t->index[at] - 1];

		if (q->object == p.object && q->offset == p.offset)
			return t->count + (size_t)(t->index[at] - 1) * t->n_event;
	}
	if (t->n == t->room && !grow_table(t))
		return NULL;
	t->place[t->n] = p;
	t->index[at] = ++t->n;
	return memset(t->count + (size_t)(t->n - 1) * t->n_event, 0,
		      t->n_event * sizeof(*t->count));
}

struct ses_totals *ses_table_sum(struct ses_table *t)
{
	if (!t->sum)
		t->sum = calloc(1, sizeof(*t->sum));
	return t->sum;
}

void ses_table_clear(struct ses_table *t)
{
	free(t->sum);
	t->sum = NULL;
	t->n = 0;
	if (t->index)
		memset(t->index, 0, t->n_index * sizeof(*t->index));
}

void ses_table_free(struct ses_table *t)
{
	free(t->place);
	free(t->count);
	free(t->index);
	free(t->sum);
	memset(t, 0, sizeof(*t));
}
