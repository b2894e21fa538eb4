/* gencat_check.c -- what must hold across the rows of the catalog. Each check has a bad table in
 * tests/catalog/bad with the complaint that it must cause.
 */
#include "gencat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

void gen_check_source(struct catalog *c, struct place at, const char *list)
{
	char *copy = gen_printf("%s", list);

	for (char *key = strtok(copy, ","); key; key = strtok(NULL, ",")) {
		size_t i = 0;

		while (i < c->sources.n && strcmp(c->sources.row[i].col[0], key) != 0)
			i++;
		if (i == c->sources.n)
			gen_complain(c, at, "no such source: %s", key);
	}
}

static void check_wires(struct catalog *c)
{
	for (size_t i = 0; i < c->n_wire; i++) {
		struct wire *w = &c->wire[i];

		if (!w->is_used && !w->is_internal)
			gen_complain(c, w->at, "wire feeds no event: %s", w->name);
		if (w->is_used && w->is_internal)
			gen_complain(c, w->at, "internal wire feeds an event: %s", w->name);
	}
}

/* Do the single-bit masks of a "bits" event stand alone, and is everything else a union of them? */
static void check_bits(struct catalog *c, const struct event *e)
{
	int seen = 0;

	for (int i = 0; i < e->n_umask; i++) {
		int v = e->umask[i].value;

		if ((v & (v - 1)) != 0)
			continue;
		if (!v || (seen & v))
			gen_complain(c, e->at, "unit-mask bits of %s overlap: %02x", e->name,
				     (unsigned)v);
		seen |= v;
	}
	for (int i = 0; i < e->n_umask; i++)
		if (e->umask[i].value & ~seen)
			gen_complain(c, e->at,
				     "unit mask %02x of %s has bits that no single mask names",
				     (unsigned)e->umask[i].value, e->name);
	for (int i = 0; i < e->n_tap; i++)
		if (e->tap[i].mask & ~seen)
			gen_complain(c, e->at, "wire of %s under a mask that is not listed: %02x",
				     e->name, (unsigned)e->tap[i].mask);
	if (e->default_umask & ~seen)
		gen_complain(c, e->at, "default unit mask of %s is not listed: %02x", e->name,
			     (unsigned)e->default_umask);
}

static bool has_umask(const struct event *e, int value)
{
	for (int i = 0; i < e->n_umask; i++)
		if (e->umask[i].value == value)
			return true;
	return false;
}

/* A mask that selects no wire would count 0 where nothing is counted. */
static void check_selects(struct catalog *c, const struct event *e, const struct umask *u)
{
	for (int i = 0; i < e->n_tap; i++)
		if (e->umask_type == UMASK_BITS ? (e->tap[i].mask & u->value) == e->tap[i].mask
						: e->tap[i].mask == u->value)
			return;
	if (e->n_tap)
		gen_complain(c, e->at, "unit mask %02x of %s selects no wire", (unsigned)u->value,
			     e->name);
}

static void check_umasks(struct catalog *c, const struct event *e)
{
	for (int i = 0; i < e->n_umask; i++)
		check_selects(c, e, &e->umask[i]);
	for (int i = 0; i < e->n_umask; i++)
		for (int k = 0; k < i; k++) {
			if (e->umask[i].value == e->umask[k].value)
				gen_complain(c, e->at, "unit mask %02x of %s is listed twice",
					     (unsigned)e->umask[i].value, e->name);
			if (strcasecmp(e->umask[i].name, e->umask[k].name) == 0)
				gen_complain(c, e->at, "unit mask name %s of %s is listed twice",
					     e->umask[i].name, e->name);
		}
	if (e->umask_type == 0) {
		if (e->n_umask || e->default_umask)
			gen_complain(c, e->at, "unit masks of an event that has none: %s", e->name);
		return;
	}
	if (e->umask_type == UMASK_BITS) {
		check_bits(c, e);
		return;
	}
	if (!has_umask(e, e->default_umask))
		gen_complain(c, e->at, "default unit mask of %s is not listed: %02x", e->name,
			     (unsigned)e->default_umask);
	for (int i = 0; i < e->n_tap; i++)
		if (!has_umask(e, e->tap[i].mask))
			gen_complain(c, e->at, "wire of %s under a mask that is not listed: %02x",
				     e->name, (unsigned)e->tap[i].mask);
}

static void check_events(struct catalog *c)
{
	for (size_t i = 0; i < c->n_event; i++) {
		struct event *e = &c->event[i];

		for (size_t k = 0; k < i; k++) {
			const struct event *o = &c->event[k];

			if (o->family != e->family)
				continue;
			if (strcmp(o->name, e->name) == 0)
				gen_complain(c, e->at, "event name is there already: %s", e->name);
			if (o->code == e->code && (o->counters & e->counters) &&
			    (o->cpus & e->cpus))
				gen_complain(c, e->at,
					     "code already used on this counter: %02XH by %s",
					     (unsigned)e->code, o->name);
		}
		if (!e->note)
			gen_complain(c, e->at,
				     "event without a note (write \"-\" in notes.md for none): %s",
				     e->name);
		else if (strcmp(e->note, "-") == 0)
			e->note = "";
		if (strcmp(e->rule, "") == 0)
			gen_complain(c, e->at, "event without a counting rule: %s", e->name);
		check_umasks(c, e);
		gen_check_source(c, e->at, e->source);
	}
}

/* People type names: a long one needs a short one beside it. */
static void check_short_names(struct catalog *c)
{
	for (size_t i = 0; i < c->n_event; i++)
		if (strlen(c->event[i].name) > MAX_NAME && !c->event[i].short_name)
			gen_complain(c, c->event[i].at,
				     "more than %d letters and no short name in aliases.tsv: %s",
				     MAX_NAME, c->event[i].name);
}

/* An alias names one event on each processor, and no other event's own name. */
static void check_aliases(struct catalog *c)
{
	for (size_t i = 0; i < c->n_alias; i++) {
		const struct alias *a = &c->alias[i];
		const struct event *e = a->event;

		for (size_t k = 0; k < c->n_event; k++) {
			const struct event *o = &c->event[k];

			if (o != e && o->family == e->family && (o->cpus & e->cpus) &&
			    strcasecmp(o->name, a->name) == 0)
				gen_complain(c, a->at, "alias is the name of another event: %s",
					     a->name);
		}
		for (size_t k = 0; k < i; k++) {
			const struct alias *b = &c->alias[k];
			const struct event *o = b->event;

			if (strcasecmp(b->name, a->name) != 0 || o->family != e->family ||
			    !(o->cpus & e->cpus))
				continue;
			if (o != e || b->umask != a->umask)
				gen_complain(c, a->at, "alias %s stands for %s already", a->name,
					     o->name);
			else if (strcmp(b->system, a->system) == 0)
				gen_complain(c, a->at, "alias is there already: %s", a->name);
		}
	}
}

int gen_check_family(struct catalog *c, struct place at, const char *name)
{
	int f = gen_find_family(name);

	if (f < 0)
		gen_complain(c, at, "no such family: %s", name);
	return f;
}

static void check_unique(struct catalog *c, const struct table *t, int col, int with)
{
	for (size_t i = 0; i < t->n; i++)
		for (size_t k = 0; k < i; k++)
			if (strcmp(t->row[i].col[col], t->row[k].col[col]) == 0 &&
			    (with < 0 || strcmp(t->row[i].col[with], t->row[k].col[with]) == 0))
				gen_complain(c, t->row[i].at, "name is there already: %s",
					     t->row[i].col[col]);
}

static void check_formulas(struct catalog *c)
{
	for (size_t i = 0; i < c->metrics.n; i++) {
		struct row *r = &c->metrics.row[i];
		int f = gen_check_family(c, r->at, r->col[0]);

		if (f >= 0)
			gen_check_formula(c, f, r->at, r->col[2]);
		gen_check_source(c, r->at, r->col[4]);
	}
	for (size_t i = 0; i < c->relations.n; i++) {
		struct row *r = &c->relations.row[i];
		int f = gen_check_family(c, r->at, r->col[0]);

		if (strcmp(r->col[2], "identity") != 0 && strcmp(r->col[2], "tendency") != 0)
			gen_complain(c, r->at, "class is identity or tendency, not %s", r->col[2]);
		if (strcmp(r->col[4], "=") != 0 && strcmp(r->col[4], "<=") != 0)
			gen_complain(c, r->at, "relation is = or <=, not %s", r->col[4]);
		if (f >= 0) {
			gen_check_formula(c, f, r->at, r->col[3]);
			gen_check_formula(c, f, r->at, r->col[5]);
		}
		gen_check_source(c, r->at, r->col[6]);
	}
	check_unique(c, &c->metrics, 1, 0);
	check_unique(c, &c->relations, 1, 0);
	check_unique(c, &c->generics, 0, 1);
	check_unique(c, &c->software, 0, -1);
	check_unique(c, &c->cpu_names, 0, -1);
	check_unique(c, &c->later, 0, -1);
	check_unique(c, &c->sources, 0, -1);
	check_unique(c, &c->processors, 0, -1);
}

bool gen_geometry(struct catalog *c, struct place at, const char *text, bool has_line,
		  unsigned out[3])
{
	char *p = (char *)text;

	out[0] = out[1] = out[2] = 0;
	if (strcmp(text, "-") == 0)
		return true;
	out[0] = (unsigned)strtoul(p, &p, 10);
	if (*p == 'K' || *p == 'M')
		out[0] <<= *p++ == 'K' ? 10 : 20;
	if (*p == ':')
		out[1] = (unsigned)strtoul(p + 1, &p, 10);
	if (has_line && *p == ':')
		out[2] = (unsigned)strtoul(p + 1, &p, 10);
	unsigned set_bytes = out[1] * (has_line ? out[2] : 1);
	if (*p || !set_bytes || !out[0] || out[0] % set_bytes != 0) {
		gen_complain(c, at, "not a geometry SIZE:WAYS%s: %s", has_line ? ":LINE" : "",
			     text);
		return false;
	}
	unsigned n_sets = out[0] / set_bytes;
	if (!(n_sets & (n_sets - 1)))
		return true;
	gen_complain(c, at, "%u sets, which is no power of two: %s", n_sets, text);
	return false;
}

/* Complain of each word of `list` that names nothing that a processor can have. */
static void check_features(struct catalog *c, struct place at, const char *list)
{
	char *copy = gen_printf("%s", list);

	for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
		if (strcmp(word, "mmx") != 0 && strcmp(word, "sse") != 0 && strcmp(word, "-") != 0)
			gen_complain(c, at, "no such feature: %s (there are mmx and sse)", word);
}

static void check_class(struct catalog *c, struct place at, const char *name)
{
	for (int k = 0; k < N_CLASS; k++)
		if (!strcmp(gen_class[k], name))
			return;
	gen_complain(c, at, "no such class of processors: %s", name);
}

static void check_processors(struct catalog *c)
{
	for (size_t i = 0; i < c->processors.n; i++) {
		struct row *r = &c->processors.row[i];
		unsigned part[3];
		char end;

		gen_check_family(c, r->at, r->col[1]);
		check_class(c, r->at, r->col[2]);
		check_features(c, r->at, r->col[4]);
		gen_check_source(c, r->at, r->col[14]);
		if (sscanf(r->col[3], "%u.%u.%u%c", &part[0], &part[1], &part[2], &end) != 3)
			gen_complain(c, r->at, "not FAMILY.MODEL.STEPPING: %s", r->col[3]);
		for (int k = 5; k <= 10; k++)
			gen_geometry(c, r->at, r->col[k], k < 8, part);
		if (strcmp(r->col[11], "-") != 0)
			gen_number(c, r->at, r->col[11], 10, 1024);
		gen_number(c, r->at, r->col[12], 10, 100000);
		gen_number(c, r->at, r->col[13], 10, 1000000);
	}
}

static void check_uops(struct catalog *c)
{
	for (size_t i = 0; i < c->uops.n; i++) {
		struct row *r = &c->uops.row[i];
		int ports = 0;

		for (int k = 2; k < 10; k++) {
			int v = gen_number(c, r->at, r->col[k], 10, k < 4 ? 65535 : 255);

			ports += k < 4 ? 0 : v;
		}
		if (ports && ports != atoi(r->col[2]))
			gen_complain(c, r->at, "micro-ops by port do not add up to %s: %s",
				     r->col[2], r->col[0]);
		gen_check_source(c, r->at, r->col[10]);
	}
	check_unique(c, &c->uops, 0, 1);
	for (size_t i = 0; i < c->nearest.n; i++) {
		struct row *r = &c->nearest.row[i];
		char *star = strchr(r->col[0], '*');

		if (star && strchr(star + 1, '*'))
			gen_complain(c, r->at, "more than one * in a pattern: %s", r->col[0]);
		for (int k = 1; k <= 2; k++) {
			bool is_there = strchr(r->col[k], '*') || strcmp(r->col[k], "-") == 0;

			for (size_t u = 0; u < c->uops.n && !is_there; u++)
				is_there = strcmp(c->uops.row[u].col[0], r->col[k]) == 0;
			if (!is_there)
				gen_complain(c, r->at, "no micro-ops of %s", r->col[k]);
		}
		gen_number(c, r->at, r->col[3], 10, 512);
		gen_check_source(c, r->at, r->col[4]);
	}
	check_unique(c, &c->nearest, 0, -1);
}

/* "dcache.miss_clk": a unit and what it is of it. */
static bool is_param_name(const char *name)
{
	const char *dot = strchr(name, '.');

	return dot && dot != name && dot[1] && !strchr(dot + 1, '.') &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_.") == strlen(name);
}

static void check_readings(struct catalog *c)
{
	for (size_t i = 0; i < c->readings.n; i++) {
		struct row *r = &c->readings.row[i];

		for (int k = 0; k <= 2; k++)
			if ((k < 2 || strcmp(r->col[k], "-") != 0) &&
			    gen_find_wire(c, gen_find_family("p5"), r->col[k]) < 0)
				gen_complain(c, r->at, "no such wire: %s", r->col[k]);
		if (strcmp(r->col[3], "-") != 0)
			gen_number(c, r->at, r->col[3] + 2, 16, 0xff);
		gen_check_source(c, r->at, r->col[4]);
	}
	check_unique(c, &c->readings, 0, 3);
}

static void check_params(struct catalog *c)
{
	for (size_t i = 0; i < c->params.n; i++) {
		struct row *r = &c->params.row[i];

		if (!is_param_name(r->col[0]))
			gen_complain(c, r->at, "not UNIT.NAME: %s", r->col[0]);
		for (int k = 1; k <= 2; k++)
			gen_number(c, r->at, r->col[k], 10, 65535);
		gen_check_source(c, r->at, r->col[4]);
	}
	check_unique(c, &c->params, 0, -1);
}

static const char *const p6_units[] = {"-", "imul", "fmul", "div", "system"}; /* enum cat_p6_unit */

int gen_p6_unit(const char *name)
{
	for (int i = 0; i < (int)(sizeof p6_units / sizeof p6_units[0]); i++)
		if (!strcmp(p6_units[i], name))
			return i;
	return -1;
}

static void check_p6_timing(struct catalog *c)
{
	for (size_t i = 0; i < c->p6_timing.n; i++) {
		struct row *r = &c->p6_timing.row[i];

		gen_number(c, r->at, r->col[2], 10, 255);
		gen_number(c, r->at, r->col[3], 10, 255);
		if (gen_p6_unit(r->col[4]) < 0)
			gen_complain(c, r->at, "no such unit: %s", r->col[4]);
		gen_check_source(c, r->at, r->col[5]);
	}
	check_unique(c, &c->p6_timing, 0, 1);
}

static void check_p6_params(struct catalog *c)
{
	for (size_t i = 0; i < c->p6_params.n; i++) {
		struct row *r = &c->p6_params.row[i];
		bool is_there = !strcmp(r->col[1], "-");

		for (int k = 0; k < N_CLASS && !is_there; k++)
			is_there = !strcmp(gen_class[k], r->col[1]);
		for (size_t k = 0; k < c->processors.n && !is_there; k++)
			is_there = !strcmp(c->processors.row[k].col[0], r->col[1]);
		if (!is_there)
			gen_complain(c, r->at, "no such processor or class: %s", r->col[1]);
		gen_number(c, r->at, r->col[2], 10, 10000);
		gen_check_source(c, r->at, r->col[3]);
	}
	check_unique(c, &c->p6_params, 0, 1);
}

void gen_check(struct catalog *c)
{
	check_wires(c);
	check_events(c);
	check_aliases(c);
	check_short_names(c);
	check_formulas(c);
	gen_check_names(c);
	check_uops(c);
	check_p6_timing(c);
	check_p6_params(c);
	check_processors(c);
	check_params(c);
	check_readings(c);
	gen_check_timing(c);
	gen_check_diagrams(c);
	for (int f = 0; f < N_FAMILY; f++)
		for (size_t i = 0; i < c->own[f].discrepancies.n; i++)
			gen_check_source(c, c->own[f].discrepancies.row[i].at,
					 c->own[f].discrepancies.row[i].col[2]);
}
