/* ask.c -- questions to a model that goes on running: calls to its family, bounds of events. */
#include "model/ask.h"

#include "catalog/catalog.h"
#include "model/family.h"

void mdl_executions(struct mdl *m, uint64_t *total)
{
	for (unsigned wire = 0; wire < WIRE_N; wire++)
		total[wire] = 0;
	m->family->executions(m->self, total);
}

void mdl_add_once(struct mdl *m, uint32_t id, uint64_t times, uint64_t *total)
{
	m->family->add_once(m->self, id, times, total);
}

void mdl_times(struct mdl *m, uint64_t *times, uint32_t n)
{
	for (uint32_t id = 0; id < n; id++)
		times[id] = 0;
	if (m->family->times)
		m->family->times(m->self, times, n);
}

void mdl_finish_with(struct mdl *m, const uint64_t *total)
{
	m->family->finish_with(m->self, total);
}

void mdl_peek(struct mdl *m, const uint64_t *total)
{
	(m->family->peek ? m->family->peek : m->family->finish_with)(m->self, total);
}

void mdl_peek_all(struct mdl *m)
{
	uint64_t total[WIRE_N];

	for (; m; m = m->next) {
		mdl_executions(m, total);
		mdl_peek(m, total);
	}
}

uint64_t mdl_unseen(struct mdl *m, uint32_t id, unsigned wire)
{
	return m->family->unseen(m->self, id, wire);
}

uint64_t mdl_backlog(const struct mdl *m)
{
	return m->family->backlog ? m->family->backlog(m->self) : MDL_NO_LIMIT;
}

#define NOT_KNOWN                                                                                  \
	((struct mdl_bounds){MDL_NO_LIMIT, MDL_NO_LIMIT, MDL_NO_LIMIT, MDL_NO_LIMIT, MDL_NO_LIMIT})

void mdl_bounds(struct mdl *m, const struct x86_block *b, unsigned insn, uint64_t items,
		struct mdl_bounds *out)
{
	*out = NOT_KNOWN;
	if (m->family->bounds)
		m->family->bounds(m->self, b, insn, items, out);
}

void mdl_bounds_of_hits(struct mdl *m, const struct x86_block *b, unsigned from, unsigned to,
			struct mdl_bounds *out)
{
	*out = NOT_KNOWN;
	if (m->family->bounds_of_hits)
		m->family->bounds_of_hits(m->self, b, from, to, out);
}

bool mdl_tells_hits(const struct mdl *m)
{
	return m->family->hits != NULL;
}

bool mdl_hits(struct mdl *m, const struct x86_block *b, unsigned from, unsigned to,
	      const uint8_t *slots)
{
	return m->family->hits && m->family->hits(m->self, b, from, to, slots);
}

#define MOST_PER_CLK 8u /* of what is weighted, chosen: requests and lines on their way at once */

/* Returns what bounds event e: what all of its wires grow with, by their rows; else anything. */
static enum cat_bound bound_of(const struct cat_event *e)
{
	size_t n;
	const struct cat_wire *wire = cat_wires(&n);
	enum cat_bound all = CAT_BOUND_ANY;

	if (e->n_wire)
		all = (enum cat_bound)wire[e->wire[0].wire].bound;
	for (unsigned i = 1; i < e->n_wire; i++) {
		const enum cat_bound one = (enum cat_bound)wire[e->wire[i].wire].bound;

		if (one == all)
			continue;
		if ((one == CAT_BOUND_DATA && all == CAT_BOUND_MISS) ||
		    (one == CAT_BOUND_MISS && all == CAT_BOUND_DATA))
			all = CAT_BOUND_DATA;
		else
			return one == CAT_BOUND_CLK || all == CAT_BOUND_CLK ? CAT_BOUND_CLK
									    : CAT_BOUND_ANY;
	}
	return all;
}

struct mdl_bound mdl_bound_of(const struct cat_cpu *cpu, const struct cat_event *e, bool is_masked)
{
	static const struct mdl_bound of[] = {
	    [CAT_BOUND_ANY] = {MDL_BY_ANY, MDL_BY_ANY, 1},
	    [CAT_BOUND_INSN] = {MDL_BY_CORE, MDL_BY_CORE, 1},
	    [CAT_BOUND_DATA] = {MDL_BY_DATA, MDL_BY_DATA, 1},
	    [CAT_BOUND_MISS] = {MDL_BY_DATA, MDL_BY_LINES, 1},
	    [CAT_BOUND_LINE] = {MDL_BY_LINES, MDL_BY_LINES, 1},
	    [CAT_BOUND_CLK] = {MDL_BY_CLK, MDL_BY_NONE, MOST_PER_CLK},
	};

	if (e == cat_find_generic(cpu, "cycles", NULL))
		return (struct mdl_bound){MDL_BY_CLK, is_masked ? MDL_BY_NONE : MDL_BY_CLK, 1};
	return of[e->kind != CAT_OCCURRENCE || is_masked ? CAT_BOUND_CLK : bound_of(e)];
}
