/* interval.h -- how far clocks of a row may be off, where they are estimates (softpmu record
 * --clocks sampled).
 *
 * A record has replicates by instruction (mdl_posting.replicate). They add up over the instructions
 * of a row: twice the mean of their squares is the variance of the row's estimate. What the
 * interval of the whole has beyond that of its replicates (what no unit showed), a row has by its
 * share. A row without clocks, which no unit showed, is known no better than the whole.
 */
#ifndef SOFTPMU_WHERE_INTERVAL_H
#define SOFTPMU_WHERE_INTERVAL_H

#include "where/where.h"

/* Half of an interval from here on: nobody knows where it ends. */
#define WHR_NO_INTERVAL (1ull << 48)

struct whr_intervals {
	const struct rec *rec;
	struct whr_table table; /* of the replicates */
	double beyond;		/* square of half an interval of the whole, less its replicates' */
	uint64_t total, whole;	/* of the whole: the estimate, half of its interval */
	int64_t startup[REC_REPLICATES]; /* of the row of start-up (startup.h) */
};

#define WHR_ESTIMATES 4096 /* bytes of a text that names all estimates of a record */

/* "cycles +-0.21%, RESOURCE_STALLS +->100%": the estimates of r, each with half of its interval at
 * 95 % as a part of its total; "" where all is exact. Buffer is the caller's. */
const char *whr_estimates(const struct rec *r, char out[WHR_ESTIMATES]);

/* Does an event of r have intervals by row? */
bool whr_has_intervals(const struct rec *r);

/* Sum r's replicates as whr_build() sums its counts. Returns 0 or -SPMU_ENOMEM;
 * whr_intervals_free() may be called in any case. */
int whr_intervals_build(struct whr_intervals *w, const struct rec *r, struct nm *names,
			enum whr_by by);

/* As whr_intervals_build(), for the rows of whr_own_lines(); whole: r's intervals of any other
 * rows. */
int whr_intervals_build_own(struct whr_intervals *w, const struct whr_intervals *whole,
			    struct nm *names, const char *root);
void whr_intervals_free(struct whr_intervals *w);

/* Returns half of the interval at 95 % of a row's clocks. */
uint64_t whr_half(const struct whr_intervals *w, const struct whr_row *row, int64_t clocks);

/* Returns half of the interval of event e, which counted `count` in the row. 0: the count is exact.
 * INFINITY: the event has an interval of the whole alone. row NULL: the record has no such row.
 * This is for comparisons: a row that is smaller than half of the interval of the whole is known no
 * better than that, because what two runs happened to show is no difference. */
double whr_half_of(const struct whr_intervals *w, const struct whr_row *row, uint32_t e,
		   int64_t count);

#endif
