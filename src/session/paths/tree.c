/* tree.c -- contexts by number, and a hash index that doubles when it fills. Rules: tree.h. */
#include "session/paths/tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define FIRST_ROOM 1024u

static uint32_t hash_context(const struct rec_context *c)
{
	uint64_t x = c->parent * 0x9e3779b97f4a7c15ull ^ (uint64_t)c->kind << 60;

	x = (x ^ c->site.offset ^ (uint64_t)c->site.object << 48) * 0x9e3779b97f4a7c15ull;
	x = (x ^ x >> 32 ^ c->entry.offset ^ (uint64_t)c->entry.object << 48) *
	    0x9e3779b97f4a7c15ull;
	return (uint32_t)(x >> 32);
}

static bool is_same_place(struct rec_place a, struct rec_place b)
{
	return a.object == b.object && a.offset == b.offset;
}

static bool grow_index(struct ses_tree *t)
{
	const uint32_t n = t->n_index ? 2 * t->n_index : 2 * FIRST_ROOM;
	uint32_t *index = calloc(n, sizeof(*index));

	if (!index)
		return false;
	for (uint32_t i = SES_N_CONTEXTS; i < t->n; i++) {
		uint32_t *first = &index[hash_context(&t->at[i].is) & (n - 1)];

		if (t->at[i].is_alone)
			continue;
		t->at[i].next = *first;
		*first = i;
	}
	free(t->index);
	t->index = index;
	t->n_index = n;
	return true;
}

static bool grow_tree(struct ses_tree *t)
{
	const uint32_t room = t->room ? 2 * t->room : FIRST_ROOM;
	void *p = t->n < SES_MOST_CONTEXTS ? realloc(t->at, room * sizeof(*t->at)) : NULL;

	if (!p)
		return false;
	t->at = p;
	t->room = room;
	return true;
}

int ses_tree_open(struct ses_tree *t)
{
	static const uint8_t kind[] = {REC_PATH_ROOT, REC_PATH_UNKNOWN, REC_PATH_DEEPER};

	memset(t, 0, sizeof(*t));
	if (!grow_tree(t) || !grow_index(t))
		return -SPMU_ENOMEM;
	for (; t->n < SES_N_CONTEXTS; t->n++)
		t->at[t->n] = (struct ses_context){.is = {.kind = kind[t->n], .to = t->n}};
	return 0;
}

void ses_tree_close(struct ses_tree *t)
{
	free(t->at);
	free(t->index);
	memset(t, 0, sizeof(*t));
}

/* The context on the way to `from` whose code begins there, or 0. */
static uint32_t on_the_way(const struct ses_tree *t, uint32_t from, struct rec_place entry)
{
	for (; from >= SES_N_CONTEXTS; from = t->at[from].is.parent)
		if (is_same_place(t->at[from].is.entry, entry))
			return from;
	return 0;
}

/* Add a context to the tree, and not to the index. */
static uint32_t add(struct ses_tree *t, const struct rec_context *as)
{
	const uint32_t i = t->n, to = on_the_way(t, as->parent, as->entry);

	if ((t->n == t->room && !grow_tree(t)) || (t->n > t->n_index && !grow_index(t)))
		return SES_CONTEXT_DEEPER;
	t->n++;
	t->at[i] = (struct ses_context){.is = *as,
					.sibling = t->at[as->parent].first,
					.is_in = t->at[as->parent].is_in,
					.is_under = t->at[as->parent].is_under};
	t->at[i].is.to = to ? to : i;
	t->at[i].is.calls = 0;
	t->at[as->parent].first = i;
	return i;
}

uint32_t ses_tree_alone(struct ses_tree *t, const struct rec_context *as)
{
	const uint32_t i = add(t, as);

	if (i != SES_CONTEXT_DEEPER)
		t->at[i].is_alone = true;
	return i;
}

uint32_t ses_tree_child(struct ses_tree *t, const struct rec_context *as)
{
	uint32_t *first, i;

	for (i = t->index[hash_context(as) & (t->n_index - 1)]; i; i = t->at[i].next) {
		const struct rec_context *is = &t->at[i].is;

		if (is->parent == as->parent && is->kind == as->kind &&
		    is_same_place(is->site, as->site) && is_same_place(is->entry, as->entry))
			return i;
	}
	i = add(t, as);
	if (i == SES_CONTEXT_DEEPER)
		return i;
	first = &t->index[hash_context(as) & (t->n_index - 1)];
	t->at[i].next = *first;
	*first = i;
	return i;
}
