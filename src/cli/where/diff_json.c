/* diff_json.c -- softpmu diff as typed JSON: all rows that changed, and every event. */
#include <math.h>

#include "cli/cli.h"
#include "cli/where/diff.h"
#include "report/json.h"

static json_t *counts_json(const struct rec *r, const struct whr_row *row)
{
	json_t *o = json_object();

	for (uint32_t e = 0; e < r->n_event; e++)
		if (!*r->event[e].status)
			json_object_set_new(o, r->event[e].name,
					    json_integer(row ? (json_int_t)row->count[e] : 0));
	return o;
}

/* Half of an interval; null: nobody knows it. */
static json_t *half_json(double half)
{
	return isfinite(half) ? json_real(half) : json_null();
}

/* The halves of a row's estimates; NULL: all is exact. */
static json_t *halves_json(const struct cli_diff *d, const struct whr_pairs *p,
			   const struct whr_pair *pair)
{
	json_t *o = NULL;

	for (uint32_t e = 0; e < d->rec[0]->n_event; e++) {
		const double half = cli_diff_row_half(d, p, pair, e);

		if (!(half > 0))
			continue;
		o = o ? o : json_object();
		json_object_set_new(o, d->rec[0]->event[e].name, half_json(half));
	}
	return o;
}

static bool has_changed(const struct whr_pair *p, uint32_t n_event)
{
	for (uint32_t e = 0; e < n_event; e++)
		if (whr_change(p, e))
			return true;
	return false;
}

json_t *cli_diff_rows_json(const struct cli_diff *d, const struct whr_pairs *p)
{
	json_t *list = json_array();

	for (size_t i = 0; i < p->n; i++) {
		const struct whr_row *row = p->pair[i].new ? p->pair[i].new : p->pair[i].old;
		json_t *o, *halves;

		if (!has_changed(&p->pair[i], d->rec[0]->n_event))
			continue;
		o = json_object();
		json_object_set_new(o, "function", rpt_json_text(row->function));
		json_object_set_new(o, "object", rpt_json_text(row->object));
		if (*row->file)
			json_object_set_new(o, "file", rpt_json_text(row->file));
		if (row->line)
			json_object_set_new(o, "line", json_integer((json_int_t)row->line));
		json_object_set_new(o, "old", counts_json(d->rec[0], p->pair[i].old));
		json_object_set_new(o, "new", counts_json(d->rec[0], p->pair[i].new));
		halves = halves_json(d, p, &p->pair[i]);
		if (halves)
			json_object_set_new(o, "half", halves);
		json_array_append_new(list, o);
	}
	return list;
}

/* Old, new and the broken limit of event e into o. */
static void put_counts(json_t *o, const struct cli_diff *d, bool is_main, uint32_t e)
{
	const struct cli_broken *broken = cli_diff_broken(d, is_main, e);
	const double half = cli_diff_half(d, is_main, e);

	json_object_set_new(o, "old", json_integer((json_int_t)cli_diff_count(d, 0, is_main, e)));
	json_object_set_new(o, "new", json_integer((json_int_t)cli_diff_count(d, 1, is_main, e)));
	if (half > 0)
		json_object_set_new(o, "half", half_json(half));
	if (broken)
		json_object_set_new(o, "broken", rpt_json_text(broken->limit->text));
}

static json_t *events_json(const struct cli_diff *d)
{
	json_t *events = json_array();

	for (uint32_t e = 0; e < d->rec[0]->n_event; e++) {
		json_t *one, *main_part;

		if (*d->rec[0]->event[e].status)
			continue;
		one = json_object();
		json_object_set_new(one, "name", rpt_json_text(d->rec[0]->event[e].name));
		put_counts(one, d, false, e);
		if (!d->is_totals) {
			main_part = json_object();
			put_counts(main_part, d, true, e);
			json_object_set_new(one, "main", main_part);
		}
		json_array_append_new(events, one);
	}
	return events;
}

/* Of what the two records are, the old one first. */
static json_t *records_json(const struct cli_diff *d)
{
	static const char *const key[] = {"command", "cpu", "version"};
	json_t *list = json_array();

	for (unsigned i = 0; i < 2; i++) {
		json_t *one = json_object();

		for (unsigned k = 0; k < sizeof(key) / sizeof(key[0]); k++) {
			json_t *value = json_object_get(d->rec[i]->meta, key[k]);

			if (value)
				json_object_set(one, key[k], value);
		}
		json_array_append_new(list, one);
	}
	return list;
}

int cli_diff_json(const struct cli_diff *d, FILE *out)
{
	json_t *o = json_object(), *notes = json_array();
	int rc;

	for (unsigned i = 0; i < d->n_note; i++)
		json_array_append_new(notes, rpt_json_text(d->note[i]));
	json_object_set_new(o, "schema", json_integer(1));
	json_object_set_new(o, "events", events_json(d));
	json_object_set_new(o, "functions", cli_diff_rows_json(d, &d->functions));
	json_object_set_new(o, "lines", cli_diff_rows_json(d, &d->lines));
	json_object_set_new(o, "notes", notes);
	if (!d->is_totals)
		json_object_set_new(o, "program_lines", cli_diff_rows_json(d, &d->own_lines));
	json_object_set_new(o, "records", records_json(d));
	rc = json_dumpf(o, out, JSON_INDENT(1));
	fputc('\n', out);
	json_decref(o);
	return rc ? cli_fail("out of memory for the difference") : 0;
}
