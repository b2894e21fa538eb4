/* order.c -- a record's events in another order. Rules: file.h. */
#include <stdlib.h>
#include <string.h>

#include "record/file.h"

/* The place that an event has in r; r->n_event: it is not there. */
static uint32_t place_of(const struct rec *r, const struct rec_event *event)
{
	uint32_t e = 0;

	while (e < r->n_event &&
	       (strcmp(r->event[e].name, event->name) || strcmp(r->event[e].status, event->status)))
		e++;
	return e;
}

/* Put n rows of n_event counts in order: `from` has the old place of each. */
static void order_rows(int64_t *count, size_t n, const uint32_t *from, uint32_t n_event,
		       int64_t *row)
{
	for (size_t i = 0; i < n && count; i++, count += n_event) {
		for (uint32_t e = 0; e < n_event; e++)
			row[e] = count[from[e]];
		memcpy(count, row, n_event * sizeof(*row));
	}
}

static void order_events(struct rec *r, const uint32_t *from, int64_t *row, struct rec_event *event)
{
	const uint32_t n = r->n_event;

	for (uint32_t e = 0; e < n; e++)
		event[e] = r->event[from[e]];
	memcpy(r->event, event, n * sizeof(*event));
	for (uint32_t i = 0; i < r->n_process; i++) {
		struct rec_process *p = &r->process[i];

		if (p->n_event == n) {
			order_rows(p->count, p->n_place, from, n, row);
			order_rows(p->machine, 1, from, n, row);
			order_rows(p->total, 1, from, n, row);
		}
		if (r->paths && r->paths[i].n_event == n)
			order_rows(r->paths[i].count, r->paths[i].n_context, from, n, row);
	}
}

int rec_order_as(struct rec *r, const struct rec *as)
{
	const uint32_t n = r->n_event;
	uint32_t *from = calloc(n + 1, sizeof(*from));
	int64_t *row = calloc(n + 1, sizeof(*row));
	struct rec_event *event = calloc(n + 1, sizeof(*event));
	bool is_another = false, are_all = n == as->n_event;
	const int rc = from && row && event ? 0 : -SPMU_ENOMEM;

	for (uint32_t e = 0; e < n && !rc && are_all; e++) {
		from[e] = place_of(r, &as->event[e]);
		are_all = from[e] < n;
		is_another |= from[e] != e;
	}
	if (!rc && are_all && is_another)
		order_events(r, from, row, event);
	free(from);
	free(row);
	free(event);
	return rc;
}
