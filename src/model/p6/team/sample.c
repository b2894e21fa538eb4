/* sample.c -- where the units of a run lie, what they counted, and the estimate. Rules: sample.h. */
#include "model/p6/team/sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "gen/wires_p6.h"
#include "model/p6/p6.h"

/* What a unit counts without clocks and clocks depend on. None of them is among what blocks count
 * by being executed. Covariate 0 is the instructions. More of them are worse: where two count
 * nearly the same (lines into L2, modified lines into L1D), or what few units have (misses of the
 * ITLB), their coefficients are noise. */
static const uint16_t covariate[ESTIMATE_X - 1] = {
	WIRE_P6_IFU_MISS,   WIRE_P6_DCU_LINE_IN,    WIRE_P6_RETIRE_MISPREDICT,
	WIRE_P6_L2_LINE_IN, WIRE_P6_DCU_M_LINE_OUT,
};

int p6_sample_open(const struct p6_sums *sum, unsigned every, const uint16_t *wire, unsigned n,
		   struct team_sample **out)
{
	struct team_sample *s = calloc(1, sizeof(*s));

	*out = s;
	if (!s)
		return -SPMU_ENOMEM;
	s->sum = *sum;
	s->every = every;
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
	free(s);
}

static void set_covariates(const struct p6 *m, const uint64_t *total, double *x)
{
	x[0] = (double)m->n_insn;
	for (unsigned j = 1; j < ESTIMATE_X; j++)
		x[j] = (double)total[covariate[j - 1]];
}

/* ---- where units lie --------------------------------------------------------------------------- */

void p6_sample_begin(struct team_sample *s, struct p6 *scout)
{
	uint64_t total[WIRE_N] = {0};

	s->sum.now(scout, total);
	set_covariates(scout, total, s->start);
	s->from = s->begin = scout->n_insn;
	s->phase = SAMPLE_IN_FULL;
	s->distance = 1;
	s->n_row = 0;
}

uint64_t p6_sample_end(const struct team_sample *s)
{
	switch (s->phase) {
	case SAMPLE_SKIP:
		return s->begin + (uint64_t)(s->distance - 1) * SAMPLE_UNIT - SAMPLE_WARM;
	case SAMPLE_WARM_UP:
		return s->begin + SAMPLE_WARM;
	default:
		return s->begin + SAMPLE_UNIT;
	}
}

void p6_sample_next(struct team_sample *s, uint64_t n_insn)
{
	const uint64_t length = n_insn - s->from;

	switch (s->phase) {
	case SAMPLE_SKIP:
		s->phase = SAMPLE_WARM_UP;
		break;
	case SAMPLE_WARM_UP:
		s->phase = SAMPLE_MEASURE;
		break;
	default:
		while (s->distance < s->every && length >= (uint64_t)SAMPLE_FULL * s->distance)
			s->distance *= 2;
		s->phase = s->distance > 1 ? SAMPLE_SKIP : SAMPLE_IN_FULL;
	}
	s->begin = n_insn;
}

/* ---- what they counted ------------------------------------------------------------------------- */

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

int p6_sample_keep(struct team_sample *s, uint64_t begin, const struct sample_mark *from,
		   const struct sample_mark *to, unsigned distance)
{
	struct sample_row *r;

	if (to->x[0] <= from->x[0])
		return 0;
	r = add_row(s);
	if (!r)
		return -SPMU_ENOMEM;
	r->begin = begin;
	r->unit.d = distance;
	for (unsigned j = 0; j < ESTIMATE_X; j++)
		r->unit.x[j] = to->x[j] - from->x[j];
	for (unsigned k = 0; k < s->n_wire; k++)
		r->y[k] = (double)(int64_t)(to->y[k] - from->y[k]);
	return 0;
}

void p6_sample_drop(struct team_sample *s)
{
	s->n_row -= s->n_row != 0;
}

/* ---- the estimate ------------------------------------------------------------------------------ */

/* The rows in the order of the program, by columns. */
struct table {
	const struct sample_row **row;
	struct estimate_unit *unit;
	double *y; /* one column */
};

static int by_begin(const void *a, const void *b)
{
	const struct sample_row *const *r = a, *const *t = b;

	return (*r)->begin < (*t)->begin ? -1 : (*r)->begin > (*t)->begin;
}

static void close_table(struct table *t)
{
	free(t->row);
	free(t->unit);
	free(t->y);
}

/* The order in which workers end units differs between runs; that of the program does not, so
 * that sums of doubles repeat to the last digit. */
static int open_table(const struct team_sample *s, struct table *t)
{
	t->row = malloc((s->n_row + 1) * sizeof(*t->row));
	t->unit = malloc((s->n_row + 1) * sizeof(*t->unit));
	t->y = malloc((s->n_row + 1) * sizeof(*t->y));
	if (!t->row || !t->unit || !t->y) {
		close_table(t);
		return -SPMU_ENOMEM;
	}
	for (size_t i = 0; i < s->n_row; i++)
		t->row[i] = row_at(s, i);
	qsort(t->row, s->n_row, sizeof(*t->row), by_begin);
	for (size_t i = 0; i < s->n_row; i++)
		t->unit[i] = t->row[i]->unit;
	return 0;
}

static void take_column(const struct team_sample *s, struct table *t, unsigned k)
{
	for (size_t i = 0; i < s->n_row; i++)
		t->y[i] = t->row[i]->y[k];
}

/* Every unit stands for itself: the totals are exact. */
static bool is_complete(const struct team_sample *s)
{
	return s->phase == SAMPLE_IN_FULL;
}

static void add_exact(const struct team_sample *s, uint64_t *total)
{
	for (unsigned k = 0; k < s->n_wire; k++)
		for (size_t i = 0; i < s->n_row; i++)
			total[s->wire[k]] += (uint64_t)(int64_t)row_at(s, i)->y[k];
}

static void add_estimates(const struct team_sample *s, struct table *t, struct estimate *e,
			  uint64_t *total, uint64_t *half)
{
	for (unsigned k = 0; k < s->n_wire; k++) {
		double sum, width;
		uint64_t n;

		take_column(s, t, k);
		sum = estimate_total(e, t->y);
		width = 1.96 * sqrt(estimate_variance(e, t->unit, t->y));
		n = sum > 0 ? (uint64_t)(sum + 0.5) : 0;
		total[s->wire[k]] += n;
		half[s->wire[k]] += width < sum ? (uint64_t)ceil(width) : n + 1;
	}
}

int p6_sample_sum(struct team_sample *s, const struct p6 *scout, uint64_t *total, uint64_t *half)
{
	double whole[ESTIMATE_X];
	struct table t = {NULL, NULL, NULL};
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
		add_exact(s, total);
		return 0;
	}
	rc = open_table(s, &t);
	if (rc)
		return rc;
	take_column(s, &t, s->clock);
	rc = estimate_fit(t.unit, s->n_row, whole, t.y, &e);
	if (!rc) {
		add_estimates(s, &t, &e, total, half);
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
