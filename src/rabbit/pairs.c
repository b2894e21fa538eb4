/* pairs.c -- makes the list of pairs from names, codes, groups and switches. Rules are in pairs.h.
 *
 * Events of all pairs lie in one list of the event grammar (evt_events), each once; a pair has
 * indices into it. So all pairs are counted in one run, and rotation only decides whose samples
 * are kept.
 */
#include "rabbit/pairs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "event/groups.h"

/* Codes of no counter of the chip: catalog/README.md. */
#define FIRST_OWN_CODE 0x1f0u

/* Groups by number. What rabbit's other numbers meant is lost. */
#define GROUP_FIRST 0u /* its own choice of events is lost, too */
#define GROUP_L2    2u
#define GROUP_BUS   3u

int rbt_pairs_open(struct rbt_pairs *list, const struct cat_cpu *cpu, struct spmu_error *err)
{
	struct evt_event clock;

	*list = (struct rbt_pairs){.cpu = cpu};
	if (evt_parse_event(cpu, "cycles", false, &clock, err) || !clock.event)
		return spmu_fail(err, SPMU_ENOTSUP,
				 "rabbit: %s has no event that counts its clocks", cpu->name);
	return evt_events_add(&list->events, &clock, err);
}

void rbt_pairs_free(struct rbt_pairs *list)
{
	free(list->pair);
	evt_events_free(&list->events);
	*list = (struct rbt_pairs){0};
}

/* ---- one event ------------------------------------------------------------------------------- */

/* The event counts on the other counter alone. */
static int wrong_counter(const struct cat_event *e, int n, struct spmu_error *err)
{
	return spmu_fail(err, SPMU_EINVAL,
			 "event 0x%02x (%s) counts on counter %d only: in a pair it stands %s, as "
			 "in --e %s0x%02x%s",
			 e->code, e->name, !n, n ? "first" : "second", n ? "" : "OTHER,", e->code,
			 n ? ",OTHER" : "");
}

/* No event of cpu has this code: name a processor that has one. */
static int wrong_processor(const struct cat_cpu *cpu, unsigned code, struct spmu_error *err)
{
	size_t n;
	const struct cat_cpu *cpus = cat_cpus(&n);
	struct text have = {0};
	unsigned classes = 1u << CAT_CLASS_TOY; /* processors of a class have the same events */
	int rc;

	for (size_t i = 0; i < n; i++) {
		const struct cat_event *e = cat_find_event_code(&cpus[i], code, -1);

		if (classes & (1u << cpus[i].cpu_class))
			continue;
		classes |= 1u << cpus[i].cpu_class;
		if (e)
			text_printf(&have, "%s%s (%s)", have.n ? ", " : "", cpus[i].name, e->name);
	}
	rc = have.n ? spmu_fail(err, SPMU_EINVAL,
				"event 0x%02x: %s does not have it; choose with -cpu one of: %s",
				code, cpu->name, text_get(&have))
		    : spmu_fail(
			  err, SPMU_EINVAL,
			  "event 0x%02x: no processor has it (softpmu rabbit -l lists those of %s)",
			  code, cpu->name);
	text_free(&have);
	return rc;
}

/* The catalog's event that the first part of `word` means on counter n. Returns 0 with *out,
 * which is NULL where the grammar of events has to find it. */
static int look_up(const struct cat_cpu *cpu, const char *word, int n, const struct cat_event **out,
		   struct spmu_error *err)
{
	const size_t length = strcspn(word, ":");
	const struct cat_event *other;
	char head[96];
	unsigned code;

	*out = NULL;
	if (length >= sizeof(head))
		return 0;
	memcpy(head, word, length);
	head[length] = 0;
	*out = cat_find_event(cpu, head, n);
	other = cat_find_event(cpu, head, -1);
	if (!*out && !other && evt_is_code(head, &code)) {
		*out = cat_find_event_code(cpu, code, n);
		other = cat_find_event_code(cpu, code, !n);
		if (!*out && !other)
			return wrong_processor(cpu, code, err);
	}
	if (*out && !((*out)->counters >> n & 1)) /* a register of its own */
		return spmu_fail(
		    err, SPMU_EINVAL,
		    "event %s (%s) needs no counter: clocks are counted beside every pair", head,
		    (*out)->name);
	return *out || !other ? 0 : wrong_counter(other, n, err);
}

int rbt_event_find(const struct cat_cpu *cpu, const char *word, int n, struct evt_event *out,
		   struct spmu_error *err)
{
	const struct rbt_switches none = {.os = {.is_given = false}};
	const struct cat_event *e;
	char spelled[256];
	int rc = look_up(cpu, word, n, &e, err);

	if (rc)
		return rc;
	if (e)
		snprintf(spelled, sizeof(spelled), "%s%s:c%d", e->name, word + strcspn(word, ":"),
			 n);
	else
		snprintf(spelled, sizeof(spelled), "%s:c%d", word, n);
	rc = evt_parse_event(cpu, spelled, false, out, err);
	if (rc)
		return rc;
	if (!out->event)
		return spmu_fail(err, SPMU_EINVAL, "event %.80s: no counter of %s counts it", word,
				 cpu->name);
	if (out->event->code >= FIRST_OWN_CODE || !out->event->counters)
		return spmu_fail(
		    err, SPMU_EINVAL,
		    "event %.80s: it is on no counter of %s that could be one of a pair", word,
		    cpu->name);
	if (out->counter != n || !(out->event->counters >> n & 1))
		return wrong_counter(out->event, n, err);
	if (!out->event->n_wire && cpu->family == CAT_P5)
		return spmu_fail(
		    err, SPMU_EINVAL,
		    "event 0x%02x: the code is reserved, and what it counts is not documented",
		    out->event->code);
	return rbt_event_switch(cpu, &none, n, out, err);
}

/* ---- a pair ---------------------------------------------------------------------------------- */

static struct rbt_pair *grow(struct rbt_pairs *list)
{
	const size_t room = list->room ? 2 * list->room : 16;
	struct rbt_pair *more;

	if (list->n == list->room) {
		more = realloc(list->pair, room * sizeof(*more));
		if (!more)
			return NULL;
		list->pair = more;
		list->room = room;
	}
	memset(&list->pair[list->n], 0, sizeof(*list->pair));
	return &list->pair[list->n];
}

/* Put an event on counter n of the pair. */
static int put_event(struct rbt_pairs *list, struct rbt_pair *p, int n, const char *word,
		     const struct rbt_switches *s, struct spmu_error *err)
{
	struct evt_event e;
	int rc = rbt_event_find(list->cpu, word, n, &e, err);

	if (!rc)
		rc = rbt_event_switch(list->cpu, s, n, &e, err);
	if (!rc)
		rc = evt_events_add(&list->events, &e, err);
	if (rc)
		return rc;
	p->has[n] = true;
	p->at[n] = list->events.n - 1;
	return 0;
}

int rbt_pairs_add(struct rbt_pairs *list, const char *a, const char *b,
		  const struct rbt_switches *s, const char *label, struct spmu_error *err)
{
	struct rbt_pair *p = grow(list);
	struct evt_event ignored;
	struct spmu_error first;
	int rc = 0;

	if (!p)
		return spmu_fail(err, SPMU_ENOMEM, "out of memory for the list of pairs");
	snprintf(p->label, sizeof(p->label), "%s", label ? label : "");
	if (b) {
		rc = put_event(list, p, 0, a, s, err);
		rc = rc ? rc : put_event(list, p, 1, b, s, err);
	} else {
		const bool is_on_0 = !rbt_event_find(list->cpu, a, 0, &ignored, &first);
		const bool is_on_1 = !rbt_event_find(list->cpu, a, 1, &ignored, err);

		if (!is_on_0 && !is_on_1)
			return spmu_fail(err, first.code, "%s", first.text);
		if (is_on_0)
			rc = put_event(list, p, 0, a, s, err);
		if (!rc && is_on_1)
			rc = put_event(list, p, 1, a, s, err);
	}
	list->n += !rc;
	return rc;
}

/* A pair as it is typed, "A" or "A,B". */
static int add_typed(struct rbt_pairs *list, const char *text, const struct rbt_switches *s,
		     struct spmu_error *err)
{
	const char *comma = strchr(text, ',');
	char first[128];

	if (!comma)
		return rbt_pairs_add(list, text, NULL, s, NULL, err);
	if ((size_t)(comma - text) >= sizeof(first) || strchr(comma + 1, ',') || comma == text ||
	    !comma[1])
		return spmu_fail(
		    err, SPMU_EINVAL,
		    "--e %.80s: two events make a pair, as in --e 0xc0,0xc2; give more pairs by "
		    "more of --e",
		    text);
	memcpy(first, text, (size_t)(comma - text));
	first[comma - text] = 0;
	return rbt_pairs_add(list, first, comma + 1, s, NULL, err);
}

/* ---- groups ---------------------------------------------------------------------------------- */

static bool has_mask(const struct cat_event *e, const char *name)
{
	for (unsigned i = 0; i < e->n_umask; i++)
		if (!strcmp(e->umask[i].name, name))
			return true;
	return false;
}

/* All events with a mask of this name, two by two in the order of their codes. */
static int add_by_mask(struct rbt_pairs *list, const char *mask, const struct rbt_switches *s,
		       struct spmu_error *err)
{
	size_t n;
	const struct cat_event *e = cat_events(&n), *waits = NULL;
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i++) {
		if (!cat_cpu_has_event(list->cpu, &e[i]) || !has_mask(&e[i], mask))
			continue;
		if (!waits) {
			waits = &e[i];
			continue;
		}
		rc = rbt_pairs_add(list, waits->name, e[i].name, s, NULL, err);
		waits = NULL;
	}
	return !rc && waits ? rbt_pairs_add(list, waits->name, NULL, s, NULL, err) : rc;
}

/* What to count when nothing is asked for. */
static int add_first(struct rbt_pairs *list, const struct rbt_switches *s, struct spmu_error *err)
{
	return list->cpu->family == CAT_P6
		   ? rbt_pairs_add(list, "INST_RETIRED", "UOPS_RETIRED", s, NULL, err)
		   : rbt_pairs_add(list, "INSTRUCTIONS_EXECUTED", "INSTRUCTIONS_EXECUTED_V_PIPE", s,
				   NULL, err);
}

static int add_numbered(struct rbt_pairs *list, unsigned number, const struct rbt_switches *s,
			struct spmu_error *err)
{
	const size_t before = list->n;
	int rc;

	if (number == GROUP_FIRST)
		return add_first(list, s, err);
	if (number != GROUP_L2 && number != GROUP_BUS)
		return spmu_fail(err, SPMU_EINVAL,
				 "-g %u: of rabbit's numbers 0 (instructions), 2 (L2) and 3 (the "
				 "bus) are known; "
				 "softpmu list groups shows groups by name",
				 number);
	rc = add_by_mask(list, number == GROUP_L2 ? "M" : "self", s, err);
	if (!rc && list->n == before)
		return spmu_fail(err, SPMU_EINVAL, "-g %u: %s has none of its events", number,
				 list->cpu->name);
	return rc;
}

/* A group of the catalog: its events two by two, as its file has them. A pair of which the
 * processor has one half is that half. */
static int add_named(struct rbt_pairs *list, const struct cat_group *g,
		     const struct rbt_switches *s, struct spmu_error *err)
{
	const size_t before = list->n;
	struct evt_event ignored;
	int rc = 0;

	for (const char *const *e = g->events; *e && !rc; e += e[1] ? 2 : 1) {
		const bool has_a = !evt_parse_event(list->cpu, e[0], false, &ignored, NULL);
		const bool has_b = e[1] && !evt_parse_event(list->cpu, e[1], false, &ignored, NULL);

		if (has_a && has_b)
			rc = rbt_pairs_add(list, e[0], e[1], s, NULL, err);
		else if (has_a || has_b)
			rc = rbt_pairs_add(list, has_a ? e[0] : e[1], NULL, s, NULL, err);
	}
	if (!rc && list->n == before)
		return spmu_fail(err, SPMU_EINVAL, "-g %s: %s has none of its events", g->name,
				 list->cpu->name);
	return rc;
}

static int add_group(struct rbt_pairs *list, const char *word, const struct rbt_switches *s,
		     struct spmu_error *err)
{
	const struct cat_group *g = evt_find_group(list->cpu, word);
	struct evt_events none = {0};
	char *end;
	const unsigned long number = strtoul(word, &end, 10);
	int rc;

	if (*word >= '0' && *word <= '9' && !*end && number < 1000)
		return add_numbered(list, (unsigned)number, s, err);
	if (g)
		return add_named(list, g, s, err);
	rc = evt_events_of_group(list->cpu, word, &none,
				 err); /* says that there is none, and which is near */
	evt_events_free(&none);
	return rc;
}

int rbt_pairs_choose(struct rbt_pairs *list, const struct rbt_options *o, struct spmu_error *err)
{
	int rc = 0;

	for (unsigned i = 0; i < o->n_pair && !rc; i++)
		rc = add_typed(list, o->pair[i], &o->switches, err);
	if (!rc && o->group)
		rc = add_group(list, o->group, &o->switches, err);
	if (!rc && o->input)
		rc = rbt_pairs_read(list, o->input, &o->switches, err);
	return rc || list->n ? rc : add_first(list, &o->switches, err);
}
