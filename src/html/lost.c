/* lost.c -- the reasons for which clocks were lost, and the boxes of the diagram in which they
 * were.
 *
 * RULE   A record with all parts of the CPI stack says where each clock went: shares sum to 100.0
 *        %. One without has stalls, events that count clocks: they overlap, and leave clocks
 *        unnamed.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "html/parts.h"
#include "report/report.h"

/* ---- which parts ----------------------------------------------------------------------------- */

static int find_metric(const struct htm *h, const char *name)
{
	for (size_t i = 0; i < h->stack.n; i++)
		if (!strcmp(h->stack.metric[i].row->name, name))
			return (int)i;
	return -1;
}

/* What one count of event e is worth in the metric. */
static double worth(const struct htm *h, const struct evt_metric *m, uint32_t e, double *out)
{
	struct evt_count *count = calloc(h->events.n + 1, sizeof(*count));
	struct evt_value v = {.status = EVT_NOT_MODELLED};

	if (count) {
		count[e].value = 1;
		v = evt_formula_value(&m->formula, &h->events, count);
	}
	free(count);
	*out = v.status == EVT_COUNTED ? (double)v.value : 0;
	return count ? 0 : -SPMU_ENOMEM;
}

static int add_metric(struct htm *h, const struct cat_diagram_part *row)
{
	const int metric = find_metric(h, row->name);
	struct htm_part *p = &h->part[h->n_part];
	int event;

	if (metric < 0 || (event = evt_metric_row(&h->stack.metric[metric], &h->events)) < 0)
		return 0;
	*p = (struct htm_part){row, (uint32_t)event, metric, 0};
	h->n_part++;
	return worth(h, &h->stack.metric[metric], p->event, &p->clocks);
}

static void add_stall(struct htm *h, const struct cat_diagram_part *row)
{
	const int at = evt_events_find(&h->events, row->event, row->event->default_umask);

	if (at >= 0 && h->count[at].status == EVT_COUNTED)
		h->part[h->n_part++] = (struct htm_part){row, (uint32_t)at, -1, 1};
}

static void find_clocks(struct htm *h)
{
	uint8_t umask = 0;
	const struct cat_event *e = cat_find_generic(h->in->cpu, "cycles", &umask);

	h->clocks = e ? evt_events_find(&h->events, e, umask) : -1;
	if (h->clocks >= 0 && h->count[h->clocks].status != EVT_COUNTED)
		h->clocks = -1;
}

/* Keep of all metrics those that are parts of a stack whose every event has a number. */
static int find_stack(struct htm *h)
{
	struct evt_metrics all = {.n = 0};
	struct spmu_error err;
	int rc = evt_metrics_of(h->in->cpu, &h->events, &all, &err);
	size_t n = 0;

	for (size_t i = 0; i < all.n && !rc; i++) {
		const struct evt_metric *m = &all.metric[i];

		if (*m->row->stack &&
		    evt_formula_value(&m->formula, &h->events, h->count).status == EVT_COUNTED)
			all.metric[n++] = *m;
	}
	all.n = n;
	h->stack = all;
	return rc;
}

/* Has the stack all of its parts? */
static bool is_whole(const struct htm *h, const struct cat_diagram *d)
{
	for (size_t i = 0; i < d->n_part; i++)
		if (!d->part[i].event && find_metric(h, d->part[i].name) < 0)
			return false;
	return h->stack.n > 0;
}

int htm_find_parts(struct htm *h)
{
	const struct cat_diagram *d = cat_diagram_of(h->in->cpu);
	int rc = d ? find_stack(h) : 0;

	find_clocks(h);
	if (!d || rc)
		return rc;
	if (!is_whole(h, d))
		evt_metrics_free(&h->stack);
	for (size_t i = 0; i < d->n_part && h->n_part < HTM_MOST_PARTS && !rc; i++)
		if (htm_has_stack(h) && !d->part[i].event)
			rc = add_metric(h, &d->part[i]);
		else if (!htm_has_stack(h) && d->part[i].event && h->clocks >= 0)
			add_stall(h, &d->part[i]);
	return rc;
}

/* ---- shares ---------------------------------------------------------------------------------- */

static int64_t no_less_than_0(int64_t n)
{
	return n > 0 ? n : 0;
}

static void shares_of_stalls(const struct htm *h, const int64_t *count, double whole, int *share)
{
	for (unsigned i = 0; i < h->n_part; i++) {
		const double part = (double)no_less_than_0(count[h->part[i].event]);

		share[i] = (int)(1000 * part / whole + .5);
	}
}

/* As stat rounds them. */
static double shares_of_stack(const struct htm *h, const int64_t *count, int *share)
{
	struct evt_count *value = calloc(h->events.n + 1, sizeof(*value));
	const struct rpt_report r = {.metrics = &h->stack, .events = &h->events, .count = value};
	double sum = 0;

	for (unsigned i = 0; i < h->n_part && value; i++) {
		value[h->part[i].event].value = (uint64_t)no_less_than_0(count[h->part[i].event]);
		sum += (double)value[h->part[i].event].value * h->part[i].clocks;
	}
	for (unsigned i = 0; i < h->n_part && value && sum > 0; i++)
		share[i] = rpt_stack_share(&r, h->part[i].metric);
	free(value);
	return sum;
}

double htm_part_shares(const struct htm *h, const int64_t *count, int share[HTM_MOST_PARTS])
{
	double whole;

	memset(share, 0, HTM_MOST_PARTS * sizeof(*share));
	if (!count || !h->n_part)
		return 0;
	if (htm_has_stack(h))
		return shares_of_stack(h, count, share);
	whole = (double)no_less_than_0(count[h->clocks]);
	if (whole > 0)
		shares_of_stalls(h, count, whole, share);
	return whole;
}

int64_t *htm_totals(const struct htm *h, bool is_old)
{
	const struct rec *r = is_old ? h->in->old : h->in->rec;
	int64_t *count = calloc(r->n_event + 1u, sizeof(*count));

	for (uint32_t e = 0; e < r->n_event && count; e++)
		count[e] = (int64_t)r->event[e].total;
	return count;
}

/* Parts of a stack in one box add up; of stalls, which overlap, the largest counts. */
bool htm_lost_of_boxes(const struct htm *h, int lost[HTM_MOST_BOXES])
{
	int64_t *total = htm_totals(h, false);
	int share[HTM_MOST_PARTS];
	const bool is_known = htm_part_shares(h, total, share) > 0;

	memset(lost, 0, HTM_MOST_BOXES * sizeof(*lost));
	for (unsigned i = 0; i < h->n_part && is_known; i++) {
		const int box = h->part[i].row->box;

		if (box < 0 || box >= (int)HTM_MOST_BOXES)
			continue;
		if (htm_has_stack(h))
			lost[box] += share[i];
		else if (share[i] > lost[box])
			lost[box] = share[i];
	}
	free(total);
	return is_known;
}
