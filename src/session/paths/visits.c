/* visits.c -- visits in the order in which they came, and a hash index. Rules: visits.h. */
#include "session/paths/visits.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define FIRST_ROOM 4096u

static uint32_t hash_visit(uint32_t context, uint32_t block)
{
	return (uint32_t)(((uint64_t)context << 32 | block) * 0x9e3779b97f4a7c15ull >> 32);
}

static bool grow_visits(struct ses_visits *v)
{
	const uint32_t room = v->room ? 2 * v->room : FIRST_ROOM;
	void *p = realloc(v->at, room * sizeof(*v->at));
	uint32_t *index;

	if (!p)
		return false;
	v->at = p;
	index = calloc(2 * room, sizeof(*index));
	if (!index)
		return false;
	v->room = room;
	free(v->index);
	v->index = index;
	v->n_index = 2 * room;
	for (uint32_t i = 1; i < v->n; i++) {
		uint32_t at = hash_visit(v->at[i].context, v->at[i].block) & (v->n_index - 1);

		while (index[at])
			at = (at + 1) & (v->n_index - 1);
		index[at] = i;
	}
	return true;
}

int ses_visits_open(struct ses_visits *v)
{
	memset(v, 0, sizeof(*v));
	if (!grow_visits(v))
		return -SPMU_ENOMEM;
	ses_visits_clear(v);
	return 0;
}

void ses_visits_close(struct ses_visits *v)
{
	free(v->at);
	free(v->index);
	memset(v, 0, sizeof(*v));
}

void ses_visits_clear(struct ses_visits *v)
{
	memset(v->index, 0, v->n_index * sizeof(*v->index));
	v->at[0] = (struct mdl_visit){0};
	v->n = 1;
}

uint32_t ses_visits_find(struct ses_visits *v, uint32_t context, uint32_t block)
{
	uint32_t at = hash_visit(context, block) & (v->n_index - 1);

	for (; v->index[at]; at = (at + 1) & (v->n_index - 1)) {
		const struct mdl_visit *is = &v->at[v->index[at]];

		if (is->context == context && is->block == block)
			return v->index[at];
	}
	if (v->n == v->room) {
		if (grow_visits(v))
			return ses_visits_find(v, context, block);
		v->is_lost = true;
		return 0;
	}
	v->at[v->n] = (struct mdl_visit){.context = context, .block = block};
	v->index[at] = v->n;
	return v->n++;
}

static int by_context(const void *a, const void *b)
{
	const struct mdl_visit *v = a, *w = b;

	if (v->context != w->context)
		return v->context < w->context ? -1 : 1;
	return v->block < w->block ? -1 : v->block > w->block;
}

const struct mdl_visit *ses_visits_sort(struct ses_visits *v, size_t *n)
{
	*n = v->n - 1;
	qsort(v->at + 1, *n, sizeof(*v->at), by_context);
	return v->at + 1;
}
