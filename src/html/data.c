/* data.c -- what the script reads: every event's counts of every function, as JSON.
 *
 * LAYOUT   {events: [{name, unit, total, old?, half?}], columns: [...], rows: [{f, o?, s?, c: [of
 *          each event], b?: [old], h?: [half of each interval]}]} with events that have a number
 *          alone, in the record's order; f function, o object, s number of its source section.
 *          Behind HTM_MOST_ROWS the others are one row without f. half, h: of estimates, half of
 *          the interval of a count, of two records of its change; null: nobody knows it.
 * TRUST    <, > and & are written as escapes, so nothing in it ends the element.
 */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "html/parts.h"
#include "report/json.h"

static json_t *half(double of)
{
	return isinf(of) ? json_null() : json_integer((json_int_t)of);
}

static json_t *event_list(const struct htm *h)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < h->n_event; i++) {
		const struct rec_event *e = &h->in->rec->event[h->event[i]];
		const struct cat_event *row = h->events.event[h->event[i]].event;
		json_t *o = json_object();

		json_object_set_new(o, "name", rpt_json_text(e->name));
		json_object_set_new(o, "unit", json_string(row ? row->unit : ""));
		json_object_set_new(o, "total", json_integer((json_int_t)e->total));
		if (h->in->old)
			json_object_set_new(
			    o, "old", json_integer((json_int_t)htm_old_total(h, h->event[i])));
		if (htm_half_of_total(h, h->event[i]) > 0)
			json_object_set_new(o, "half", half(htm_half_of_total(h, h->event[i])));
		json_array_append_new(list, o);
	}
	return list;
}

/* Halves of the intervals of rows from..to-1, summed up; nothing where all counts are exact. */
static void set_halves(json_t *o, const struct htm *h, size_t from, size_t to)
{
	json_t *list;

	if (!whr_has_intervals(h->in->rec) && !(h->in->old && whr_has_intervals(h->in->old)))
		return;
	list = json_array();
	for (uint32_t i = 0; i < h->n_event; i++) {
		double sum = 0;

		for (size_t k = from; k < to; k++)
			sum += htm_half_of_pair(h, WHR_FUNCTION, &h->pairs.pair[k], h->event[i]);
		json_array_append_new(list, half(sum));
	}
	json_object_set_new(o, "h", list);
}

static json_t *counts(const struct htm *h, const int64_t *count)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < h->n_event; i++)
		json_array_append_new(list, json_integer(count ? count[h->event[i]] : 0));
	return list;
}

static json_t *row(const struct htm *h, size_t i)
{
	const struct whr_pair *p = &h->pairs.pair[i];
	const struct whr_row *r = p->new ? p->new : p->old;
	const int source = htm_source_of(h, p->new);
	json_t *o = json_object();
	char path[4096];

	json_object_set_new(o, "f", rpt_json_text(r->function));
	if (*r->object)
		json_object_set_new(o, "o",
				    rpt_json_text(htm_path(h, r->object, path, sizeof(path))));
	if (source >= 0)
		json_object_set_new(o, "s", json_integer(source));
	json_object_set_new(o, "c", counts(h, p->new ? p->new->count : NULL));
	if (h->in->old)
		json_object_set_new(o, "b", counts(h, p->old ? p->old->count : NULL));
	set_halves(o, h, i, i + 1);
	return o;
}

/* The rows that are left. */
static json_t *rest(const struct htm *h)
{
	const uint32_t n = h->in->rec->n_event;
	int64_t *sum = calloc(2 * (size_t)n + 1, sizeof(*sum));
	json_t *o = json_object();

	for (size_t i = HTM_MOST_ROWS; i < h->pairs.n && sum; i++)
		for (uint32_t e = 0; e < n; e++) {
			sum[e] += h->pairs.pair[i].new ? h->pairs.pair[i].new->count[e] : 0;
			sum[n + e] += h->pairs.pair[i].old ? h->pairs.pair[i].old->count[e] : 0;
		}
	json_object_set_new(o, "more", json_integer((json_int_t)(h->pairs.n - HTM_MOST_ROWS)));
	json_object_set_new(o, "c", counts(h, sum));
	if (h->in->old)
		json_object_set_new(o, "b", counts(h, sum ? sum + n : NULL));
	set_halves(o, h, HTM_MOST_ROWS, h->pairs.n);
	free(sum);
	return o;
}

/* Those that are shown at first, as numbers in the list of events. */
static json_t *columns(const struct htm *h)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < h->n_column; i++)
		for (uint32_t k = 0; k < h->n_event; k++)
			if (h->event[k] == h->column[i])
				json_array_append_new(list, json_integer(k));
	return list;
}

static int put_escaped(const char *bytes, size_t n, void *to)
{
	FILE *out = to;

	for (size_t i = 0; i < n; i++)
		if (bytes[i] == '<' || bytes[i] == '>' || bytes[i] == '&')
			fprintf(out, "\\u%04x", (unsigned)bytes[i]);
		else
			fputc(bytes[i], out);
	return 0;
}

int htm_put_data(const struct htm *h)
{
	json_t *o = json_object(), *rows = json_array();
	int rc;

	for (size_t i = 0; i < h->pairs.n && i < HTM_MOST_ROWS; i++)
		json_array_append_new(rows, row(h, i));
	if (h->pairs.n > HTM_MOST_ROWS)
		json_array_append_new(rows, rest(h));
	json_object_set_new(o, "events", event_list(h));
	json_object_set_new(o, "columns", columns(h));
	json_object_set_new(o, "rows", rows);
	fputs("<script type=\"application/json\" id=\"data\">", h->out);
	rc = json_dump_callback(o, put_escaped, h->out, JSON_COMPACT);
	fputs("</script>\n", h->out);
	json_decref(o);
	return rc ? -SPMU_ENOMEM : 0;
}
