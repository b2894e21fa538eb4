/* gencat_diagram.c -- diagram.tsv: the block diagram of a family, checked and written as C.
 *
 * A family whose table has no row has no diagram. One that has rows shows each of its events once.
 */
#include "gencat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KIND, NAME, ON, ROW, COLUMN, OF, TEXT };
enum { MOST_ROW = 60, MOST_COLUMN = 79 };

static bool is_kind(const struct row *r, const char *kind)
{
	return strcmp(r->col[KIND], kind) == 0;
}

/* Boxes and arrows have one set of names, each other kind has its own. */
static bool has_own_names(const struct row *r)
{
	return is_kind(r, "event") || is_kind(r, "part") || is_kind(r, "stall");
}

/* A box, or the thin box that a bus is. */
static bool is_box(const struct row *r)
{
	return is_kind(r, "box") || is_kind(r, "bus");
}

/* "3" or "3-5". */
static void read_range(struct catalog *c, struct place at, const char *text, int most, int out[2])
{
	char *end = NULL;

	out[0] = (int)strtol(text, &end, 10);
	out[1] = *end == '-' ? (int)strtol(end + 1, &end, 10) : out[0];
	if (*end || out[0] < 0 || out[1] < out[0] || out[1] > most)
		gen_complain(c, at, "not a number or a range up to %d: %s", most, text);
}

/* Rows and columns of a box; they have been checked. */
struct place_of {
	int row[2], column[2];
};

static struct place_of place_of(struct catalog *c, const struct row *r)
{
	struct place_of p;

	read_range(c, r->at, r->col[ROW], MOST_ROW, p.row);
	read_range(c, r->at, r->col[COLUMN], MOST_COLUMN, p.column);
	return p;
}

static bool meet(const int a[2], const int b[2])
{
	return a[0] <= b[1] && b[0] <= a[1];
}

/* Number of the box or arrow among those of its kind, -1: there is none. */
static int find_place(const struct table *t, const char *name, size_t n, bool of_boxes)
{
	int k = 0;

	for (size_t i = 0; i < t->n; i++) {
		const struct row *r = &t->row[i];

		if (of_boxes ? !is_box(r) : !is_kind(r, "arrow"))
			continue;
		if (strlen(r->col[NAME]) == n && strncmp(r->col[NAME], name, n) == 0)
			return k;
		k++;
	}
	return -1;
}

/* The row of box number k. */
static const struct row *box_row(const struct table *t, int k)
{
	for (size_t i = 0; i < t->n; i++)
		if (is_box(&t->row[i]) && !k--)
			return &t->row[i];
	return NULL;
}

/* The boxes at the ends of an arrow, "from>to"; false after a complaint. */
static bool ends_of(struct catalog *c, const struct table *t, const struct row *r, int end[2])
{
	const size_t n = strcspn(r->col[ON], ">");
	const char *const to = r->col[ON] + n + (r->col[ON][n] != 0);

	end[0] = find_place(t, r->col[ON], n, true);
	end[1] = find_place(t, to, strlen(to), true);
	if (end[0] >= 0 && end[1] >= 0 && end[0] != end[1])
		return true;
	gen_complain(c, r->at, "an arrow goes from one box to another, FROM>TO: %s", r->col[ON]);
	return false;
}

static bool is_unit(const struct catalog *c, int family, const char *unit)
{
	for (size_t i = 0; i < c->n_wire; i++)
		if (c->wire[i].family == family && strcmp(c->wire[i].unit, unit) == 0)
			return true;
	return false;
}

static void check_box(struct catalog *c, int family, const struct table *t, size_t at)
{
	const struct row *r = &t->row[at];
	const struct place_of p = place_of(c, r);

	if (strcmp(r->col[ON], "-") != 0 && !is_unit(c, family, r->col[ON]))
		gen_complain(c, r->at, "no such unit: %s", r->col[ON]);
	if (strcmp(r->col[OF], "-") != 0 && strcmp(r->col[OF], "all") != 0)
		gen_complain(c, r->at, "a box is drawn for all, or - with its events: %s",
			     r->col[OF]);
	for (size_t i = 0; i < at; i++) {
		if (!is_box(&t->row[i]))
			continue;
		const struct place_of q = place_of(c, &t->row[i]);

		if (meet(p.row, q.row) && meet(p.column, q.column))
			gen_complain(c, r->at, "box %s lies over %s", r->col[NAME],
				     t->row[i].col[NAME]);
	}
}

static void check_arrow(struct catalog *c, const struct table *t, const struct row *r)
{
	int end[2];

	if (!ends_of(c, t, r, end))
		return;
	const struct place_of a = place_of(c, box_row(t, end[0])),
			      b = place_of(c, box_row(t, end[1]));
	const bool is_beside = meet(a.row, b.row);
	const bool is_next =
	    meet(a.column, b.column) && (a.row[1] + 1 == b.row[0] || b.row[1] + 1 == a.row[0]);

	if (!is_beside && !is_next)
		gen_complain(
		    c, r->at,
		    "arrow between boxes that are neither side by side nor one below the other: %s",
		    r->col[ON]);
}

static void check_event(struct catalog *c, int family, const struct table *t, size_t at)
{
	const struct row *r = &t->row[at];
	const struct event *e = gen_find_event(c, family, r->col[NAME]);
	const int box = find_place(t, r->col[ON], strlen(r->col[ON]), true);
	const int arrow = find_place(t, r->col[ON], strlen(r->col[ON]), false);

	if (!e)
		gen_complain(c, r->at, "no such event: %s", r->col[NAME]);
	if (box < 0 && arrow < 0)
		gen_complain(c, r->at, "no such box or arrow: %s", r->col[ON]);
	if (e && box >= 0 && strcmp(box_row(t, box)->col[ON], e->unit) != 0)
		gen_complain(c, r->at,
			     "event of unit %s on box %s, which is of unit %s: give unit %s a box",
			     e->unit, r->col[ON], box_row(t, box)->col[ON], e->unit);
	if (strcmp(r->col[OF], "-") != 0 && !gen_find_event(c, family, r->col[OF]))
		gen_complain(c, r->at, "no such event: %s", r->col[OF]);
}

/* Is there a metric of the family that is a part of a stack? */
static bool is_part_of_stack(const struct catalog *c, int family, const char *name)
{
	for (size_t i = 0; i < c->metrics.n; i++) {
		char *const *col = c->metrics.row[i].col;

		if (gen_find_family(col[0]) == family && strcmp(col[1], name) == 0)
			return strcmp(col[6], "-") != 0;
	}
	return false;
}

/* Clocks that are lost in a box: a part of the stack, or an event of durations. */
static void check_lost(struct catalog *c, int family, const struct table *t, const struct row *r)
{
	if (is_kind(r, "part") && !is_part_of_stack(c, family, r->col[NAME]))
		gen_complain(c, r->at, "no metric that is a part of a stack: %s", r->col[NAME]);
	if (is_kind(r, "stall") && !gen_find_event(c, family, r->col[NAME]))
		gen_complain(c, r->at, "no such event: %s", r->col[NAME]);
	if (strcmp(r->col[ON], "-") != 0 && find_place(t, r->col[ON], strlen(r->col[ON]), true) < 0)
		gen_complain(c, r->at, "no such box: %s", r->col[ON]);
}

static void check_row(struct catalog *c, int family, const struct table *t, size_t at)
{
	const struct row *r = &t->row[at];

	for (size_t i = 0; i < at; i++)
		if (strcmp(t->row[i].col[NAME], r->col[NAME]) == 0 &&
		    has_own_names(&t->row[i]) == has_own_names(r) &&
		    (!has_own_names(r) || is_kind(&t->row[i], r->col[KIND])))
			gen_complain(c, r->at, "name is there already: %s", r->col[NAME]);
	if (is_box(r))
		check_box(c, family, t, at);
	else if (is_kind(r, "arrow"))
		check_arrow(c, t, r);
	else if (is_kind(r, "event"))
		check_event(c, family, t, at);
	else if (is_kind(r, "part") || is_kind(r, "stall"))
		check_lost(c, family, t, r);
	else
		gen_complain(c, r->at, "kind is box, bus, arrow, event, part or stall, not %s",
			     r->col[KIND]);
}

/* Is every event of the family drawn? */
static void check_complete(struct catalog *c, int family, const struct table *t)
{
	for (size_t i = 0; i < c->n_event; i++) {
		const struct event *e = &c->event[i];
		bool is_there = e->family != family;

		for (size_t k = 0; k < t->n && !is_there; k++)
			is_there = is_kind(&t->row[k], "event") &&
				   strcmp(t->row[k].col[NAME], e->name) == 0;
		if (!is_there)
			gen_complain(c, e->at, "event on no box or arrow of diagram.tsv: %s",
				     e->name);
	}
}

void gen_check_diagrams(struct catalog *c)
{
	for (int f = 0; f < N_FAMILY; f++) {
		const struct table *t = &c->own[f].diagram;

		for (size_t i = 0; i < t->n; i++)
			check_row(c, f, t, i);
		if (t->n)
			check_complete(c, f, t);
	}
}

/* ---- C ---------------------------------------------------------------- */

static int index_of(struct catalog *c, int family, const char *name)
{
	return strcmp(name, "-") == 0 ? -1 : (int)(gen_find_event(c, family, name) - c->event);
}

static void put_boxes(FILE *f, struct catalog *c, int family, const struct table *t)
{
	fprintf(f, "static const struct cat_diagram_box diagram_box_%d[] = {\n", family);
	for (size_t i = 0; i < t->n; i++) {
		const struct row *r = &t->row[i];

		if (!is_box(r))
			continue;
		const struct place_of p = place_of(c, r);

		fprintf(f, "\t{ \"%s\", \"%s\", \"%s\", %d, %d, %d, %d, %d, %d },\n", r->col[NAME],
			strcmp(r->col[ON], "-") == 0 ? "" : r->col[ON], r->col[TEXT], p.row[0],
			p.row[1], p.column[0], p.column[1], is_kind(r, "bus"),
			strcmp(r->col[OF], "all") == 0);
	}
	fputs("\t{ 0 },\n};\n", f);
}

static void put_arrows(FILE *f, struct catalog *c, int family, const struct table *t)
{
	fprintf(f, "static const struct cat_diagram_arrow diagram_arrow_%d[] = {\n", family);
	for (size_t i = 0; i < t->n; i++) {
		const struct row *r = &t->row[i];
		int end[2];

		if (is_kind(r, "arrow") && ends_of(c, t, r, end))
			fprintf(f, "\t{ \"%s\", \"%s\", %d, %d },\n", r->col[NAME], r->col[TEXT],
				end[0], end[1]);
	}
	fputs("\t{ 0 },\n};\n", f);
}

static void put_events(FILE *f, struct catalog *c, int family, const struct table *t)
{
	fprintf(f, "static const struct cat_diagram_event diagram_event_%d[] = {\n", family);
	for (size_t i = 0; i < t->n; i++) {
		const struct row *r = &t->row[i];

		if (!is_kind(r, "event"))
			continue;
		const int of = index_of(c, family, r->col[OF]);
		const size_t n = strlen(r->col[ON]);

		fprintf(f, "\t{ &cat_event_table[%d], ", index_of(c, family, r->col[NAME]));
		fprintf(f, of < 0 ? "NULL" : "&cat_event_table[%d]", of);
		fprintf(f, ", \"%s\", %d, %d },\n", r->col[TEXT],
			find_place(t, r->col[ON], n, true), find_place(t, r->col[ON], n, false));
	}
	fputs("\t{ 0 },\n};\n", f);
}

static void put_parts(FILE *f, struct catalog *c, int family, const struct table *t)
{
	fprintf(f, "static const struct cat_diagram_part diagram_part_%d[] = {\n", family);
	for (size_t i = 0; i < t->n; i++) {
		const struct row *r = &t->row[i];

		if (!is_kind(r, "part") && !is_kind(r, "stall"))
			continue;
		fprintf(f, "\t{ \"%s\", ", r->col[NAME]);
		fprintf(f, is_kind(r, "part") ? "NULL" : "&cat_event_table[%d]",
			is_kind(r, "part") ? 0 : index_of(c, family, r->col[NAME]));
		fprintf(f, ", \"%s\", \"%s\", %d },\n", r->col[OF], r->col[TEXT],
			find_place(t, r->col[ON], strlen(r->col[ON]), true));
	}
	fputs("\t{ 0 },\n};\n", f);
}

void gen_put_diagrams(FILE *f, struct catalog *c)
{
	for (int family = 0; family < N_FAMILY; family++) {
		const struct table *t = &c->own[family].diagram;

		if (!t->n)
			continue;
		put_boxes(f, c, family, t);
		put_arrows(f, c, family, t);
		put_events(f, c, family, t);
		put_parts(f, c, family, t);
	}
	fputs("const struct cat_diagram cat_diagram_table[] = {\n", f);
	for (int family = 0; family < N_FAMILY; family++) {
		static const char *const part[] = {"box", "arrow", "event", "part"};

		if (!c->own[family].diagram.n)
			continue;
		fprintf(f, "\t[%s] = { ", gen_family[family].cat);
		for (int k = 0; k < 4; k++)
			fprintf(
			    f,
			    "%sdiagram_%s_%d, sizeof diagram_%s_%d / sizeof diagram_%s_%d[0] - 1",
			    k ? ", " : "", part[k], family, part[k], family, part[k], family);
		fputs(" },\n", f);
	}
	fprintf(f, "\t[%d] = { NULL, 0, NULL, 0, NULL, 0, NULL, 0 },\n};\n\n", N_FAMILY);
}
