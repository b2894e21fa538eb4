/* stacks.c -- stacks of contexts and of places. Rules: stacks.h. */
#include "where/stacks.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "where/calls.h"

#define MACHINE "[machine]"

static struct whr_spot spot(struct nm *names, char *const *objects, const struct rec_place *place)
{
	const char *object = objects[place->object];
	const struct nm_at at = nm_find(names, object, place->offset, true);

	return (struct whr_spot){object, place->offset, at.file ? at.file : "",
				 at.file ? at.line : 0};
}

static const struct whr_spot nowhere = {"", 0, "", 0};

/* Contexts of process i. The process itself is nobody's caller. */
static void add_contexts(struct whr_stacks *s, const struct rec *r, struct nm *names, uint32_t i)
{
	const struct rec_paths *p = &r->paths[i];
	const uint32_t first = s->n;

	for (uint32_t k = 0; k < p->n_context; k++) {
		const struct rec_context *c = &p->context[k];
		const bool has_code = c->kind > REC_PATH_DEEPER;
		const bool has_site = c->kind == REC_PATH_CALL || c->kind == REC_PATH_JUMP;

		s->stack[s->n++] = (struct whr_stack){
		    .caller = c->parent ? first + c->parent : WHR_NOBODY,
		    .process = i,
		    .function = whr_context_name(r, i, k, names),
		    .at = has_code ? spot(names, p->object, &c->entry) : nowhere,
		    .site = has_site ? spot(names, p->object, &c->site) : nowhere,
		    .count = rec_path_counts(p, k)};
	}
}

static void add_places(struct whr_stacks *s, const struct rec *r, struct nm *names, uint32_t i)
{
	const struct rec_process *p = &r->process[i];

	for (uint32_t k = 0; k < p->n_place; k++)
		s->stack[s->n++] = (struct whr_stack){
		    .caller = WHR_NOBODY,
		    .process = i,
		    .function = whr_place_name(r, i, p->object, &p->place[k], names),
		    .at = spot(names, p->object, &p->place[k]),
		    .site = nowhere,
		    .count = rec_counts(p, k)};
}

int whr_stacks_build(struct whr_stacks *s, const struct rec *r, struct nm *names)
{
	size_t most = 1;

	*s = (struct whr_stacks){.n_event = r->n_event};
	for (uint32_t i = 0; i < r->n_process; i++)
		most +=
		    1u + (r->paths[i].n_context ? r->paths[i].n_context : r->process[i].n_place);
	s->stack = most < WHR_NOBODY ? calloc(most, sizeof(*s->stack)) : NULL;
	if (!s->stack)
		return -SPMU_ENOMEM;
	for (uint32_t i = 0; i < r->n_process; i++) {
		if (r->paths[i].n_context)
			add_contexts(s, r, names, i);
		else
			add_places(s, r, names, i);
		s->stack[s->n++] = (struct whr_stack){.caller = WHR_NOBODY,
						      .process = i,
						      .function = MACHINE,
						      .at = nowhere,
						      .site = nowhere,
						      .count = r->process[i].machine};
	}
	return 0;
}

void whr_stacks_free(struct whr_stacks *s)
{
	free(s->stack);
	memset(s, 0, sizeof(*s));
}
