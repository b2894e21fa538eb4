/* model.c -- the plug: choose the family, pass calls on. */
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "catalog/catalog.h"
#include "model/family.h"

struct mdl {
	const struct mdl_family *family;
	void *self;
	struct mdl *next; /* gets the same stream (mdl_add) */
};

static const struct mdl_family *family_of(const struct cat_cpu *cpu)
{
	switch (cpu->family) {
	case CAT_TOY:
		return &mdl_toy;
	case CAT_P5:
		return &mdl_p5;
	case CAT_P6:
		return &mdl_p6;
	default:
		return NULL;
	}
}

int mdl_open(const struct mdl_config *cfg, struct wires *w, struct mdl **out)
{
	const struct mdl_family *family = family_of(cfg->cpu);
	struct mdl *m;
	int rc;

	if (!family)
		return -SPMU_ENOTSUP;
	m = calloc(1, sizeof(*m));
	if (!m)
		return -SPMU_ENOMEM;
	m->family = family;
	rc = family->open(cfg, w, &m->self);
	if (rc) {
		free(m);
		return rc;
	}
	*out = m;
	return 0;
}

void mdl_close(struct mdl *m)
{
	while (m) {
		struct mdl *next = m->next;

		m->family->close(m->self);
		free(m);
		m = next;
	}
}

int mdl_add(struct mdl *m, const struct mdl_config *cfg, struct wires *w)
{
	while (m->next)
		m = m->next;
	return mdl_open(cfg, w, &m->next);
}

int mdl_feed(struct mdl *m, const uint8_t *bytes, size_t n)
{
	int rc = 0;

	for (; m && !rc; m = m->next)
		rc = m->family->feed(m->self, bytes, n);
	return rc;
}

int mdl_add_counts(struct mdl *m, uint32_t id, uint64_t times, uint64_t taken)
{
	int rc = 0;

	for (; m && !rc; m = m->next)
		rc = m->family->add_counts(m->self, id, times, taken);
	return rc;
}

void mdl_begin(struct mdl *m)
{
	for (; m; m = m->next)
		m->family->begin(m->self);
}

uint64_t mdl_instructions(const struct mdl *m)
{
	return m->family->instructions(m->self);
}

uint64_t mdl_unseen(struct mdl *m, uint32_t id, unsigned wire)
{
	return m->family->unseen(m->self, id, wire);
}

void mdl_finish(struct mdl *m)
{
	for (; m; m = m->next)
		m->family->finish(m->self);
}

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

void mdl_finish_with(struct mdl *m, const uint64_t *total)
{
	m->family->finish_with(m->self, total);
}

void mdl_peek(struct mdl *m, const uint64_t *total)
{
	(m->family->peek ? m->family->peek : m->family->finish_with)(m->self, total);
}

void mdl_most(struct mdl *m, const struct x86_block *b, unsigned insn, uint64_t items, struct mdl_most *out)
{
	*out = (struct mdl_most){MDL_NO_LIMIT, MDL_NO_LIMIT, MDL_NO_LIMIT, MDL_NO_LIMIT, MDL_NO_LIMIT};
	if (m->family->most)
		m->family->most(m->self, b, insn, items, out);
}

void mdl_most_of_hits(struct mdl *m, const struct x86_block *b, unsigned from, unsigned to, struct mdl_most *out)
{
	*out = (struct mdl_most){MDL_NO_LIMIT, MDL_NO_LIMIT, MDL_NO_LIMIT, MDL_NO_LIMIT, MDL_NO_LIMIT};
	if (m->family->most_of_hits)
		m->family->most_of_hits(m->self, b, from, to, out);
}

bool mdl_tells_hits(const struct mdl *m)
{
	return m->family->hits != NULL;
}

bool mdl_hits(struct mdl *m, const struct x86_block *b, unsigned from, unsigned to, const uint8_t *slots)
{
	return m->family->hits && m->family->hits(m->self, b, from, to, slots);
}

#define MOST_PER_CLK 8u /* of what is weighted, chosen: requests and lines on their way at once */

/* What bounds event e, whose wires grow with what their rows say: what all of them grow with, or anything. */
static enum cat_bound bound_of(const struct cat_event *e)
{
	size_t n;
	const struct cat_wire *wire = cat_wires(&n);
	enum cat_bound all = e->n_wire ? (enum cat_bound)wire[e->wire[0].wire].bound : CAT_BOUND_ANY;

	for (unsigned i = 1; i < e->n_wire; i++) {
		const enum cat_bound one = (enum cat_bound)wire[e->wire[i].wire].bound;

		if (one == all)
			continue;
		if ((one == CAT_BOUND_DATA && all == CAT_BOUND_MISS) || (one == CAT_BOUND_MISS && all == CAT_BOUND_DATA))
			all = CAT_BOUND_DATA;
		else
			return one == CAT_BOUND_CLK || all == CAT_BOUND_CLK ? CAT_BOUND_CLK : CAT_BOUND_ANY;
	}
	return all;
}

struct mdl_bound mdl_bound_of(const struct cat_cpu *cpu, const struct cat_event *e, bool is_masked)
{
	static const struct mdl_bound of[] = {
		[CAT_BOUND_ANY] = { MDL_BY_ANY, MDL_BY_ANY, 1 },     [CAT_BOUND_INSN] = { MDL_BY_CORE, MDL_BY_CORE, 1 },
		[CAT_BOUND_DATA] = { MDL_BY_DATA, MDL_BY_DATA, 1 },  [CAT_BOUND_MISS] = { MDL_BY_DATA, MDL_BY_LINES, 1 },
		[CAT_BOUND_LINE] = { MDL_BY_LINES, MDL_BY_LINES, 1 }, [CAT_BOUND_CLK] = { MDL_BY_CLK, MDL_BY_NONE, MOST_PER_CLK },
	};

	if (e == cat_find_generic(cpu, "cycles", NULL))
		return (struct mdl_bound){ MDL_BY_CLK, is_masked ? MDL_BY_NONE : MDL_BY_CLK, 1 };
	return of[e->kind != CAT_OCCURRENCE || is_masked ? CAT_BOUND_CLK : bound_of(e)];
}

uint64_t mdl_backlog(const struct mdl *m)
{
	return m->family->backlog ? m->family->backlog(m->self) : MDL_NO_LIMIT;
}

const char *mdl_path(const struct mdl *m, unsigned i, uint64_t *entered)
{
	return m->family->path ? m->family->path(m->self, i, entered) : NULL;
}

void mdl_rest(struct mdl *m)
{
	for (; m; m = m->next)
		if (m->family->rest)
			m->family->rest(m->self);
}

void mdl_forget_blocks(struct mdl *m)
{
	for (; m; m = m->next)
		m->family->forget_blocks(m->self);
}

void mdl_cpu_totals(struct mdl *m, unsigned cpu, uint64_t *total)
{
	m->family->cpu_totals(m->self, cpu, total);
}

const char *mdl_cannot_occur(const struct mdl *m, unsigned wire)
{
	return m->family->cannot_occur(m->self, wire);
}

bool mdl_reason(const struct cat_cpu *cpu, unsigned why, const char **name, const char **sentence)
{
	const struct mdl_family *family = family_of(cpu);

	return family && family->reason && family->reason(why, name, sentence);
}
