/* interval.c -- intervals of rows. Rules: interval.h. */
#include "where/interval.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "where/own.h"
#include "where/startup.h"

/* Student's t at 95 % with as many degrees of freedom as there are replicates. */
#define STUDENT 2.306
_Static_assert(REC_REPLICATES == 8, "of eight");

const char *whr_estimates(const struct rec *r, char out[WHR_ESTIMATES])
{
	size_t n = 0;

	*out = 0;
	for (uint32_t e = 0; e < r->n_event && n < WHR_ESTIMATES; e++) {
		const struct rec_event *of = &r->event[e];
		const size_t room = WHR_ESTIMATES - n;
		const char *before = n ? ", " : "";

		if (!of->half || !of->total)
			continue;
		if (of->half < of->total)
			n += (size_t)snprintf(out + n, room, "%s%s +-%.2f%%", before, of->name,
					      100 * (double)of->half / (double)of->total);
		else
			n += (size_t)snprintf(out + n, room, "%s%s +->100%%", before, of->name);
	}
	return out;
}

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

/* r with its replicates in place of its events. */
static struct rec replicates_of(const struct rec *r)
{
	struct rec of = *r;

	of.process = r->replicas;
	of.n_event = REC_REPLICATES;
	return of;
}

static void add(int64_t *sum, const int64_t *replicate)
{
	for (unsigned m = 0; m < REC_REPLICATES; m++)
		sum[m] += replicate[m];
}

int whr_intervals_build(struct whr_intervals *w, const struct rec *r, struct nm *names,
			enum whr_by by)
{
	const uint32_t first = first_of(r);
	int64_t all[REC_REPLICATES] = {0};
	struct rec of = replicates_of(r);
	const char *changed;
	double half;
	int rc;

	*w = (struct whr_intervals){.rec = r};
	if (first == r->n_event)
		return 0;
	w->total = r->event[first].total;
	w->whole = r->event[first].half;
	half = (double)w->whole;
	rc = whr_build(&w->table, &of, names, by, &changed);
	for (size_t i = 0; i < w->table.n && !rc; i++) {
		const struct whr_row *row = &w->table.row[i];

		add(all, row->count);
		if (whr_is_startup(row->function, row->object))
			add(w->startup, row->count);
	}
	w->beyond = half * half - square_of(all);
	return rc;
}

int whr_intervals_build_own(struct whr_intervals *w, const struct whr_intervals *whole,
			    struct nm *names, const char *root)
{
	struct rec of = replicates_of(whole->rec);

	*w = *whole;
	memset(&w->table, 0, sizeof(w->table));
	return whr_has_intervals(whole->rec) ? whr_own_lines(&w->table, &of, names, root) : 0;
}

void whr_intervals_free(struct whr_intervals *w)
{
	whr_free(&w->table);
}

/* The replicates of a row; NULL: it has none. */
static const int64_t *replicates(const struct whr_intervals *w, const struct whr_row *row)
{
	if (!strcmp(row->function, WHR_STARTUP))
		return w->startup;
	return whr_find(&w->table, row);
}

uint64_t whr_half(const struct whr_intervals *w, const struct whr_row *row, int64_t clocks)
{
	const int64_t *replicate = replicates(w, row);
	const double share = w->total ? fabs((double)clocks) / (double)w->total : 0,
		     square = (replicate ? square_of(replicate) : 0) +
			      (w->beyond > 0 ? w->beyond * share : 0);

	return clocks ? (uint64_t)ceil(sqrt(square)) : w->whole;
}

double whr_half_of(const struct whr_intervals *w, const struct whr_row *row, uint32_t e,
		   int64_t count)
{
	const struct rec_event *of = &w->rec->event[e];
	uint64_t half;

	if (!of->half)
		return 0;
	if (!of->has_replicates)
		return (double)INFINITY;
	half = row ? whr_half(w, row, count) : w->whole;
	if (half < w->whole && fabs((double)count) < (double)w->whole)
		half = w->whole; /* whether units showed all of so small a row is luck */
	return half < WHR_NO_INTERVAL ? (double)half : (double)INFINITY;
}
