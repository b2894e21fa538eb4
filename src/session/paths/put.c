/* put.c -- writes the contexts of a process as a section of the file: those that counted something,
 * and their callers. */
#include "session/paths/paths.h"

#include <stdlib.h>

#include "session/paths/shadow.h"

/* Number the contexts that the file gets, from 0: those with counts, and their callers. number[] is
 * all 0 before. Returns how many there are. */
static uint32_t choose(const struct ses_paths *p, uint32_t *number)
{
	const struct ses_sums *s = &p->sums[p->depth];
	uint32_t n = 0;

	number[SES_CONTEXT_ROOT] = 1;
	for (uint32_t i = p->tree.n; i-- > 0;) {
		if (!number[i] && !ses_sums_look(s, i))
			continue;
		number[i] = number[pth_context(p, i)->parent] = number[pth_context(p, i)->to] = 1;
	}
	for (uint32_t i = 0; i < p->tree.n; i++)
		number[i] = number[i] ? n++ : 0;
	return n;
}

/* Number of an object in r, which gets it when it is new; from[]: 0, or 1 + that number. */
static uint32_t object_of(struct rec_paths *r, uint32_t *from, char *const *name, uint32_t object)
{
	if (!from[object]) {
		r->object[r->n_object] = name[object];
		from[object] = ++r->n_object;
	}
	return from[object] - 1;
}

static void fill_contexts(const struct ses_paths *p, const uint32_t *number, struct rec_paths *r,
			  char *const *name, uint32_t *from)
{
	const struct ses_sums *s = &p->sums[p->depth];

	for (uint32_t i = 0; i < p->tree.n; i++) {
		struct rec_context *c = &r->context[number[i]];
		const int64_t *count = ses_sums_look(s, i);

		if (i && !number[i])
			continue;
		*c = *pth_context(p, i);
		c->parent = number[c->parent];
		c->to = number[c->to];
		c->site.object = object_of(r, from, name, c->site.object);
		c->entry.object = object_of(r, from, name, c->entry.object);
		c->calls = count ? (uint64_t)count[r->n_event] : 0;
		for (uint32_t e = 0; e < r->n_event; e++)
			r->count[(size_t)number[i] * r->n_event + e] = count ? count[e] : 0;
	}
}

static uint32_t most_object(const struct ses_paths *p)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < p->tree.n; i++) {
		most =
		    pth_context(p, i)->site.object > most ? pth_context(p, i)->site.object : most;
		most =
		    pth_context(p, i)->entry.object > most ? pth_context(p, i)->entry.object : most;
	}
	return most;
}

void ses_paths_put(const struct ses_paths *p, char *const *name, const int64_t *rest,
		   struct rec_bytes *out)
{
	const uint32_t n_object = most_object(p) + 1, n_event = p->sums[p->depth].n_column - 1;
	uint32_t *number = calloc(p->tree.n, sizeof(*number));
	uint32_t *from = calloc(n_object, sizeof(*from));
	struct rec_paths r = {.n_event = n_event, .object = calloc(n_object, sizeof(*r.object))};

	if (number && from && r.object) {
		r.n_context = choose(p, number);
		r.context = calloc(r.n_context, sizeof(*r.context));
		r.count = calloc((size_t)r.n_context * n_event + 1, sizeof(*r.count));
	}
	if (r.context && r.count) {
		fill_contexts(p, number, &r, name, from);
		for (uint32_t e = 0; e < n_event; e++)
			r.count[e] += rest[e];
		rec_paths_put(out, &r);
	} else {
		out->is_lost = true;
	}
	free(number);
	free(from);
	free(r.object);
	free(r.context);
	free(r.count);
}
