/* gencat_build.c -- rows to wires and events: numbers read, names resolved, texts attached.
 *
 * What belongs to one row only is checked here; what must hold across rows is in gencat_check.c.
 */
#include "gencat.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const struct family gen_family[N_FAMILY] = {
    {.name = "toy", .wire_prefix = "TOY", .cat = "CAT_TOY"},
    {.name = "p5", .wire_prefix = "P5", .cat = "CAT_P5"},
    {.name = "p6", .wire_prefix = "P6", .cat = "CAT_P6"},
};

/* In the order of enum cat_cpu_class; within a family from the oldest to the newest. */
const char *const gen_class[N_CLASS] = {"toy", "p5", "p55c", "ppro", "pii", "piii"};

int gen_find_family(const char *name)
{
	for (int f = 0; f < N_FAMILY; f++)
		if (strcmp(gen_family[f].name, name) == 0)
			return f;
	return -1;
}

int gen_find_wire(const struct catalog *c, int family, const char *name)
{
	for (size_t i = 0; i < c->n_wire; i++)
		if (c->wire[i].family == family && strcmp(c->wire[i].name, name) == 0)
			return (int)i;
	return -1;
}

struct event *gen_find_event(struct catalog *c, int family, const char *name)
{
	for (size_t i = 0; i < c->n_event; i++)
		if (c->event[i].family == family && strcmp(c->event[i].name, name) == 0)
			return &c->event[i];
	return NULL;
}

struct event *gen_find_key(struct catalog *c, int family, int code, int counters)
{
	for (size_t i = 0; i < c->n_event; i++) {
		struct event *e = &c->event[i];

		if (e->family == family && e->code == code && e->counters == counters)
			return e;
	}
	return NULL;
}

/* Position of `text` in a list of words, or a complaint and 0. */
static int choose(struct catalog *c, struct place at, const char *what, const char *text,
		  const char *const *word, int n)
{
	for (int i = 0; i < n; i++)
		if (strcmp(word[i], text) == 0)
			return i;
	gen_complain(c, at, "no such %s: %s", what, text);
	return 0;
}

static bool is_wire_name(const char *name)
{
	const char *dot = strchr(name, '.');

	if (!dot || dot == name || !dot[1] || strchr(dot + 1, '.'))
		return false;
	return strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_.") == strlen(name);
}

static bool is_event_name(const char *name)
{
	return strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_/&-") == strlen(name);
}

/* In the order of enum cat_need, enum cat_bound and enum cat_owner. */
static const char *const gen_need[] = {"-",	"never", "counts", "stream", "classes", "memory",
				       "alone", "btb",	 "clocks", "slots",  "watch",	"delivery"};
static const char *const gen_bound[] = {"any", "insn", "data", "miss", "line", "clk"};
static const char *const gen_owner[] = {"-",	"insn",	  "cause",  "branch",
					"path", "oldest", "machine"};
#define N_NEED	(int)(sizeof(gen_need) / sizeof(gen_need[0]))
#define N_BOUND (int)(sizeof(gen_bound) / sizeof(gen_bound[0]))
#define N_OWNER (int)(sizeof(gen_owner) / sizeof(gen_owner[0]))

/* What a wire needs and its tier say the same twice: to the model, and to whoever chooses the tier
 * of a run. */
static void check_need(struct catalog *c, const struct wire *w)
{
	static const int tier[] = {0, 0, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3};

	if (w->tier && tier[w->need] && tier[w->need] != w->tier)
		gen_complain(c, w->at, "what wire %s needs is of tier %d", w->name, tier[w->need]);
}

static void build_wires(struct catalog *c)
{
	static const char *const use[] = {"event", "internal"};
	size_t n = 0;

	for (int f = 0; f < N_FAMILY; f++)
		n += c->own[f].wires.n;
	c->wire = gen_alloc(n * sizeof *c->wire);
	for (int f = 0; f < N_FAMILY; f++) {
		for (size_t i = 0; i < c->own[f].wires.n; i++) {
			struct row *r = &c->own[f].wires.row[i];
			struct wire *w = &c->wire[c->n_wire];

			if (!is_wire_name(r->col[0])) {
				gen_complain(c, r->at,
					     "wire is not spelt unit.name in small letters: %s",
					     r->col[0]);
				continue;
			}
			if (gen_find_wire(c, f, r->col[0]) >= 0)
				gen_complain(c, r->at, "wire is there already: %s", r->col[0]);
			w->at = r->at;
			w->family = f;
			w->name = r->col[0];
			w->unit = gen_printf("%.*s", (int)strcspn(w->name, "."), w->name);
			w->tier = gen_number(c, r->at, r->col[1], 10, 3);
			if (!w->tier)
				gen_complain(c, r->at, "tier is 1, 2 or 3");
			w->is_internal = choose(c, r->at, "use of a wire", r->col[2], use, 2) == 1;
			w->need = choose(c, r->at, "need of a wire", r->col[3], gen_need, N_NEED);
			w->bound =
			    choose(c, r->at, "bound of a wire", r->col[4], gen_bound, N_BOUND);
			w->owner =
			    choose(c, r->at, "owner of a wire", r->col[5], gen_owner, N_OWNER);
			check_need(c, w);
			w->text = r->col[6];
			c->n_wire++;
		}
	}
}

/* Enumerator of the class that processor `name` belongs to; complains and gives -1. */
static int class_of(struct catalog *c, struct place at, int family, const char *name)
{
	for (size_t i = 0; i < c->processors.n; i++) {
		struct row *r = &c->processors.row[i];

		if (strcmp(r->col[0], name) != 0)
			continue;
		if (strcmp(r->col[1], gen_family[family].name) != 0)
			gen_complain(c, at, "processor of another family: %s", name);
		return choose(c, r->at, "class of processors", r->col[2], gen_class, N_CLASS);
	}
	gen_complain(c, at, "no such processor: %s", name);
	return -1;
}

/* wires column: "-", or words "wire" or "MASK[,MASK...]:wire" with hexadecimal masks. */
static void build_taps(struct catalog *c, struct event *e, char *text)
{
	if (strcmp(text, "-") == 0)
		return;
	for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
		char *colon = strchr(word, ':');
		int wire = gen_find_wire(c, e->family, colon ? colon + 1 : word);

		if (wire < 0) {
			gen_complain(c, e->at, "no such wire: %s", colon ? colon + 1 : word);
			continue;
		}
		c->wire[wire].is_used = true;
		if (!colon != !e->umask_type)
			gen_complain(c, e->at,
				     colon ? "wire with a mask in an event without unit mask: %s"
					   : "wire without a mask in an event with unit mask: %s",
				     word);
		if (colon)
			*colon = 0;
		for (char *m = colon ? word : "0"; m;) {
			char *comma = strchr(m, ',');

			if (comma)
				*comma = 0;
			if (e->n_tap == MAX_WIRE) {
				gen_complain(c, e->at, "more than %d wires", MAX_WIRE);
				return;
			}
			e->tap[e->n_tap++] = (struct tap){gen_number(c, e->at, m, 16, 255), wire};
			m = comma ? comma + 1 : NULL;
		}
	}
}

static void build_event(struct catalog *c, int family, struct row *r)
{
	static const char *const kind[] = {"occ", "dur", "weighted"};
	static const char *const type[] = {"none", "fixed", "bits", "exclusive"};
	static const char *const ctr[] = {"-", "0", "1", "01"};
	struct event *e = &c->event[c->n_event++];

	e->at = r->at;
	e->family = family;
	e->code = gen_number(c, r->at, r->col[0], 16, 511);
	e->counters = choose(c, r->at, "counter set", r->col[1], ctr, 4);
	if ((e->code > 255) != (e->counters == 0))
		gen_complain(c, r->at,
			     "codes above 0xff, and only they, have a register of their own "
			     "(counters -): %s",
			     r->col[0]);
	e->name = r->col[2];
	if (!is_event_name(e->name))
		gen_complain(c, r->at, "event name outside A-Z 0-9 _ / & -: %s", e->name);
	e->kind = choose(c, r->at, "kind", r->col[3], kind, 3);
	e->unit = r->col[4];
	e->umask_type = choose(c, r->at, "unit-mask type", r->col[5], type, 4);
	e->default_umask = gen_number(c, r->at, r->col[6], 16, 255);
	build_taps(c, e, r->col[7]);
	int since = class_of(c, r->at, family, r->col[8]);
	int until = class_of(c, r->at, family, r->col[9]);
	if (since > until)
		gen_complain(c, r->at, "since %s is later than until %s", r->col[8], r->col[9]);
	for (int k = since; k >= 0 && k <= until; k++)
		e->cpus |= 1u << k;
	e->source = r->col[10];
	e->meaning = r->col[11];
	e->rule = e->discrepancy = "";
}

/* The event that a row of umasks, rules or discrepancies names by its first two columns. */
static struct event *event_of(struct catalog *c, int family, struct row *r)
{
	int code = gen_number(c, r->at, r->col[0], 16, 511);
	int counters = strcmp(r->col[1], "01") == 0  ? 3
		       : strcmp(r->col[1], "0") == 0 ? 1
		       : strcmp(r->col[1], "1") == 0 ? 2
						     : 0;
	struct event *e = gen_find_key(c, family, code, counters);

	if (!e)
		gen_complain(c, r->at, "no event %s on counters %s", r->col[0], r->col[1]);
	return e;
}

static void build_umasks(struct catalog *c, int family)
{
	struct table *t = &c->own[family].umasks;

	for (size_t i = 0; i < t->n; i++) {
		struct row *r = &t->row[i];
		struct event *e = event_of(c, family, r);

		if (!e)
			continue;
		if (e->n_umask == MAX_UMASK) {
			gen_complain(c, r->at, "more than %d unit masks", MAX_UMASK);
			continue;
		}
		e->umask[e->n_umask++] =
		    (struct umask){gen_number(c, r->at, r->col[2], 16, 255), r->col[3], r->col[4]};
	}
}

/* Rules and discrepancies: several rows per event become lines of one text. */
static void build_texts(struct catalog *c, int family)
{
	struct table *t = &c->own[family].rules;

	for (size_t i = 0; i < t->n; i++) {
		struct row *r = &t->row[i];
		struct event *e = event_of(c, family, r);

		if (!e)
			continue;
		const char *mask = strcmp(r->col[2], "-") == 0 ? "" : r->col[2];
		e->rule =
		    gen_printf("%s%s%s%s%s%s [%s]", e->rule, *e->rule ? "\n\n" : "",
			       *mask ? "mask " : "", mask, *mask ? ": " : "", r->col[4], r->col[3]);
	}
	t = &c->own[family].discrepancies;
	for (size_t i = 0; i < t->n; i++) {
		struct row *r = &t->row[i];
		struct event *e = event_of(c, family, r);

		if (e)
			e->discrepancy =
			    gen_printf("%s%s%s: %s", e->discrepancy, *e->discrepancy ? "\n\n" : "",
				       r->col[2], r->col[3]);
	}
}

static void build_aliases(struct catalog *c)
{
	c->alias = gen_alloc(c->aliases.n * sizeof *c->alias);
	for (size_t i = 0; i < c->aliases.n; i++) {
		struct row *r = &c->aliases.row[i];
		struct alias *a = &c->alias[c->n_alias];
		int family = gen_find_family(r->col[1]);

		if (family < 0) {
			gen_complain(c, r->at, "no such family: %s", r->col[1]);
			continue;
		}
		a->event = gen_check_spelling(c, family, r->at, r->col[3], &a->umask);
		if (!a->event)
			continue;
		if (a->event->n_alias == MAX_ALIAS - 1) {
			gen_complain(c, r->at, "more than %d aliases", MAX_ALIAS - 1);
			continue;
		}
		a->at = r->at;
		a->system = r->col[0];
		a->name = r->col[2];
		a->has_umask = strchr(r->col[3], ':') != NULL;
		if (!a->has_umask &&
		    (strcmp(a->system, "softpmu") == 0 || strcmp(a->system, "NetBSD") == 0))
			a->event->short_name = a->name;
		a->event->alias[a->event->n_alias++] = gen_printf("%s (%s)", a->name, a->system);
		c->n_alias++;
	}
}

void gen_build(struct catalog *c)
{
	size_t n = 0;

	build_wires(c);
	for (int f = 0; f < N_FAMILY; f++)
		n += c->own[f].events.n;
	c->event = gen_alloc(n * sizeof *c->event);
	for (int f = 0; f < N_FAMILY; f++) {
		for (size_t i = 0; i < c->own[f].events.n; i++)
			build_event(c, f, &c->own[f].events.row[i]);
		build_umasks(c, f);
		build_texts(c, f);
		gen_read_notes(c, f, gen_printf("%s/%s/notes.md", c->root, gen_family[f].name));
		gen_read_groups(c, f, gen_printf("%s/%s/groups", c->root, gen_family[f].name));
	}
	build_aliases(c);
}
