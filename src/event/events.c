/* events.c -- the list of events: braces, commas, and where an event ends. Rules and grammar are
 * in events.h.
 *
 * Three files share the grammar: this one cuts the list into events, event_name.c finds an event,
 * event_part.c reads what follows its name. With several processors the list is read once for
 * each; an event that only another one has is left out.
 */
#include "event/events.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "event/event_text.h"
#include "gen/wires_p6.h"
#include "pmu/count.h"
#include "wire/wire.h"

/* Length of the event at s: up to the next "," "{" "}" or end that is outside pmu/.../ . */
static size_t event_span(const char *s)
{
	char word[32];
	size_t n = 0;
	bool is_inside = false;

	while (isalnum((unsigned char)s[n]) || s[n] == '_' || s[n] == '-')
		n++;
	if (s[n] == '/' && n < sizeof(word)) {
		memcpy(word, s, n);
		word[n] = 0;
		is_inside = event_is_any_pmu(word);
		n += is_inside;
	}
	for (; s[n]; n++) {
		if (is_inside && s[n] == '/')
			is_inside = false;
		else if (!is_inside && strchr(",{}", s[n]))
			break;
	}
	return n;
}

static int wrong_pmu(struct event_text *t, const char *word)
{
	if (event_is_any_pmu(word))
		return spmu_fail(t->err, SPMU_EINVAL,
				 "event %s: %s names the counters of another processor than %s; "
				 "choose it with --cpu",
				 t->all, word, t->cpu->name);
	return spmu_fail(t->err, SPMU_EINVAL, "event %s: there are no counters named %s; write cpu",
			 t->all, word);
}

/* Modifiers after the closing slash stand with or without a colon. */
static int parse_parts(struct event_text *t, char *s)
{
	while (s) {
		char *next = strchr(s, ':');
		int rc;

		if (next)
			*next++ = 0;
		rc = event_part(t, s);
		if (rc)
			return rc;
		s = next;
	}
	return 0;
}

/* The counter in the parts, needed before the event can be found by code. */
static int counter_in(const char *s)
{
	for (; (s = strchr(s, ':')); s++)
		if ((s[1] == 'c' || s[1] == 'C') && (s[2] == '0' || s[2] == '1') &&
		    (!s[3] || s[3] == ':'))
			return s[2] - '0';
	return -1;
}

/* s: after the first slash of pmu/term,term/mods. */
static int parse_terms(struct event_text *t, char *s)
{
	char *end = strchr(s, '/');
	int rc;

	if (!end)
		return spmu_fail(t->err, SPMU_EINVAL, "event %s: the closing / is missing", t->all);
	*end = 0;
	t->e.counter = (int8_t)counter_in(end + 1);
	while (s) {
		char *next = strchr(s, ',');

		if (next)
			*next++ = 0;
		rc = event_term(t, s);
		if (rc)
			return rc;
		s = next;
	}
	if (!t->e.event && !t->is_literal)
		return spmu_fail(
		    t->err, SPMU_EINVAL,
		    "event %s: no event in it; write cpu/event=0xc0/ or cpu/inst_retired/", t->all);
	if (end[1] == ':')
		end++;
	return end[1] ? parse_parts(t, end + 1) : 0;
}

static int parse_body(struct event_text *t, char *s)
{
	char *slash = strchr(s, '/'), *colon = strchr(s, ':');
	int rc;

	if (colon && colon[1] == ':') {
		*colon = 0;
		if (!event_is_pmu(t, s))
			return wrong_pmu(t, s);
		s = colon + 2;
		colon = strchr(s, ':');
	} else if (slash && (!colon || slash < colon)) {
		*slash = 0;
		if (event_is_pmu(t, s))
			return parse_terms(t, slash + 1);
		if (strchr(slash + 1, '='))
			return wrong_pmu(t, s);
		*slash = '/'; /* part of a name, as in I/O_READ_OR_WRITE_CYCLE */
	}
	if (colon) {
		t->e.counter = (int8_t)counter_in(colon);
		*colon++ = 0;
	}
	rc = event_find(t, s);
	return rc || !colon ? rc : parse_parts(t, colon);
}

/* Without blanks at both ends; -1 when it does not fit. */
static int copy_word(char *out, size_t room, const char *s, size_t n)
{
	while (n && isspace((unsigned char)*s))
		s++, n--;
	while (n && isspace((unsigned char)s[n - 1]))
		n--;
	if (n >= room)
		return -1;
	memcpy(out, s, n);
	out[n] = 0;
	return 0;
}

/* One event of n characters, with the modifiers of its group (NULL: none). */
static int parse_one(const struct cat_cpu *cpu, const char *s, size_t n, const char *group_parts,
		     bool is_raw, struct evt_event *out, struct spmu_error *err)
{
	char all[sizeof(out->name)], body[sizeof(out->name)], mods[sizeof(out->name)];
	struct event_text t = {.cpu = cpu, .is_raw = is_raw, .all = all, .err = err};
	size_t used;
	int rc;

	if (copy_word(all, sizeof(all), s, n))
		return spmu_fail(err, SPMU_EINVAL, "event %.40s...: longer than 127 characters", s);
	memcpy(body, all, sizeof(body));
	t.e.user = t.e.kernel = true;
	t.e.counter = t.e.group = -1;
	rc = parse_body(&t, body);
	if (rc)
		return rc;
	if (group_parts && *group_parts) {
		snprintf(mods, sizeof(mods), "%s", group_parts);
		rc = parse_parts(&t, mods);
		if (rc)
			return rc;
	}
	rc = event_finish(&t);
	if (rc)
		return rc;
	if (!t.e.name[0]) {
		memcpy(t.e.name, all, sizeof(all));
		used = strlen(t.e.name);
		if (group_parts && *group_parts)
			snprintf(t.e.name + used, sizeof(t.e.name) - used, ":%s", group_parts);
	}
	*out = t.e;
	return 0;
}

int evt_parse_event(const struct cat_cpu *cpu, const char *text, bool is_raw, struct evt_event *out,
		    struct spmu_error *err)
{
	size_t n = event_span(text);

	if (text[n])
		return spmu_fail(err, SPMU_EINVAL,
				 "event %.80s: one event is wanted here, not a list", text);
	return parse_one(cpu, text, n, NULL, is_raw, out, err);
}

int evt_events_add(struct evt_events *list, const struct evt_event *e, struct spmu_error *err)
{
	if (list->n == list->room) {
		size_t room = list->room ? 2 * list->room : 16;
		struct evt_event *event = realloc(list->event, room * sizeof(*event));

		if (!event)
			return spmu_fail(err, SPMU_ENOMEM, "out of memory for the list of events");
		list->event = event;
		list->room = room;
	}
	list->event[list->n] = *e;
	list->event[list->n].watch = 0;
	if (e->cmask || e->edge) {
		unsigned n = 1;

		for (size_t i = 0; i < list->n; i++)
			n += list->event[i].watch != 0;
		if (n > WIRE_N_WATCH)
			return spmu_fail(
			    err, SPMU_EINVAL,
			    "event %s: at most %u events with a comparison or edge in one run",
			    e->name, WIRE_N_WATCH);
		list->event[list->n].watch = (uint8_t)n;
	}
	list->n++;
	return 0;
}

/* Codes of the P5 without a documented meaning are listed and explained, but not counted by
 * mistake. */
static int refuse_reserved(const struct cat_cpu *cpu, const struct evt_event *e, bool is_raw,
			   struct spmu_error *err)
{
	if (is_raw || cpu->family != CAT_P5 || !e->event || e->event->n_wire)
		return 0;
	return spmu_fail(err, SPMU_EINVAL,
			 "event %s: code 0x%02x is reserved, what it counts is not documented; "
			 "--raw takes it and shows "
			 "<not modelled>",
			 e->name, e->code);
}

/* Does one of the processors beside have the event that the first n characters of s spell? */
static bool is_elsewhere(const struct evt_events *list, const char *s, size_t n,
			 const char *group_parts, bool is_raw)
{
	for (size_t i = 0; i < list->n_other; i++) {
		struct evt_event e;
		struct spmu_error err;

		if (!parse_one(list->other[i], s, n, group_parts, is_raw, &e, &err) &&
		    !refuse_reserved(list->other[i], &e, is_raw, &err))
			return true;
	}
	return false;
}

/* Events up to the end or, inside braces, up to "}". Returns 0 and moves *at. */
static int parse_run(const struct cat_cpu *cpu, const char **at, const char *group_parts, int group,
		     bool is_raw, struct evt_events *list, struct spmu_error *err)
{
	const char *s = *at;

	for (;;) {
		size_t n = event_span(s);
		struct evt_event e;
		int rc = parse_one(cpu, s, n, group_parts, is_raw, &e, err);

		if (!rc)
			rc = refuse_reserved(cpu, &e, is_raw, err);
		if (rc && !is_elsewhere(list, s, n, group_parts, is_raw))
			return rc;
		e.group = (int16_t)group;
		rc = rc ? 0 : evt_events_add(list, &e, err);
		if (rc)
			return rc;
		s += n;
		if (*s != ',' || (group < 0 && s[1 + strspn(s + 1, " \t\n")] == '{'))
			break;
		s++;
	}
	*at = s;
	return 0;
}

/* s: at "{". Moves *at behind the group and its modifiers. */
static int parse_group(const struct cat_cpu *cpu, const char **at, bool is_raw,
		       struct evt_events *list, struct spmu_error *err)
{
	const char *s = *at + 1, *close = s;
	char parts[64] = "";
	size_t n = 0;
	int rc;

	while (*close && *close != '}' && *close != '{')
		close += *close == ',' ? 1 : event_span(close);
	if (*close == '{')
		return spmu_fail(err, SPMU_EINVAL, "event group %.60s: groups do not nest", *at);
	if (*close != '}')
		return spmu_fail(err, SPMU_EINVAL, "event group %.60s: the closing } is missing",
				 *at);
	if (close[1] == ':') {
		n = strcspn(close + 2, ",{}");
		if (n >= sizeof(parts))
			return spmu_fail(err, SPMU_EINVAL,
					 "event group %.60s: modifiers are too long", *at);
		memcpy(parts, close + 2, n);
		n++;
	}
	rc = parse_run(cpu, &s, parts, list->n_group, is_raw, list, err);
	if (rc)
		return rc;
	if (s != close)
		return spmu_fail(err, SPMU_EINVAL, "event group %.60s: a comma is missing", *at);
	list->n_group++;
	*at = close + 1 + n;
	return 0;
}

int evt_parse_events(const struct cat_cpu *cpu, const char *text, bool is_raw,
		     struct evt_events *list, struct spmu_error *err)
{
	const char *s = text;

	for (;;) {
		int rc;

		s += strspn(s, " \t\n");
		rc = *s == '{' ? parse_group(cpu, &s, is_raw, list, err)
			       : parse_run(cpu, &s, NULL, -1, is_raw, list, err);
		if (rc)
			return rc;
		s += strspn(s, " \t\n");
		if (!*s)
			return 0;
		if (*s != ',')
			return spmu_fail(err, SPMU_EINVAL,
					 "event list: a comma is missing before %.40s", s);
		s++;
	}
}

struct evt_event evt_event_of(const struct cat_event *e, uint8_t umask)
{
	struct evt_event out = {.event = e,
				.code = e->code,
				.umask = umask,
				.user = true,
				.kernel = true,
				.counter = -1,
				.group = -1};
	const char *mask = NULL;

	for (unsigned i = 0; i < e->n_umask; i++)
		if (e->umask[i].value == umask)
			mask = e->umask[i].name;
	if (umask == e->default_umask)
		snprintf(out.name, sizeof(out.name), "%s", e->name);
	else if (mask)
		snprintf(out.name, sizeof(out.name), "%s:%s", e->name, mask);
	else
		snprintf(out.name, sizeof(out.name), "%s:0x%02x", e->name, umask);
	return out;
}

/* The tier that event e needs under its default mask. */
static int tier_of(const struct cat_event *e)
{
	size_t n;
	const struct cat_wire *wires = cat_wires(&n);
	int tier = 1;

	for (unsigned i = 0; i < e->n_wire; i++)
		if (pmu_selects(&e->wire[i], e->default_umask) && e->wire[i].wire < n &&
		    wires[e->wire[i].wire].tier > tier)
			tier = wires[e->wire[i].wire].tier;
	return tier;
}

int evt_events_all(const struct cat_cpu *cpu, int most_tier, struct evt_events *list,
		   struct spmu_error *err)
{
	size_t n;
	const struct cat_event *events = cat_events(&n);

	for (size_t i = 0; i < n; i++) {
		struct evt_event e;
		int rc;

		if (!cat_cpu_has_event(cpu, &events[i]) || tier_of(&events[i]) > most_tier)
			continue;
		if (events[i].code >= 0x1f0) /* no processor's: only by name */
			continue;
		e = evt_event_of(&events[i], events[i].default_umask);
		rc = evt_events_add(list, &e, err);
		if (rc)
			return rc;
	}
	return 0;
}

int evt_events_find(const struct evt_events *list, const struct cat_event *e, uint8_t umask)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct evt_event *x = &list->event[i];

		if (x->event == e && x->umask == umask && x->user && !x->cmask && !x->edge &&
		    !x->clock_reading)
			return (int)i;
	}
	return -1;
}

struct pmu_select evt_select(const struct evt_event *e)
{
	return (struct pmu_select){.event = e->event,
				   .code = e->code,
				   .umask = e->umask,
				   .cmask = e->cmask,
				   .inv = e->inv,
				   .edge = e->edge,
				   .user = e->user,
				   .kernel = e->kernel,
				   .clock_reading = e->clock_reading,
				   .watch = e->watch ? (uint16_t)(WIRE_P6_CORE_WATCH0 + e->watch)
						     : (uint16_t)0};
}

void evt_events_free(struct evt_events *list)
{
	free(list->event);
	*list = (struct evt_events){0};
}

bool evt_is_same(const struct evt_event *a, const struct evt_event *b)
{
	return a->event == b->event && a->code == b->code && a->umask == b->umask &&
	       a->cmask == b->cmask && a->inv == b->inv && a->edge == b->edge &&
	       a->user == b->user && a->counter == b->counter &&
	       a->clock_reading == b->clock_reading && a->software == b->software &&
	       a->is_time == b->is_time && !a->why_not && !b->why_not;
}
