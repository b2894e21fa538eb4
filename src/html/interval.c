/* interval.c -- how far the numbers of a page may be off, where they are estimates (softpmu record
 * --clocks sampled).
 *
 * RULE   of one record the page has the intervals of report, of two those of diff: a change that
 *        lies inside its interval is none, and shows as "as before". Halves of rows that are
 *        summed up add up, which is wider than need be.
 */
#include <math.h>

#include "base/error.h"
#include "html/parts.h"

int htm_intervals(struct htm *h, unsigned which)
{
	const struct rec *r = which ? h->in->old : h->in->rec;
	struct nm *names = h->in->names[which];
	int rc = whr_intervals_build(&h->function_interval[which], r, names, WHR_FUNCTION);

	return rc ? rc : whr_intervals_build(&h->line_interval[which], r, names, WHR_LINE);
}

static double half_of_total(const struct rec_event *e)
{
	return e->half < WHR_NO_INTERVAL ? (double)e->half : (double)INFINITY;
}

double htm_half_of_total(const struct htm *h, uint32_t e)
{
	const double half = half_of_total(&h->in->rec->event[e]);

	return h->in->old ? hypot(half, half_of_total(&h->in->old->event[e])) : half;
}

/* Half of the interval of a row of one record. */
static double half_alone(const struct whr_intervals *w, const struct whr_row *row, uint32_t e)
{
	const struct rec_event *of = &w->rec->event[e];

	if (!of->half || !row)
		return 0;
	return of->has_replicates ? (double)whr_half(w, row, row->count[e]) : (double)INFINITY;
}

double htm_half_of_pair(const struct htm *h, enum whr_by by, const struct whr_pair *p, uint32_t e)
{
	const struct whr_intervals *w = by == WHR_LINE ? h->line_interval : h->function_interval;

	if (!h->in->old)
		return half_alone(&w[0], p->new, e);
	return hypot(whr_half_of(&w[0], p->new, e, p->new ? p->new->count[e] : 0),
		     whr_half_of(&w[1], p->old, e, p->old ? p->old->count[e] : 0));
}

const char *htm_half(double half, int64_t of, char out[16])
{
	const double share = of ? 100 * half / fabs((double)of) : (double)INFINITY;

	*out = 0;
	if (half > 0 && share < 99.995)
		snprintf(out, 16, "+-%.2f %%", share);
	else if (half > 0)
		snprintf(out, 16, "+->100 %%");
	return out;
}

void htm_put_half(const struct htm *h, double half, int64_t of)
{
	char text[16];

	if (half > 0 && of)
		fprintf(h->out, " <small class=\"half\">%s</small>", htm_half(half, of, text));
}

void htm_put_change(const struct htm *h, const char *also, double half, int64_t old, int64_t new)
{
	const bool has_changed = old != new &&fabs((double)(new - old)) > half;
	char number[40], change[16];

	fprintf(h->out, "<td class=\"n %s%s\">",
		!has_changed ? ""
		: new > old  ? "more"
			     : "less",
		also ? also : "");
	if (has_changed && !also)
		fprintf(h->out, "%s <small>%s</small>", htm_signed(new - old, number),
			htm_change(old, new, change));
	else if (has_changed)
		fputs(htm_signed(new - old, number), h->out);
	else if (old != new)
		fputs("as before", h->out);
	htm_put_half(h, old != new ? half : 0, old ? old : 1);
	fputs("</td>", h->out);
}
