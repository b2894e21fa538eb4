/* model.c -- the plug: choose the family, pass calls on. */
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "catalog/catalog.h"
#include "model/family.h"
#include "model/part.h"

static const struct mdl_family *family_of(const struct cat_cpu *cpu)
{
	switch (cpu->family) {
	case CAT_TOY: return &mdl_toy;
	case CAT_P5: return &mdl_p5;
	case CAT_P6: return &mdl_p6;
	default: return NULL;
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
	struct mdl *const head = m, *more;
	int rc;

	while (m->next)
		m = m->next;
	rc = mdl_open(cfg, w, &m->next);
	more = m->next;
	for (m = head; !rc && cfg->is_unasked && m != more; m = m->next)
		if (m->family == more->family && m->family->join)
			m->family->join(m->self, more->self, cfg);
	return rc;
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

int mdl_take_ledger(struct mdl *m, const struct mdl_visit *visit, size_t n, mdl_take_posting *take,
		    void *ctx)
{
	return m->family->take_ledger ? m->family->take_ledger(m->self, visit, n, take, ctx)
				      : -SPMU_ENOTSUP;
}

void mdl_set_context(struct mdl *m, uint32_t context)
{
	if (m->family->set_context)
		m->family->set_context(m->self, context);
}

int mdl_take_contexts(struct mdl *m, const struct mdl_visit *visit, size_t n,
		      mdl_take_posting *take, void *ctx)
{
	return m->family->take_contexts ? m->family->take_contexts(m->self, visit, n, take, ctx)
					: -SPMU_ENOTSUP;
}

void mdl_finish(struct mdl *m)
{
	for (; m; m = m->next)
		m->family->finish(m->self);
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

bool mdl_has_parts(const struct mdl *m)
{
	return m->family->has_parts && m->family->has_parts(m->self);
}

int mdl_part_now(struct mdl *m, uint64_t *part)
{
	return mdl_has_parts(m) ? m->family->part(m->self, part) : 0;
}

int mdl_part_totals(struct mdl *m, const uint64_t *part, uint64_t *total, uint64_t *half)
{
	return mdl_has_parts(m) ? m->family->part_totals(m->self, part, total, half) : 0;
}

int mdl_part_begin(struct mdl *m)
{
	return mdl_has_parts(m) ? m->family->part_begin(m->self) : 0;
}
