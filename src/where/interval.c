/* interval.c -- intervals of rows. Rules: interval.h. */
#include "where/interval.h"

#include <math.h>

/* Student's t at 95 % with as many degrees of freedom as there are replicates. */
#define STUDENT 2.306
_Static_assert(REC_REPLICATES == 8, "of eight");

/* The first event with intervals; n_event: none has. */
static uint32_t first_of(const struct rec *r)
{
	uint32_t e = 0;

	while (e < r->n_event && !r->event[e].has_replicates)
		e++;
	return e;
}

bool whr_has_intervals(const struct rec *r)
{
	return first_of(r) < r->n_event;
}

/* The square of half an interval, from replicates. */
static double square_of(const int64_t *replicate)
{
	double sum = 0;

	for (unsigned m = 0; m < REC_REPLICATES; m++)
		sum += (double)replicate[m] * (double)replicate[m];
	return STUDENT * STUDENT * 2 * sum / REC_REPLICATES;
}

int whr_intervals_build(struct whr_intervals *w, const struct rec *r, struct nm *names,
			enum whr_by by)
{
	const struct rec_event *e = &r->event[first_of(r)];
	int64_t all[REC_REPLICATES] = {0};
	struct rec of = *r; /* its events are the replicates */
	const char *changed;
	int rc;

	of.process = r->replicas;
	of.n_event = REC_REPLICATES;
	*w = (struct whr_intervals){.rec = r, .total = e->total};
	rc = whr_build(&w->table, &of, names, by, &changed);
	for (size_t i = 0; i < w->table.n && !rc; i++)
		for (unsigned m = 0; m < REC_REPLICATES; m++)
			all[m] += w->table.row[i].count[m];
	w->beyond = (double)e->half * (double)e->half - square_of(all);
	return rc;
}

void whr_intervals_free(struct whr_intervals *w)
{
	whr_free(&w->table);
}

uint64_t whr_half(const struct whr_intervals *w, const struct whr_row *row, int64_t clocks)
{
	const int64_t *replicate = whr_find(&w->table, row);
	const double share = w->total ? fabs((double)clocks) / (double)w->total : 0,
		     square = (replicate ? square_of(replicate) : 0) +
			      (w->beyond > 0 ? w->beyond * share : 0);

	return (uint64_t)ceil(sqrt(square));
}
