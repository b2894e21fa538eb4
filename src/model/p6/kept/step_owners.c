/* step_owners.c -- lists of bookings, by step. Rules and limits are in step_owners.h. */
#include "model/p6/kept/step_owners.h"

#include <stdlib.h>
#include <string.h>

#include "base/blank_pages.h"
#include "model/parts/contexts.h"
#include "model/p6/p6.h"

#define MOST_NOTES (6u << 20) /* touched as they come */

/* The list of one step. */
struct owners {
	uint32_t first, n;
	uint32_t clk;	    /* by which it moved the clock of retirement */
	uint32_t clk_at;    /* 1 + the place of the first such note; 0: none */
	uint32_t n_outside; /* uses in which all counted for nobody, since they were booked */
	/* the micro-ops that are collected behind it, and where each stood before: 1 + a place, or
	 * 0: it is the block's */
	uint8_t n_after, origin[P6_MAX_GROUP];
};

struct p6_owners {
	struct owners *of; /* by step */
	uint32_t most_leaps;
	struct ledger_note *note;
	uint32_t n_note;
};

struct p6_owners *p6_owners_open(uint32_t most_leaps)
{
	struct p6_owners *o = calloc(1, sizeof(*o));

	if (!o)
		return NULL;
	o->most_leaps = most_leaps;
	o->of = blank_pages(most_leaps * sizeof(*o->of));
	o->note = blank_pages(MOST_NOTES * sizeof(*o->note));
	if (o->of && o->note)
		return o;
	p6_owners_close(o);
	return NULL;
}

void p6_owners_close(struct p6_owners *o)
{
	if (!o)
		return;
	blank_pages_free(o->of, o->most_leaps * sizeof(*o->of));
	blank_pages_free(o->note, MOST_NOTES * sizeof(*o->note));
	free(o);
}

bool p6_owners_keep(struct p6_owners *o, const struct p6 *m, uint32_t leap)
{
	const struct ledger *l = m->ledger;
	struct owners *w = &o->of[leap];

	if (l->has_missed || l->n_note > MOST_NOTES - o->n_note)
		return false;
	*w = (struct owners){.first = o->n_note, .n = l->n_note, .n_after = (uint8_t)m->time.ren.n};
	memcpy(w->origin, m->time.origin, sizeof(w->origin));
	if (l->n_note)
		memcpy(o->note + o->n_note, l->note, l->n_note * sizeof(*l->note));
	o->n_note += l->n_note;
	for (uint32_t i = 0; i < l->n_note; i++) {
		if (l->note[i].cell != l->clock)
			continue;
		w->clk += (uint32_t)l->note[i].n;
		w->clk_at = w->clk_at ? w->clk_at : 1 + w->first + i;
	}
	return true;
}

/* Whose is what a note says? before: contexts of the collected micro-ops. */
static inline uint32_t context_of(const struct p6 *m, const uint32_t *before, unsigned age)
{
	return age ? before[age - 1] : m->ledger->context;
}

/* Book what the step did to its contexts. Instructions get it for all uses later, but for those of
 * no context, which get what they have not counted taken off. */
static void book_contexts(const struct p6_owners *o, struct p6 *m, struct owners *w,
			  const uint32_t *before)
{
	struct ledger *l = m->ledger;
	bool is_outside = l->context == LEDGER_OUTSIDE;

	for (unsigned i = 0; i < P6_MAX_GROUP && is_outside; i++)
		is_outside = before[i] == LEDGER_OUTSIDE;
	if (is_outside) {
		w->n_outside++;
		return;
	}
	for (uint32_t k = w->first; k < w->first + w->n; k++) {
		const struct ledger_note *note = &o->note[k];
		const uint32_t context = context_of(m, before, note->age);

		if (context == LEDGER_OUTSIDE)
			ledger_add_to(l, note->id, note->insn, note->cell,
				      (uint64_t) - (int64_t)note->n);
		else
			ledger_add_context(l, context, note->cell, note->n);
	}
}

void p6_owners_used(struct p6_owners *o, struct p6 *m, uint32_t leap, uint64_t clk)
{
	struct owners *w = &o->of[leap];
	const struct ledger_note *first = w->clk_at ? &o->note[w->clk_at - 1] : NULL;
	uint32_t before[P6_MAX_GROUP];

	if (m->ledger->has_contexts) {
		memcpy(before, m->time.context, sizeof(before));
		book_contexts(o, m, w, before);
		for (unsigned i = 0; i < w->n_after; i++)
			m->time.context[i] = context_of(m, before, w->origin[i]);
	}
	if (m->ledger->clock == LEDGER_NO_CELL)
		return;
	ledger_pass(m->ledger, m->ledger->clock);
	if (clk != w->clk && first)
		ledger_add_in(m->ledger,
			      m->ledger->has_contexts ? context_of(m, before, first->age) : 0,
			      first->id, first->insn, m->ledger->clock, clk - w->clk);
}

void p6_owners_book(const struct p6_owners *o, struct p6 *m, const struct p6_steps *steps)
{
	for (uint32_t i = 0; i < steps->n_used; i++) {
		const uint32_t leap = steps->used[i], times = steps->leap[leap].times;
		struct owners *w = &o->of[leap];

		for (uint32_t k = w->first; k < w->first + w->n; k++)
			ledger_add_to(m->ledger, o->note[k].id, o->note[k].insn, o->note[k].cell,
				      (uint64_t)((int64_t)o->note[k].n * (times - w->n_outside)));
		w->n_outside = 0;
	}
}

void p6_owners_flush(struct p6_owners *o)
{
	if (o)
		o->n_note = 0;
}
