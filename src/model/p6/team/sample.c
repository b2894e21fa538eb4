/* sample.c -- where the units of a run lie, what they counted, and the estimate. Rules: sample.h.
 */
#include "model/p6/team/sample.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "gen/wires_p6.h"
#include "model/p6/p6.h"
#include "model/p6/team/sample_parts.h"
#include "model/p6/team/sample_places.h"

/* What a unit counts without clocks and clocks depend on. None of them is among what blocks count
 * by being executed. Covariate 0 is the instructions. More of them are worse: where two count
 * nearly the same (lines into L2, modified lines into L1D), or what few units have (misses of the
 * ITLB), their coefficients are noise. */
static const uint16_t covariate[ESTIMATE_X - 1] = {
    WIRE_P6_IFU_MISS,	WIRE_P6_DCU_LINE_IN,	WIRE_P6_RETIRE_MISPREDICT,
    WIRE_P6_L2_LINE_IN, WIRE_P6_DCU_M_LINE_OUT,
};

#define NO_INTERVAL (1ull << 50) /* half of it, where nobody knows: more than any total */

int p6_sample_open(const struct p6_sums *sum, unsigned every, bool is_open, uint32_t seed,
		   uint64_t full, const uint16_t *wire, unsigned n, struct team_sample **out)
{
	struct team_sample *s = calloc(1, sizeof(*s));

	*out = s;
	if (!s)
		return -SPMU_ENOMEM;
	s->sum = *sum;
	s->every = every;
	s->is_open = is_open;
	s->seed = seed;
	s->full = full;
	s->n_wire = n;
	s->wire = malloc((n + 1) * sizeof(*s->wire));
	s->base = calloc(n + 1, sizeof(*s->base));
	s->base_half = calloc(n + 1, sizeof(*s->base_half));
	if (!s->wire || !s->base || !s->base_half)
		return -SPMU_ENOMEM;
	memcpy(s->wire, wire, n * sizeof(*wire));
	for (unsigned k = 0; k < n; k++)
		if (wire[k] == WIRE_P6_CORE_CLK)
			s->clock = k;
	return 0;
}

void p6_sample_close(struct team_sample *s)
{
	if (!s)
		return;
	free(s->wire);
	free(s->base);
	free(s->base_half);
	free(s->row);
	p6_sample_places_close(s->places);
	p6_sample_parts_close(s->parts);
	free(s);
}

static void set_covariates(const struct p6 *m, const uint64_t *total, double *x)
{
	x[0] = (double)m->n_insn;
	for (unsigned j = 1; j < ESTIMATE_X; j++)
		x[j] = (double)total[covariate[j - 1]];
}

/* ---- where units lie ------------------------------------------------------------------------- */

void p6_sample_begin(struct team_sample *s, struct p6 *scout)
{
	uint64_t total[WIRE_N] = {0};

	s->sum.now(scout, total);
	set_covariates(scout, total, s->start);
	s->from = s->begin = scout->n_insn;
	s->phase = SAMPLE_IN_FULL;
	s->distance = 1;
	s->place = 0;
	s->window = 0;
	s->n_row = 0;
	s->has_pieces = false;
	if (s->parts)
		p6_sample_parts_clear(s->parts);
}

uint64_t p6_sample_end(const struct team_sample *s)
{
	switch (s->phase) {
	case SAMPLE_SKIP: return s->begin + (uint64_t)s->skip * SAMPLE_UNIT - SAMPLE_WARM;
	case SAMPLE_WARM_UP: return s->begin + SAMPLE_WARM;
	default: return s->begin + SAMPLE_UNIT;
	}
}

/* A unit ended `length` instructions behind the first one: where is the next window's? */
static void next_window(struct team_sample *s, uint64_t length)
{
	const unsigned left = s->distance - 1 - s->place;

	length += (uint64_t)left * SAMPLE_UNIT;
	while (s->distance < p6_sample_largest(s->every, s->is_open, length) &&
	       length >= (s->full ? s->full : (uint64_t)SAMPLE_FULL * s->distance))
		s->distance *= 2;
	s->place = p6_sample_place(s->seed, ++s->window, s->distance);
	s->skip = left + s->place;
}

void p6_sample_next(struct team_sample *s, uint64_t n_insn)
{
	switch (s->phase) {
	case SAMPLE_SKIP: s->phase = SAMPLE_WARM_UP; break;
	case SAMPLE_WARM_UP: s->phase = SAMPLE_MEASURE; break;
	default:
		next_window(s, n_insn - s->from);
		s->phase = s->distance == 1 ? SAMPLE_IN_FULL
			   : s->skip	    ? SAMPLE_SKIP
					    : SAMPLE_MEASURE;
	}
	s->begin = n_insn;
}

/* ---- what they counted ----------------------------------------------------------------------- */

int p6_sample_mark(const struct team_sample *s, struct p6 *m,
		   void sum(struct p6 *m, uint64_t *total), struct sample_mark *out)
{
	uint64_t total[WIRE_N] = {0};

	if (!out->y)
		out->y = malloc((s->n_wire + 1) * sizeof(*out->y));
	if (!out->y)
		return -SPMU_ENOMEM;
	sum(m, total);
	set_covariates(m, total, out->x);
	for (unsigned k = 0; k < s->n_wire; k++)
		out->y[k] = total[s->wire[k]];
	return 0;
}

static size_t row_bytes(const struct team_sample *s)
{
	return sizeof(struct sample_row) + s->n_wire * sizeof(double);
}

static struct sample_row *row_at(const struct team_sample *s, size_t i)
{
	return (struct sample_row *)(void *)(s->row + i * row_bytes(s));
}

/* Returns a new row, or NULL. */
static struct sample_row *add_row(struct team_sample *s)
{
	if (s->n_row == s->room) {
		const size_t room = s->room ? 2 * s->room : 512;
		unsigned char *more = realloc(s->row, room * row_bytes(s));

		if (!more)
			return NULL;
		s->row = more;
		s->room = room;
	}
	return row_at(s, s->n_row++);
}

/* Returns a new row of a unit, or a piece of one, between two marks, or NULL. */
static struct sample_row *row_between(struct team_sample *s, uint64_t window, unsigned distance,
				      const struct sample_mark *from, const struct sample_mark *to)
{
	struct sample_row *r = add_row(s);

	if (!r)
		return NULL;
	r->window = window;
	r->unit.d = distance;
	for (unsigned j = 0; j < ESTIMATE_X; j++)
		r->unit.x[j] = to->x[j] - from->x[j];
	for (unsigned k = 0; k < s->n_wire; k++)
		r->y[k] = (double)(int64_t)(to->y[k] - from->y[k]);
	return r;
}

int p6_sample_keep(struct team_sample *s, uint64_t window, unsigned distance,
		   const struct sample_mark *from, const struct sample_mark *to, struct ledger *l)
{
	struct sample_row *r;

	if (to->x[0] <= from->x[0])
		return 0;
	r = row_between(s, window, distance, from, to);
	if (!r)
		return -SPMU_ENOMEM;
	return s->places ? p6_sample_places_add(s->places, l, r) : 0;
}

void p6_sample_count(struct team_sample *s)
{
	if (s->parts && s->n_row)
		p6_sample_parts_add(s->parts, row_at(s, s->n_row - 1));
}

int p6_sample_cut(struct team_sample *s, struct sample_mark *from, struct sample_mark *to)
{
	const struct sample_mark was = *from;

	if (to->x[0] <= from->x[0])
		return 0;
	if (!row_between(s, s->window, s->phase == SAMPLE_IN_FULL ? 1 : s->distance, from, to))
		return -SPMU_ENOMEM;
	p6_sample_count(s);
	s->has_pieces = true;
	*from = *to;
	*to = was; /* its room is used again */
	return 0;
}

void p6_sample_drop(struct team_sample *s)
{
	s->n_row -= s->n_row != 0;
}

/* ---- the estimate ---------------------------------------------------------------------------- */

/* The units in the order of the program, by columns. */
struct table {
	size_t n;
	const struct sample_row **row;
	unsigned char *joined; /* rows of units that are several, put together; or NULL */
	struct estimate_unit *unit;
	double *y; /* one column */
};

static int by_window(const void *a, const void *b)
{
	const struct sample_row *const *r = a, *const *t = b;

	return (*r)->window < (*t)->window ? -1 : (*r)->window > (*t)->window;
}

static void close_table(struct table *t)
{
	free(t->row);
	free(t->joined);
	free(t->unit);
	free(t->y);
}

/* Put the pieces of each unit together. Returns 0 or -SPMU_ENOMEM. */
static int join_pieces(const struct team_sample *s, struct table *t)
{
	size_t n = 0;

	t->joined = malloc(t->n * row_bytes(s) + 1);
	if (!t->joined)
		return -SPMU_ENOMEM;
	for (size_t i = 0; i < t->n; i++) {
		struct sample_row *r = (struct sample_row *)(void *)(t->joined + n * row_bytes(s));
		const struct sample_row *piece = t->row[i];

		if (!n || t->row[n - 1]->window != piece->window) {
			memcpy(r, piece, row_bytes(s));
			t->row[n++] = r;
			continue;
		}
		r = (struct sample_row *)(void *)(t->joined + (n - 1) * row_bytes(s));
		for (unsigned j = 0; j < ESTIMATE_X; j++)
			r->unit.x[j] += piece->unit.x[j];
		for (unsigned k = 0; k < s->n_wire; k++)
			r->y[k] += piece->y[k];
	}
	t->n = n;
	return 0;
}

/* The order in which workers end units differs between runs; that of the program does not, so
 * that sums of doubles repeat to the last digit. */
static int open_table(const struct team_sample *s, struct table *t)
{
	*t = (struct table){.n = s->n_row};
	t->row = malloc((s->n_row + 1) * sizeof(*t->row));
	t->unit = malloc((s->n_row + 1) * sizeof(*t->unit));
	t->y = malloc((s->n_row + 1) * sizeof(*t->y));
	for (size_t i = 0; i < s->n_row && t->row; i++)
		t->row[i] = row_at(s, i);
	if (t->row)
		qsort(t->row, s->n_row, sizeof(*t->row), by_window);
	if (!t->row || !t->unit || !t->y || (s->has_pieces && join_pieces(s, t))) {
		close_table(t);
		return -SPMU_ENOMEM;
	}
	for (size_t i = 0; i < t->n; i++)
		t->unit[i] = t->row[i]->unit;
	return 0;
}

static void take_column(struct table *t, unsigned k)
{
	for (size_t i = 0; i < t->n; i++)
		t->y[i] = t->row[i]->y[k];
}

/* Every unit stands for itself: the totals are exact. */
static bool is_complete(const struct team_sample *s)
{
	return s->phase == SAMPLE_IN_FULL;
}

/* Write all units to the log: their numbers of 64 bits are how many units and wires there are and
 * which of the wires is the clock, and of each unit the covariates and the wires as doubles
 * (tests/model/units.c reads it). A file that cannot be written is left as it is: the test that
 * wants it complains. */
static void write_log(const struct team_sample *s)
{
	const uint64_t head[] = {s->n_row, s->n_wire, s->clock};
	FILE *f = fopen(s->log, "wbe");

	if (!f)
		return;
	fwrite(head, sizeof(head), 1, f);
	for (size_t i = 0; i < s->n_row; i++) {
		const struct sample_row *r = row_at(s, i);

		fwrite(r->unit.x, sizeof(r->unit.x), 1, f);
		fwrite(r->y, sizeof(*r->y), s->n_wire, f);
	}
	fclose(f);
}

static void add_exact(const struct team_sample *s, uint64_t *total)
{
	for (unsigned k = 0; k < s->n_wire; k++)
		for (size_t i = 0; i < s->n_row; i++)
			total[s->wire[k]] += (uint64_t)(int64_t)row_at(s, i)->y[k];
}

/* Keep what parts of the run need to know of wire k, whose column t has. */
static void keep_coefficients(struct team_sample *s, const struct table *t,
			      const struct estimate *e, unsigned k, double half)
{
	struct sample_part_fit fit = {.half = half};
	double xy[ESTIMATE_X] = {0}, carried[ESTIMATE_X];

	for (size_t i = 0; i < t->n; i++)
		for (unsigned j = 0; j < ESTIMATE_X; j++)
			xy[j] += t->unit[i].d * t->unit[i].x[j] * t->y[i];
	for (unsigned l = 0; l < ESTIMATE_X; l++) {
		double one[ESTIMATE_X] = {0};

		one[l] = 1;
		estimate_carry(e, one, carried);
		for (unsigned j = 0; j < ESTIMATE_X; j++)
			fit.coefficient[l] += carried[j] * xy[j];
	}
	p6_sample_parts_fit(s->parts, k, &fit);
}

static void add_estimates(struct team_sample *s, struct table *t, struct estimate *e,
			  uint64_t *total, uint64_t *half)
{
	for (unsigned k = 0; k < s->n_wire; k++) {
		double sum, width;
		uint64_t n;

		take_column(t, k);
		sum = estimate_total(e, t->y);
		width = 1.96 * sqrt(estimate_variance(e, t->unit, t->y));
		/* a unit may give back what the one before it counted: below 0 is 0, with an
		 * interval that reaches as far */
		width = width > -sum ? width : -sum;
		n = sum > 0 ? (uint64_t)(sum + 0.5) : 0;
		total[s->wire[k]] += n;
		half[s->wire[k]] += !(width < NO_INTERVAL) ? NO_INTERVAL
				    : width > 0		   ? (uint64_t)ceil(width)
							   : n == 0; /* no unit had any */
		if (s->parts)
			keep_coefficients(s, t, e, k,
					  width < NO_INTERVAL ? width : (double)INFINITY);
	}
}

/* What the estimate makes of what single instructions counted. */
static void keep_fit(struct team_sample *s, const struct table *t, const struct estimate *e)
{
	double x[ESTIMATE_REPLICATES][ESTIMATE_X] = {{0}};

	for (size_t i = 0; i < t->n; i++)
		for (unsigned m = 0; m < ESTIMATE_REPLICATES; m++)
			for (unsigned j = 0; j < ESTIMATE_X; j++)
				x[m][j] += (double)p6_sample_sign(t->row[i], m) * t->unit[i].d *
					   t->unit[i].x[j];
	for (unsigned m = 0; m < ESTIMATE_REPLICATES; m++)
		estimate_carry(e, x[m], s->fit.off[m]);
	memcpy(s->fit.coefficient, e->coefficient, sizeof(e->coefficient));
}

int p6_sample_sum(struct team_sample *s, const struct p6 *scout, uint64_t *total, uint64_t *half)
{
	double whole[ESTIMATE_X];
	struct table t;
	struct estimate e;
	int rc;

	set_covariates(scout, total, whole);
	for (unsigned j = 0; j < ESTIMATE_X; j++)
		whole[j] -= s->start[j];
	for (unsigned k = 0; k < s->n_wire; k++) {
		total[s->wire[k]] = s->base[k];
		half[s->wire[k]] = s->base_half[k];
	}
	if (is_complete(s)) {
		if (s->log && s->every == 1)
			write_log(s);
		memset(&s->fit, 0, sizeof(s->fit));
		add_exact(s, total);
		if (s->parts)
			p6_sample_parts_fitted(s->parts, s->n_row, true);
		return 0;
	}
	rc = open_table(s, &t);
	if (rc)
		return rc;
	take_column(&t, s->clock);
	rc = estimate_fit(t.unit, t.n, whole, t.y, &e);
	if (!rc) {
		add_estimates(s, &t, &e, total, half);
		if (s->places)
			keep_fit(s, &t, &e);
		if (s->parts)
			p6_sample_parts_fitted(s->parts, s->n_row, false);
		estimate_free(&e);
	}
	close_table(&t);
	return rc;
}

void p6_sample_settle(struct team_sample *s, const uint64_t *total, const uint64_t *half)
{
	for (unsigned k = 0; k < s->n_wire; k++) {
		s->base[k] = total[s->wire[k]];
		s->base_half[k] = half[s->wire[k]];
	}
}

/* ---- parts of the run (sample_parts.h) ------------------------------------------------------- */

void p6_sample_part(const struct team_sample *s, const struct p6 *scout, const uint64_t *total,
		    uint64_t *part)
{
	double x[ESTIMATE_X];

	if (s->phase != SAMPLE_IN_FULL)
		p6_sample_parts_end(s->parts, s->phase == SAMPLE_MEASURE);
	set_covariates(scout, total, x);
	for (unsigned j = 0; j < ESTIMATE_X; j++)
		x[j] -= s->start[j];
	p6_sample_parts_now(s->parts, x, part);
}

void p6_sample_part_totals(const struct team_sample *s, const uint64_t *part, uint64_t *total,
			   uint64_t *half)
{
	for (unsigned k = 0; k < s->n_wire; k++) {
		double sum, width;

		p6_sample_parts_total(s->parts, part, k, &sum, &width);
		width = width > -sum ? width : -sum;
		total[s->wire[k]] = sum > 0 ? (uint64_t)(sum + 0.5) : 0;
		half[s->wire[k]] = width < NO_INTERVAL ? (uint64_t)ceil(width) : NO_INTERVAL;
	}
}
