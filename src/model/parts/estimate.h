/* estimate.h -- totals of a whole run from units of it that were worked out: a regression
 * estimate with an interval.
 *
 * A unit is a short part of the run. For every unit that was measured we know what it counted of
 * the quantities of interest (y) and of a few exact quantities (x, the covariates); of the whole
 * run we know the exact totals of x. The estimate is linear in y: each unit gets one weight,
 * which serves every y. So a sum of quantities has the sum of their estimates.
 *
 * METHOD    generalized regression with design weights: unit i stands for d[i] units (1: it and
 *           no other). Covariate 0, the size of the unit, is not penalized; the others are, by a
 *           ridge that leave-one-out errors of y choose. The variance is that of
 *           leave-one-out residuals, each against the next one's, because units lie in the
 *           order of the run; times what the t distribution adds; and room for a kind of unit
 *           that is too rare to be among those measured.
 * SOURCES   Sarndal, Swensson, Wretman: Model Assisted Survey Sampling, 1992, ch. 6; Wunderlich
 *           et al., SMARTS, ISCA 2003 (short units); Jovanovic and Levy: A Look
 *           at the Rule of Three, The American Statistician 51 (1997) (what is not seen).
 */
#ifndef SOFTPMU_MODEL_PARTS_ESTIMATE_H
#define SOFTPMU_MODEL_PARTS_ESTIMATE_H

#include <stddef.h>

#define ESTIMATE_X	    6u /* covariates of a unit */
#define ESTIMATE_REPLICATES 8u /* of an estimate, to find its variance from */

/* A measured unit. */
struct estimate_unit {
	double x[ESTIMATE_X]; /* x[0] > 0: its size */
	double d;	      /* units that it stands for, >= 1 */
};

/* What estimate_fit() found. Owned by the caller: estimate_free(). */
struct estimate {
	size_t n;
	double *weight;	  /* n: the estimate of a total is the sum of weight[i] * y[i] */
	double *residual; /* n: room for estimate_variance() */
	double *leverage; /* n */
	double inverse[ESTIMATE_X][ESTIMATE_X], scale[ESTIMATE_X];
	/* weight[i] is d[i] times 1 + coefficient * x[i] */
	double coefficient[ESTIMATE_X];
};

/* Fit to n > 0 units and the exact totals whole[ESTIMATE_X] of the run. choose[n] is the quantity
 * whose leave-one-out errors choose the ridge. Returns 0 or -SPMU_ENOMEM. Cost: some hundred
 * additions for each unit and ridge. */
int estimate_fit(const struct estimate_unit *unit, size_t n, const double *whole,
		 const double *choose, struct estimate *out);
void estimate_free(struct estimate *e);

/* Set *out so that the sum of out[j] d[i] x[i][j] y[i] is what the regression on y makes of
 * covariates that sum to x. */
void estimate_carry(const struct estimate *e, const double *x, double *out);

/* Returns the estimated total of y[n]. */
double estimate_total(const struct estimate *e, const double *y);

/* Returns the variance of that total, scaled so that 1.96 times its root is half of a 95 %
 * interval; infinity when a handful of units hold nearly all of it, so that nobody knows what the
 * units that were not measured hold. 0 when every unit stands for itself alone, or no unit
 * counted any. */
double estimate_variance(struct estimate *e, const struct estimate_unit *unit, const double *y);

#endif
