/* counters.c -- can a group of events run on the counters that there are, and how many runs do all
 * of them take?
 *
 * Each event may use some counters; a group fits when every event gets one of its own (a matching
 * in the graph of events and counters, found by augmenting paths).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "event/events.h"

#define MOST_COUNTERS 64

/* Counters that e may use, of n. */
static uint64_t allowed(const struct evt_event *e, unsigned n)
{
	uint64_t all = n >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << n) - 1;
	unsigned own = e->event ? e->event->counters : 3;

	if (e->counter >= 0)
		return (UINT64_C(1) << e->counter) & all;
	return own == 3 ? all : own & all;
}

bool evt_needs_counter(const struct evt_event *e)
{
	return !e->software && !e->why_not && (!e->event || e->event->counters);
}

bool evt_may_count_on(const struct evt_event *e, unsigned c)
{
	return allowed(e, c + 1) >> c & 1;
}

struct matching {
	const struct evt_event *event;
	unsigned n_counters;
	int owner[MOST_COUNTERS]; /* event on that counter, -1 free */
};

static bool has_place(struct matching *m, int who, uint64_t *tried)
{
	for (unsigned c = 0; c < m->n_counters; c++) {
		uint64_t bit = UINT64_C(1) << c;

		if (!(allowed(&m->event[who], m->n_counters) & bit) || *tried & bit)
			continue;
		*tried |= bit;
		if (m->owner[c] < 0 || has_place(m, m->owner[c], tried)) {
			m->owner[c] = who;
			return true;
		}
	}
	return false;
}

/* The events of group `group` as runs that are possible: {a,b} {c}. */
static void plan_text(const struct evt_events *list, int group, unsigned n_counters,
		      struct text *out)
{
	struct evt_events own = {0};
	struct evt_counter_plan plan = {0};
	struct spmu_error err;
	int rc = 0;

	for (size_t i = 0; i < list->n && !rc; i++) {
		struct evt_event e = list->event[i];

		if (e.group != group)
			continue;
		e.group = -1;
		rc = evt_events_add(&own, &e, &err);
	}
	if (!rc)
		rc = evt_plan_counters(&own, n_counters, &plan, &err);
	for (int run = 0; !rc && run < plan.n_run; run++) {
		const char *between = run ? " {" : "{";

		for (size_t i = 0; i < own.n; i++) {
			if (plan.run[i] != run)
				continue;
			text_printf(out, "%s%s", between, own.event[i].name);
			between = ",";
		}
		text_printf(out, "}");
	}
	evt_counter_plan_free(&plan);
	evt_events_free(&own);
}

/* The events that hold the counters which `who` could use. */
static int conflict(const struct matching *m, const struct evt_events *list, int who,
		    uint64_t tried, struct spmu_error *err)
{
	struct text counters = {0}, owners = {0}, plan = {0};
	unsigned n_owner = 0;
	int rc;

	if (tried) /* it could count, with other company */
		plan_text(list, m->event[who].group, m->n_counters, &plan);

	for (unsigned c = 0; c < m->n_counters; c++) {
		if (!(tried & (UINT64_C(1) << c)))
			continue;
		text_printf(&counters, "%s%u", counters.n ? " or " : "", c);
		text_printf(&owners, "%s%s", owners.n ? " and " : "", m->event[m->owner[c]].name);
		n_owner++;
	}
	if (!tried)
		rc = spmu_fail(err, SPMU_EINVAL,
			       "event %s needs a counter that --counters %u does not give",
			       m->event[who].name, m->n_counters);
	else
		rc = spmu_fail(
		    err, SPMU_EINVAL,
		    "event %s counts on counter %s, which %s in the same group need%s; in runs of "
		    "their own they fit: %s; or leave --counters away to count all at once",
		    m->event[who].name, text_get(&counters), text_get(&owners),
		    n_owner == 1 ? "s" : "", text_get(&plan));
	text_free(&counters);
	text_free(&owners);
	text_free(&plan);
	return rc;
}

static struct matching new_matching(const struct evt_events *list, unsigned n_counters)
{
	struct matching m = {.event = list->event, .n_counters = n_counters};

	if (n_counters > MOST_COUNTERS)
		m.n_counters = MOST_COUNTERS;
	memset(m.owner, -1, sizeof(m.owner));
	return m;
}

int evt_check_counters(const struct evt_events *list, unsigned n_counters, struct spmu_error *err)
{
	struct matching m = new_matching(list, n_counters);

	for (size_t i = 0; i < list->n; i++) {
		uint64_t tried = 0;

		if (!evt_needs_counter(&list->event[i]))
			continue;
		if (i == 0 || list->event[i].group < 0 ||
		    list->event[i].group != list->event[i - 1].group)
			memset(m.owner, -1, sizeof(m.owner));
		if (!has_place(&m, (int)i, &tried))
			return conflict(&m, list, (int)i, tried, err);
	}
	return 0;
}

/* ---- the plan -------------------------------------------------------------------------------- */

/* Give event i a counter of run `run` when one can be had. */
static bool try_event(struct matching *m, struct evt_counter_plan *plan, size_t i, int run)
{
	uint64_t tried = 0;

	if (plan->run[i] >= 0 || !has_place(m, (int)i, &tried))
		return false;
	plan->run[i] = run;
	return true;
}

/* May x join a run that e began? With two counters a pair of the catalog stays alone. */
static bool may_join(const struct evt_event *e, const struct evt_event *x, unsigned n_counters)
{
	return x->group == e->group && evt_needs_counter(x) &&
	       (n_counters != 2 || e->pair == x->pair);
}

/* Fill run `run`, which event `first` begins: events of its { } group or pair alone; else first
 * those that share its code (twins), then those that only some counters count, then any. */
static void fill_run(const struct evt_events *list, struct evt_counter_plan *plan, size_t first,
		     int run, unsigned n_counters)
{
	const struct evt_event *e = &list->event[first];
	struct matching m = new_matching(list, n_counters);

	try_event(&m, plan, first, run);
	for (unsigned round = 0; round < 3; round++)
		for (size_t i = first + 1; i < list->n; i++) {
			const struct evt_event *x = &list->event[i];
			const bool is_twin = x->event && e->event && x->code == e->code;
			const bool is_picky =
			    x->counter >= 0 || (x->event && x->event->counters != 3);

			if (!may_join(e, x, n_counters))
				continue;
			if (e->group >= 0 || round == 2 || (round == 0 ? is_twin : is_picky))
				try_event(&m, plan, i, run);
		}
	for (unsigned c = 0; c < m.n_counters; c++)
		if (m.owner[c] >= 0)
			plan->counter[m.owner[c]] = (int8_t)c;
}

int evt_plan_counters(const struct evt_events *list, unsigned n_counters,
		      struct evt_counter_plan *plan, struct spmu_error *err)
{
	int rc = evt_check_counters(list, n_counters, err);

	if (rc)
		return rc;
	plan->run = malloc((list->n + 1) * sizeof(*plan->run));
	plan->counter = malloc(list->n + 1);
	if (!plan->run || !plan->counter)
		return spmu_fail(err, SPMU_ENOMEM, "out of memory");
	plan->n_counters = n_counters;
	for (size_t i = 0; i < list->n; i++)
		plan->run[i] = plan->counter[i] = -1;
	for (size_t i = 0; i < list->n; i++) {
		if (plan->run[i] >= 0 || !evt_needs_counter(&list->event[i]))
			continue; /* what needs none counts in every run */
		fill_run(list, plan, i, plan->n_run++, n_counters);
	}
	return 0;
}

void evt_counter_plan_free(struct evt_counter_plan *plan)
{
	free(plan->run);
	free(plan->counter);
	*plan = (struct evt_counter_plan){0};
}
