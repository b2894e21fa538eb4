/* sums.c -- rows in the order in which they came, and the row of each context. */
#include "session/paths/sums.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 256u

static bool grow_contexts(struct ses_sums *s, uint32_t context)
{
	uint32_t n = s->n_context ? s->n_context : FIRST_ROOM, *p;

	while (n <= context)
		n *= 2;
	p = realloc(s->row, n * sizeof(*p));
	if (!p)
		return false;
	memset(p + s->n_context, 0, (n - s->n_context) * sizeof(*p));
	s->row = p;
	s->n_context = n;
	return true;
}

static bool grow_sums(struct ses_sums *s)
{
	const uint32_t room = s->room ? 2 * s->room : FIRST_ROOM;
	void *p = realloc(s->count, (size_t)room * s->n_column * sizeof(*s->count));

	if (!p)
		return false;
	s->count = p;
	s->room = room;
	return true;
}

int64_t *ses_sums_at(struct ses_sums *s, uint32_t context)
{
	if (context >= s->n_context && !grow_contexts(s, context))
		return NULL;
	if (s->row[context])
		return s->count + (size_t)(s->row[context] - 1) * s->n_column;
	if (s->n == s->room && !grow_sums(s))
		return NULL;
	s->row[context] = ++s->n;
	return memset(s->count + (size_t)(s->n - 1) * s->n_column, 0,
		      s->n_column * sizeof(*s->count));
}

const int64_t *ses_sums_look(const struct ses_sums *s, uint32_t context)
{
	return context < s->n_context && s->row[context]
		   ? s->count + (size_t)(s->row[context] - 1) * s->n_column
		   : NULL;
}

void ses_sums_clear(struct ses_sums *s)
{
	s->n = 0;
	if (s->row)
		memset(s->row, 0, s->n_context * sizeof(*s->row));
}

void ses_sums_free(struct ses_sums *s)
{
	free(s->row);
	free(s->count);
	s->row = NULL;
	s->count = NULL;
	s->n = s->room = s->n_context = 0;
}
