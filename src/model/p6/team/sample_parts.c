/* sample_parts.c -- estimates of parts of a run. Rules: sample_parts.h.
 *
 * LAYOUT   of a part: instructions of pieces of units that stand for others, too; ends of parts
 *          between which not all is worked out, and those of them that lie in a unit; the exact
 *          covariates; then those of pieces and what the wires counted in them, weighted; the same
 *          for each replicate, with its signs.
 */
#include "model/p6/team/sample_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/part.h"

#define FEWEST_UNITS 30u /* worked out of a part that has an interval */
/* A part that counted less than so much of half of the interval of the whole is the difference of
 * numbers that are larger by far: nobody knows its interval. */
#define LEAST_OF_HALF 0.1
/* What is worked out behind the end of a part, and in front of it, may be unlike the rest: by what
 * a unit counts, each. Ends that lie in units tell how it is there. */
#define UNLIKE_AT_END 2.0
/* A kind of unit that no sample has seen (estimate.h): so much of what a unit stands for. */
#define UNSEEN	0.3
#define STUDENT 2.306 /* t at 95 % with eight degrees of freedom, of as many replicates */
_Static_assert(ESTIMATE_REPLICATES == 8, "of eight");

enum { AT_SAMPLED, AT_CUTS, AT_CUTS_SEEN, AT_EXACT, AT_SUMS = AT_EXACT + ESTIMATE_X };

struct sample_parts {
	unsigned n_wire;
	uint64_t now[MDL_PART_ROOM];
	size_t n_fit; /* rows of the fit */
	bool has_fit;
	struct sample_part_fit wire[]; /* n_wire */
};

/* Numbers of one sum of rows. */
static unsigned sum_room(const struct sample_parts *p)
{
	return ESTIMATE_X + p->n_wire;
}

int p6_sample_parts_open(unsigned n_wire, struct sample_parts **out)
{
	struct sample_parts *p = calloc(1, sizeof(*p) + n_wire * sizeof(*p->wire));

	*out = p;
	if (!p)
		return -SPMU_ENOMEM;
	p->n_wire = n_wire;
	return AT_SUMS + (1 + ESTIMATE_REPLICATES) * sum_room(p) > MDL_PART_ROOM ? -SPMU_EINVAL : 0;
}

void p6_sample_parts_close(struct sample_parts *p)
{
	free(p);
}

void p6_sample_parts_clear(struct sample_parts *p)
{
	memset(p->now, 0, sizeof(p->now));
	p->has_fit = false;
}

/* Add a row, times `times`, to a sum. */
static void add_sum(const struct sample_parts *p, uint64_t *sum, const struct sample_row *r,
		    int64_t times)
{
	for (unsigned j = 0; j < ESTIMATE_X; j++)
		sum[j] += (uint64_t)(times * (int64_t)r->unit.x[j]);
	for (unsigned k = 0; k < p->n_wire; k++)
		sum[ESTIMATE_X + k] += (uint64_t)(times * (int64_t)r->y[k]);
}

static void add_row(const struct sample_parts *p, uint64_t *part, const struct sample_row *r)
{
	const int64_t d = (int64_t)r->unit.d;
	uint64_t *sum = part + AT_SUMS;

	if (d > 1)
		part[AT_SAMPLED] += (uint64_t)r->unit.x[0];
	add_sum(p, sum, r, d);
	for (unsigned m = 0; m < ESTIMATE_REPLICATES; m++) {
		const int64_t sign = p6_sample_sign(r, m);

		sum += sum_room(p);
		if (sign)
			add_sum(p, sum, r, sign * d);
	}
}

void p6_sample_parts_add(struct sample_parts *p, const struct sample_row *r)
{
	add_row(p, p->now, r);
}

void p6_sample_parts_end(struct sample_parts *p, bool is_seen)
{
	p->now[AT_CUTS]++;
	p->now[AT_CUTS_SEEN] += is_seen;
}

void p6_sample_parts_now(const struct sample_parts *p, const double *x, uint64_t *part)
{
	memcpy(part, p->now, sizeof(p->now));
	for (unsigned j = 0; j < ESTIMATE_X; j++)
		part[AT_EXACT + j] = (uint64_t)x[j];
}

/* ---- totals of a part ------------------------------------------------------------------------ */

/* What a sum of rows makes of wire k beside the regression. */
static double residual(const struct sample_parts *p, const uint64_t *sum, unsigned k)
{
	double r = (double)(int64_t)sum[ESTIMATE_X + k];

	for (unsigned j = 0; j < ESTIMATE_X; j++)
		r -= p->wire[k].coefficient[j] * (double)(int64_t)sum[j];
	return r;
}

/* The square of half an interval by replicates. */
static double square_of(double squares)
{
	return STUDENT * STUDENT * 2 * squares / ESTIMATE_REPLICATES;
}

static double squares_of(const struct sample_parts *p, const uint64_t *part, unsigned k)
{
	double squares = 0;

	for (unsigned m = 1; m <= ESTIMATE_REPLICATES; m++) {
		const double r = residual(p, part + AT_SUMS + m * sum_room(p), k);

		squares += r * r;
	}
	return squares;
}

void p6_sample_parts_fit(struct sample_parts *p, unsigned k, const struct sample_part_fit *fit)
{
	p->wire[k] = *fit;
}

void p6_sample_parts_fitted(struct sample_parts *p, size_t rows, bool is_exact)
{
	if (is_exact)
		memset(p->wire, 0, p->n_wire * sizeof(*p->wire));
	p->n_fit = rows;
	p->has_fit = true;
}

bool p6_sample_parts_are_fitted(const struct sample_parts *p, size_t rows)
{
	return p->has_fit && rows <= p->n_fit;
}

/* The square of half an interval that has room for what no unit shows of a part that counted `sum`.
 */
static double square_of_unseen(const uint64_t *part, double sum)
{
	const double n = (double)part[AT_SAMPLED] / SAMPLE_UNIT,
		     of_unit = sum * SAMPLE_UNIT / (double)part[AT_EXACT],
		     ends = (double)part[AT_CUTS] / (1 + (double)part[AT_CUTS_SEEN]),
		     at_ends = UNLIKE_AT_END * of_unit * ends, unseen = UNSEEN * sum / n;

	return at_ends * at_ends + unseen * unseen;
}

/* Was every unit of the part worked out? */
static bool is_exact(const uint64_t *part)
{
	return !part[AT_SAMPLED] && part[AT_EXACT] == part[AT_SUMS];
}

void p6_sample_parts_total(const struct sample_parts *p, const uint64_t *part, unsigned k,
			   double *total, double *half)
{
	const struct sample_part_fit *w = &p->wire[k];
	double sum = residual(p, part + AT_SUMS, k);

	*half = 0;
	if (is_exact(part)) {
		*total = (double)(int64_t)part[AT_SUMS + ESTIMATE_X + k];
		return;
	}
	for (unsigned j = 0; j < ESTIMATE_X; j++)
		sum += w->coefficient[j] * (double)(int64_t)part[AT_EXACT + j];
	*total = sum;
	if ((int64_t)part[AT_SAMPLED] < (int64_t)(FEWEST_UNITS * SAMPLE_UNIT) || isinf(w->half) ||
	    fabs(sum) < LEAST_OF_HALF * w->half)
		*half = (double)INFINITY;
	else
		*half = sqrt(square_of(squares_of(p, part, k)) + square_of_unseen(part, sum));
}
