/* sample_parts.h -- estimated clocks of parts of a run (model/part.h): what is known of the run up
 * to a moment, as numbers whose differences and sums are those of parts.
 *
 * With coefficients b of the regression, the exact covariates X of a part, and what its pieces of
 * units counted, weighted with the units d for which each stands, the part's estimate is
 * sum(d y) + b (X - sum(d x)). For the whole run it is the estimate that p6_sample_sum() makes.
 * Residuals y - b x with the signs of sample_places.h are the replicates of its variance.
 *
 * COUNTING RULES   a unit is cut where a part ends: its pieces are rows of one window.
 */
#ifndef SOFTPMU_MODEL_P6_SAMPLE_PARTS_H
#define SOFTPMU_MODEL_P6_SAMPLE_PARTS_H

#include "model/p6/team/sample.h"

struct sample_parts;

/* *out, for n wires, is owned by the caller (p6_sample_parts_close(), which takes NULL). Returns 0,
 * -SPMU_ENOMEM, or -SPMU_EINVAL where a part has no room for so many. */
int p6_sample_parts_open(unsigned n_wire, struct sample_parts **out);
void p6_sample_parts_close(struct sample_parts *p);

/* Units begin anew: nothing is known. */
void p6_sample_parts_clear(struct sample_parts *p);

/* A unit, or a piece of one, was done. */
void p6_sample_parts_add(struct sample_parts *p, const struct sample_row *r);

/* A part ends here, and another one begins; is_seen: in a unit that stands for others, too. To be
 * called where not all units are worked out. */
void p6_sample_parts_end(struct sample_parts *p, bool is_seen);

/* Set part[] to what was added so far, and x[ESTIMATE_X], the exact covariates until now. */
void p6_sample_parts_now(const struct sample_parts *p, const double *x, uint64_t *part);

/* What a fit to all rows found of wire k. */
struct sample_part_fit {
	double half; /* of the interval; INFINITY where nobody knows */
	double coefficient[ESTIMATE_X];
};
void p6_sample_parts_fit(struct sample_parts *p, unsigned k, const struct sample_part_fit *fit);

/* The fit is of so many rows. is_exact: of all units, and there is none. */
void p6_sample_parts_fitted(struct sample_parts *p, size_t rows, bool is_exact);

/* Is the fit one of so many rows, or more? */
bool p6_sample_parts_are_fitted(const struct sample_parts *p, size_t rows);

/* Set *total and *half of wire k of a part; *half is INFINITY where there are too few units. */
void p6_sample_parts_total(const struct sample_parts *p, const uint64_t *part, unsigned k,
			   double *total, double *half);

#endif
