/* bare_pmu.c -- counters inside a machine. Rules: bare_pmu.h. */
#include "session/bare_pmu.h"

#include <stdlib.h>
#include <string.h>

#include "gen/wires_p6.h"
#include "model/ask.h"
#include "pmu/count.h"
#include "pmu/p5_regs.h"
#include "pmu/p6_regs.h"

/* ---- what events have counted ---------------------------------------------------------------- */

static void stands_still(struct ses_bare_pmu *p, const struct pmu_select *select, const char *why)
{
	if (p->why)
		return;
	p->why = why;
	p->what = select->event ? select->event->name : "a code without an event";
}

/* The count of select in both modes of w; 0 and a reason in p->why where there is none. */
static uint64_t read_event(struct ses_bare_pmu *p, const struct pmu_select *select,
			   const struct wires *w)
{
	struct pmu_select any = *select;
	struct pmu_reading r;

	any.user = any.kernel = true;
	r = pmu_count(p->cpu, &any, w);
	if (r.status == PMU_COUNTED)
		return r.value;
	if (r.status != PMU_CANNOT_OCCUR)
		stands_still(p, select, r.why);
	return 0;
}

/* Does counter n select anything? */
static bool is_on(const struct ses_bare_pmu *p, unsigned n)
{
	const struct pmu_select *s = &p->counter[n].select;

	return s->user || s->kernel;
}

/* Set what counter n's event has counted until now in *user and *kernel. */
static void look(struct ses_bare_pmu *p, unsigned n, const struct wires *w, struct wires *user,
		 uint64_t *in_user, uint64_t *in_kernel)
{
	const struct pmu_select *s = &p->counter[n].select;

	*in_user = *in_kernel = 0;
	if (!is_on(p, n))
		return;
	*in_user = read_event(p, s, w);
	if (user) {
		*in_kernel = *in_user;
		*in_user = read_event(p, s, user);
		*in_kernel -= *in_user;
	} else if (s->user != s->kernel) {
		*in_user = 0;
		stands_still(p, s,
			     "one mode alone is counted where -e names an event with :u or :k");
	}
}

/* Add to counter n what its event did in each mode. */
static void add(struct ses_bare_pmu *p, unsigned n, uint64_t user, uint64_t kernel)
{
	const struct pmu_select *s = &p->counter[n].select;
	const struct pmu_p5_pulse at_3 = {user, user, true}, below = {kernel, kernel, false};

	if (p->cpu->family == CAT_P6) {
		pmu_p6_add(&p->p6, n, (s->user || !p->rings ? user : 0) + (s->kernel ? kernel : 0));
	} else if (p->rings || (s->user && s->kernel)) {
		pmu_p5_add(&p->p5, n, &at_3);
		pmu_p5_add(&p->p5, n, &below);
	}
}

/* Bring the counters up to date. is_new: what they select has just changed, and what came before
 * is not theirs. */
static void update(struct ses_bare_pmu *p, const struct wires *w, struct wires *user, bool is_new)
{
	for (unsigned n = 0; n < 2; n++) {
		struct ses_bare_counter *c = &p->counter[n];
		uint64_t in_user, in_kernel;

		look(p, n, w, user, &in_user, &in_kernel);
		if (!is_new)
			add(p, n, in_user - c->user, in_kernel - c->kernel);
		c->user = in_user;
		c->kernel = in_kernel;
	}
}

/* ---- registers ------------------------------------------------------------------------------- */

static void select_p6(struct ses_bare_pmu *p, unsigned n)
{
	struct pmu_select *s = &p->counter[n].select;

	*s = (struct pmu_select){.code = 0};
	pmu_p6_decode(p->p6.sel[n], s);
	s->event = cat_find_event_code(p->cpu, P6_SEL_EVENT(p->p6.sel[n]), (int)n);
	s->user = p->p6.sel[n] & P6_SEL_USR;
	s->kernel = p->p6.sel[n] & P6_SEL_OS;
}

static void select_p5(struct ses_bare_pmu *p, unsigned n)
{
	const uint32_t half = p->p5.cesr >> P5_CESR_SHIFT(n);
	struct pmu_select *s = &p->counter[n].select;

	*s = (struct pmu_select){.code = (uint16_t)P5_CESR_ES(half)};
	s->event = cat_find_event_code(p->cpu, P5_CESR_ES(half), (int)n);
	s->kernel = half & P5_CESR_CC_CPL012;
	s->user = half & P5_CESR_CC_CPL3;
	s->clock_reading = half & P5_CESR_CC_CLOCKS ? 2 : 1;
}

static bool write_register(struct ses_bare_pmu *p, uint32_t msr, uint64_t value)
{
	return p->cpu->family == CAT_P6 ? pmu_p6_write(&p->p6, msr, value)
					: pmu_p5_write(&p->p5, msr, value);
}

static bool read_register(const struct ses_bare_pmu *p, uint32_t msr, uint64_t *value)
{
	return p->cpu->family == CAT_P6 ? pmu_p6_read(&p->p6, msr, value)
					: pmu_p5_read(&p->p5, msr, value);
}

static bool read_counter(const struct ses_bare_pmu *p, uint32_t ecx, uint64_t *value)
{
	return p->cpu->family == CAT_P6 ? pmu_p6_rdpmc(&p->p6, ecx, value)
					: pmu_p5_rdpmc(&p->p5, ecx, value);
}

/* What is known of the answer before anything is counted: BARE_DONE where the processor has such a
 * register. Of one that it does not have, QEMU does what it does with any such MSR. */
static enum bare_answer has_register(const struct ses_bare_pmu *p, const struct bare_ask *q)
{
	uint64_t value;

	if (q->what == BARE_LOOK)
		return BARE_DONE;
	if (q->what != BARE_READ_COUNTER)
		return read_register(p, q->index, &value) ? BARE_DONE : BARE_NOT_MINE;
	if (p->cpu->family == CAT_P5 && !p->cpu->has_mmx)
		return BARE_ILLOP;
	return read_counter(p, q->index, &value) ? BARE_DONE : BARE_GPF;
}

static enum bare_answer write_msr(struct ses_bare_pmu *p, const struct bare_ask *q,
				  const struct wires *w, struct wires *user)
{
	if (!write_register(p, q->index, q->value))
		return BARE_GPF;
	p->is_used = true;
	for (unsigned n = 0; n < 2; n++)
		p->cpu->family == CAT_P6 ? select_p6(p, n) : select_p5(p, n);
	update(p, w, user, true);
	return BARE_DONE;
}

/* ---- overflow -------------------------------------------------------------------------------- */

static bool has_interrupt(const struct ses_bare_pmu *p, unsigned n)
{
	return p->cpu->family == CAT_P6 && p->p6.sel[0] & P6_SEL_EN && p->p6.sel[n] & P6_SEL_INT &&
	       is_on(p, n);
}

/* How many instructions run at least, or are let run, before counter n passes its end. */
static uint64_t distance(const struct ses_bare_pmu *p, unsigned n)
{
	const uint64_t left = P6_CTR_MASK + 1 - p->p6.ctr[n];
	const struct cat_event *e = p->counter[n].select.event;

	if (e && e->n_wire == 1 && e->wire[0].wire == WIRE_P6_RETIRE_INST)
		return left;
	return left / 4 < SES_BARE_SKID ? SES_BARE_SKID : left / 4;
}

uint64_t ses_bare_pmu_look_in(const struct ses_bare_pmu *p)
{
	uint64_t least = 0;

	for (unsigned n = 0; n < 2; n++)
		if (has_interrupt(p, n) && (!least || distance(p, n) < least))
			least = distance(p, n);
	return least;
}

/* Has a counter with an interrupt passed its end since the last time? */
static bool take_overflow(struct ses_bare_pmu *p)
{
	bool is_due = false;

	for (unsigned n = 0; n < 2; n++) {
		is_due |= has_interrupt(p, n) && p->p6.has_overflowed[n];
		p->p6.has_overflowed[n] = false;
	}
	return is_due;
}

static enum bare_answer answer_now(struct ses_bare_pmu *p, const struct bare_ask *q,
				   const struct wires *w, struct wires *user, uint64_t *value)
{
	update(p, w, user, false);
	switch (q->what) {
	case BARE_READ_COUNTER: read_counter(p, q->index, value); return BARE_DONE;
	case BARE_READ_MSR: read_register(p, q->index, value); return BARE_DONE;
	case BARE_WRITE_MSR: return write_msr(p, q, w, user);
	case BARE_LOOK: *value = take_overflow(p); return BARE_DONE;
	default: return BARE_NOT_MINE;
	}
}

int ses_bare_pmu_answer(struct ses_bare_pmu *p, const struct bare_ask *question, struct mdl *m,
			struct wires *w, enum bare_answer *answer, uint64_t *value)
{
	struct wires *user = NULL;
	int rc = 0;

	*value = 0;
	*answer = has_register(p, question);
	if (*answer != BARE_DONE)
		return 0;
	if (p->rings) {
		user = malloc(sizeof(*user));
		rc = user ? ses_rings_take(p->rings, m) : -SPMU_ENOMEM;
	} else {
		mdl_peek_all(m);
	}
	if (!rc) {
		if (user) {
			*user = *w;
			memcpy(user->total, p->rings->user, sizeof(user->total));
		}
		*answer = answer_now(p, question, w, user, value);
	}
	free(user);
	return rc;
}
