/* interval.h -- how far clocks of a row may be off, where they are estimates (softpmu record
 * --clocks sampled).
 *
 * A record has replicates by instruction (mdl_posting.replicate). They add up over the instructions
 * of a row: twice the mean of their squares is the variance of the row's estimate. What the
 * interval of the whole has beyond that of its replicates (what no unit showed), a row has by its
 * share.
 */
#ifndef SOFTPMU_WHERE_INTERVAL_H
#define SOFTPMU_WHERE_INTERVAL_H

#include "where/where.h"

struct whr_intervals {
	const struct rec *rec;
	struct whr_table table; /* of the replicates */
	double beyond;		/* square of half an interval of the whole, less its replicates' */
	uint64_t total;
};

/* Does an event of r have intervals by row? */
bool whr_has_intervals(const struct rec *r);

/* Sum r's replicates as whr_build() sums its counts. Returns 0 or -SPMU_ENOMEM;
 * whr_intervals_free() may be called in any case. */
int whr_intervals_build(struct whr_intervals *w, const struct rec *r, struct nm *names,
			enum whr_by by);
void whr_intervals_free(struct whr_intervals *w);

/* Returns half of the interval at 95 % of a row's clocks. */
uint64_t whr_half(const struct whr_intervals *w, const struct whr_row *row, int64_t clocks);

#endif
