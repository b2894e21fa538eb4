/* estimate.c -- the regression estimate. Rules: estimate.h. */
#include "model/parts/estimate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define K ESTIMATE_X
/* A unit that alone determines a coefficient has leverage 1 and residual 0: its leave-one-out
 * residual is no number. It counts as this at least. */
#define LEAST_LEFT 0.3
/* Units that carry the residuals' squares (their participation ratio) are the degrees of freedom of
 * the interval, where a few hold most of it; fewer than this are too few for one. */
#define FEWEST_CARRIERS 2.5
/* A kind of unit that makes up 3/n of the run is missed by n samples one time in twenty. An
 * interval leaves room for one that differs by a tenth: so much of what a unit stands for. */
#define UNSEEN 0.3

/* Ridges, as parts of the sum of the weighted squares of a covariate. The last one leaves nothing
 * but the size of units. */
static const double ridges[] = {1e-9, 1e-3, 1e-2, 1e-1, 1.0, 1e9};

/* Set out to the inverse of the symmetric matrix a, which has a positive diagonal: Gauss and
 * Jordan without exchanges. */
static void invert(double a[K][K], double out[K][K])
{
	memset(out, 0, K * K * sizeof(double));
	for (unsigned i = 0; i < K; i++)
		out[i][i] = 1;
	for (unsigned i = 0; i < K; i++) {
		const double pivot = a[i][i];

		for (unsigned j = 0; j < K; j++) {
			a[i][j] /= pivot;
			out[i][j] /= pivot;
		}
		for (unsigned r = 0; r < K; r++) {
			const double f = a[r][i];

			if (r == i || f == 0)
				continue;
			for (unsigned j = 0; j < K; j++) {
				a[r][j] -= f * a[i][j];
				out[r][j] -= f * out[i][j];
			}
		}
	}
}

/* Set scale[] so that the mean square of a scaled covariate is 1; 0 for one that is always 0. */
static void set_scale(const struct estimate_unit *unit, size_t n, double *scale)
{
	for (unsigned j = 0; j < K; j++) {
		double squares = 0, weights = 0;

		for (size_t i = 0; i < n; i++) {
			squares += unit[i].d * unit[i].x[j] * unit[i].x[j];
			weights += unit[i].d;
		}
		scale[j] = squares > 0 ? sqrt(weights / squares) : 0;
	}
}

static void scaled(const struct estimate *e, const double *x, double *out)
{
	for (unsigned j = 0; j < K; j++)
		out[j] = x[j] * e->scale[j];
}

static double dot(const double *a, const double *b)
{
	double sum = 0;

	for (unsigned j = 0; j < K; j++)
		sum += a[j] * b[j];
	return sum;
}

static void times(const double m[K][K], const double *v, double *out)
{
	for (unsigned i = 0; i < K; i++)
		out[i] = dot(m[i], v);
}

/* The inverse of the moments under this ridge, and each unit's leverage. */
static void set_moments(struct estimate *e, const struct estimate_unit *unit, double ridge)
{
	double a[K][K] = {{0}}, x[K], ax[K], all = 0;

	for (size_t i = 0; i < e->n; i++) {
		scaled(e, unit[i].x, x);
		all += unit[i].d;
		for (unsigned r = 0; r < K; r++)
			for (unsigned c = 0; c < K; c++)
				a[r][c] += unit[i].d * x[r] * x[c];
	}
	for (unsigned j = 0; j < K; j++)
		a[j][j] += j ? ridge * all : 1e-12 * all;
	invert(a, e->inverse);
	for (size_t i = 0; i < e->n; i++) {
		scaled(e, unit[i].x, x);
		times((const double(*)[K])e->inverse, x, ax);
		e->leverage[i] = unit[i].d * dot(x, ax);
	}
}

/* Set e->residual[] to the leave-one-out residuals of y. Returns the weighted sum of their
 * squares. */
static double set_residuals(struct estimate *e, const struct estimate_unit *unit, const double *y)
{
	double xy[K] = {0}, b[K], x[K], sum = 0;

	for (size_t i = 0; i < e->n; i++) {
		scaled(e, unit[i].x, x);
		for (unsigned j = 0; j < K; j++)
			xy[j] += unit[i].d * x[j] * y[i];
	}
	times((const double(*)[K])e->inverse, xy, b);
	for (size_t i = 0; i < e->n; i++) {
		const double left = 1 - e->leverage[i];

		scaled(e, unit[i].x, x);
		e->residual[i] = (y[i] - dot(b, x)) / (left > LEAST_LEFT ? left : LEAST_LEFT);
		sum += unit[i].d * e->residual[i] * e->residual[i];
	}
	return sum;
}

static double best_ridge(struct estimate *e, const struct estimate_unit *unit, const double *y)
{
	double best = ridges[0], least = INFINITY;

	for (unsigned k = 0; k < sizeof(ridges) / sizeof(*ridges); k++) {
		double error;

		set_moments(e, unit, ridges[k]);
		error = set_residuals(e, unit, y);
		if (error < least) {
			least = error;
			best = ridges[k];
		}
	}
	return best;
}

void estimate_carry(const struct estimate *e, const double *x, double *out)
{
	double scaled_x[K], c[K];

	scaled(e, x, scaled_x);
	times(e->inverse, scaled_x, c);
	scaled(e, c, out);
}

int estimate_fit(const struct estimate_unit *unit, size_t n, const double *whole,
		 const double *choose, struct estimate *out)
{
	double gap[K];

	*out = (struct estimate){.n = n};
	out->weight = malloc((n + 1) * sizeof(double));
	out->residual = malloc((n + 1) * sizeof(double));
	out->leverage = malloc((n + 1) * sizeof(double));
	if (!out->weight || !out->residual || !out->leverage) {
		estimate_free(out);
		return -SPMU_ENOMEM;
	}
	set_scale(unit, n, out->scale);
	set_moments(out, unit, best_ridge(out, unit, choose));
	memcpy(gap, whole, sizeof(gap));
	for (size_t i = 0; i < n; i++)
		for (unsigned j = 0; j < K; j++)
			gap[j] -= unit[i].d * unit[i].x[j];
	estimate_carry(out, gap, out->coefficient);
	for (size_t i = 0; i < n; i++)
		out->weight[i] = unit[i].d * (1 + dot(out->coefficient, unit[i].x));
	return 0;
}

void estimate_free(struct estimate *e)
{
	free(e->weight);
	free(e->residual);
	free(e->leverage);
	e->weight = e->residual = e->leverage = NULL;
}

double estimate_total(const struct estimate *e, const double *y)
{
	double sum = 0;

	for (size_t i = 0; i < e->n; i++)
		sum += e->weight[i] * y[i];
	return sum;
}

/* Student's t at 95 %, within 1 % from one degree of freedom on. */
static double student(double freedom)
{
	return 1.96 + 2.4 / freedom + 3 / (freedom * freedom) + 5.35 * pow(freedom, -3.78);
}

/* Returns the variance that leaves room for units of which there is none like them among those
 * measured. */
static double unseen(const struct estimate *e, const struct estimate_unit *unit, const double *y)
{
	double sum = 0, squares = 0, half;

	for (size_t i = 0; i < e->n; i++) {
		const double part = unit[i].d > 1 ? fabs(e->weight[i] * y[i]) : 0;

		sum += part;
		squares += part * part;
	}
	half = sum > 0 ? UNSEEN * squares / sum : 0;
	return half * half / (1.96 * 1.96);
}

double estimate_variance(struct estimate *e, const struct estimate_unit *unit, const double *y)
{
	double squares = 0, fourths = 0, carriers, freedom, t;
	size_t n = 0;

	set_residuals(e, unit, y);
	for (size_t i = 0; i < e->n; i++) {
		/* Units lie in the order of the run, one in each window: what counts is how much
		 * one differs from the next. */
		const double next = e->residual[i + 1 < e->n ? i + 1
						: i	     ? i - 1
							     : i],
			     w = e->weight[i] * (e->residual[i] - next),
			     part = unit[i].d > 1 ? (1 - 1 / unit[i].d) * w * w / 2 : 0;

		n += unit[i].d > 1;
		squares += part;
		fourths += part * part;
	}
	if (squares == 0)
		return unseen(e, unit, y);
	if (squares * squares < FEWEST_CARRIERS * fourths || n <= K + 1)
		return INFINITY;
	carriers = squares * squares / fourths;
	freedom = (double)(n - K) < carriers ? (double)(n - K) : carriers;
	t = student(freedom);
	return squares * (t / 1.96) * (t / 1.96) * (double)n / (double)(n - K) + unseen(e, unit, y);
}
