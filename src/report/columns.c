/* columns.c -- the same runs, several processors: a column each. */
#include "report/columns.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/version.h"
#include "report/diagram/picture.h"
#include "report/json.h"

#define JSON_SCHEMA 2

/* ---- rows
 * --------------------------------------------------------------------------------------------- */

/* The first row from `from` on of that name in which column c is free; n: none. */
static size_t find_row(const struct rpt_columns_row *row, size_t n, size_t from, const char *name, size_t c)
{
	while (from < n && (row[from].at[c] >= 0 || strcasecmp(row[from].name, name)))
		from++;
	return from;
}

static bool has_event(const struct rpt_report *r, const char *name)
{
	for (size_t i = 0; i < r->events->n; i++)
		if (!strcasecmp(r->events->event[i].name, name))
			return true;
	return false;
}

int rpt_columns_rows(const struct rpt_report *report, size_t n_report, struct rpt_columns_row **out, size_t *n)
{
	struct rpt_columns_row *row;
	size_t most = 0;

	*n = 0;
	for (size_t c = 0; c < n_report; c++)
		most += report[c].events->n;
	*out = row = calloc(most + 1, sizeof(*row));
	if (!row)
		return -SPMU_ENOMEM;
	for (size_t c = 0; c < n_report; c++) {
		size_t behind = 0;

		for (size_t i = 0; i < report[c].events->n; i++) {
			const char *name = report[c].events->event[i].name;
			size_t k = find_row(row, *n, 0, name, c);

			if (k == *n) {
				k = behind;
				while (k < *n && !has_event(&report[c], row[k].name))
					k++;
				memmove(&row[k + 1], &row[k], (*n - k) * sizeof(*row));
				snprintf(row[k].name, sizeof(row[k].name), "%s", name);
				memset(row[k].at, -1, sizeof(row[k].at));
				++*n;
			}
			row[k].at[c] = (int)i;
			behind = k + 1;
		}
	}
	return 0;
}

/* ---- width -------------------------------------------------------------------------------- */

#define CELL 20
#define LEAST_CELL 15 /* "<not modelled>" and a blank */
#define BETWEEN 6

/* Columns of the terminal that all cells leave to the names. */
static int name_room(const struct rpt_columns *r, int width)
{
	const struct rpt_report *one = &r->report[0];
	const int cells = (int)r->n_report * (width + (one->n_run > 1 ? 10 : 0));
	const int room = one->screen.columns - cells - BETWEEN;

	return !one->screen.columns || one->is_verbose ? 0 : room < 8 ? 8 : room;
}

/* Cells are narrower on a terminal where a name would not fit behind them. */
static int cell_width(const struct rpt_columns *r)
{
	int longest = 0, width = CELL;

	for (size_t i = 0; i < r->n_row; i++)
		longest = (int)strlen(r->row[i].name) > longest ? (int)strlen(r->row[i].name) : longest;
	while (r->report[0].screen.columns && !r->report[0].is_verbose && width > LEAST_CELL &&
	       name_room(r, width) < longest)
		width--;
	return width;
}

static void print_label(const struct rpt_columns *r, const char *name, int width, FILE *out)
{
	char folded[128];

	fprintf(out, "%*s%s\n", BETWEEN, "", rpt_fold(name, name_room(r, width), folded));
}

/* ---- the table
 * ---------------------------------------------------------------------------------------- */

static void print_later(const struct rpt_columns *r, FILE *out)
{
	for (size_t c = 0; c < r->n_report; c++) {
		const struct ses_result *run = r->report[c].run;
		char kinds[200], text[400];

		if (run->later.all && run->instructions)
			snprintf(text, sizeof(text),
				 " Note: %s never had %.1f %% of the instructions (%s); they count as their nearest class.",
				 r->report[c].cpu->name, 100.0 * (double)run->later.all / (double)run->instructions,
				 rpt_later_kinds(&run->later, run->instructions, kinds, sizeof(kinds)));
		else
			continue;
		rpt_wrap(&r->report[c].screen, text, 3, out);
	}
}

static void print_cell(const struct rpt_report *r, int at, int width, FILE *out)
{
	const struct evt_count *n = at < 0 ? NULL : &r->count[at];
	char text[48];

	if (n && n->status == EVT_COUNTED)
		snprintf(text, sizeof(text), "%" PRIu64, n->value);
	else
		snprintf(text, sizeof(text), "%s", n ? rpt_status_text(n->status) : "-");
	fprintf(out, "%s%*s%s", rpt_bold(&r->screen, n && n->status != EVT_COUNTED), width, text,
		rpt_plain(&r->screen, n && n->status != EVT_COUNTED));
	if (r->n_run > 1 && n && n->status == EVT_COUNTED)
		fprintf(out, " +-%6.2f%%", rpt_spread_percent(r, (size_t)at));
	else if (r->n_run > 1)
		fprintf(out, "%10s", "");
}

/* Metric `name` of a column: its number, or -1 when it has no value. */
static int find_metric(const struct rpt_report *r, const char *name, double *value)
{
	for (size_t k = 0; k < r->metrics->n; k++) {
		struct evt_value v;

		if (strcasecmp(r->metrics->metric[k].row->name, name))
			continue;
		v = evt_formula_value(&r->metrics->metric[k].formula, r->events, r->count);
		*value = (double)v.value;
		return v.status == EVT_COUNTED ? (int)k : -1;
	}
	return -1;
}

/* A part of a stack is the share of its column's whole, as in the table of one processor; -v
 * shows the number. */
static void print_metric(const struct rpt_report *r, const char *name, int width, FILE *out)
{
	double value;
	const int k = find_metric(r, name, &value),
	          share = k < 0 || r->is_verbose ? -1 : rpt_stack_share(r, k);
	const bool is_bold = share >= 0 && rpt_is_largest_share(r, k);
	char text[48] = "-";

	if (share >= 0)
		snprintf(text, sizeof(text), "%d.%d%%", share / 10, share % 10);
	else if (k >= 0)
		snprintf(text, sizeof(text), "%.3f", value);
	fprintf(out, "%s%*s%s%*s", rpt_bold(&r->screen, is_bold), width, text,
	        rpt_plain(&r->screen, is_bold), r->n_run > 1 ? 10 : 0, "");
}

static bool is_in_earlier(const struct rpt_columns *r, size_t c, const char *name)
{
	double value;

	for (size_t i = 0; i < c; i++)
		if (find_metric(&r->report[i], name, &value) >= 0)
			return true;
	return false;
}

/* Metrics of which some column has a number, below the events. */
static void print_metrics(const struct rpt_columns *r, int width, FILE *out)
{
	const char *before = "\n";
	char label[96];
	double value;

	for (size_t c = 0; c < r->n_report; c++) {
		for (size_t k = 0; k < r->report[c].metrics->n; k++) {
			const struct cat_metric *m = r->report[c].metrics->metric[k].row;

			if (find_metric(&r->report[c], m->name, &value) < 0 || is_in_earlier(r, c, m->name))
				continue;
			fputs(before, out);
			before = "";
			for (size_t i = 0; i < r->n_report; i++)
				print_metric(&r->report[i], m->name, width, out);
			print_label(r, rpt_metric_label(m, label, sizeof(label)), width, out);
		}
	}
}

/* Is the terminal too narrow for the table's title in one line? */
static bool is_narrow(const struct rpt_report *r)
{
	return r->screen.columns && r->screen.columns < 80;
}

/* One below the other: 80 columns take one. */
static int print_diagrams(const struct rpt_columns *r, FILE *out)
{
	int rc = 0;

	for (size_t c = 0; c < r->n_report && !rc; c++) {
		fprintf(out, "%s %s\n\n", c ? "\n" : "", r->report[c].cpu->text);
		rc = rpt_diagram(&r->report[c], out);
	}
	return rc;
}

/* Is the row in the pictures of all processors that have it? */
static bool is_drawn(const struct rpt_columns *r, const struct rpt_columns_row *row)
{
	for (size_t c = 0; c < r->n_report; c++)
		if (row->at[c] >= 0 && !dgm_shows(&r->report[c], (size_t)row->at[c]))
			return false;
	return r->report[0].has_diagram;
}

/* The events below each other, a column per processor; below pictures those that they do not
 * show. */
static void print_rows(const struct rpt_columns *r, int width, FILE *out)
{
	const int spread = r->report[0].n_run > 1 ? 10 : 0;
	bool has_heading = false;
	char folded[128];

	for (size_t i = 0; i < r->n_row; i++) {
		if (is_drawn(r, &r->row[i]))
			continue;
		for (size_t c = 0; c < r->n_report && !has_heading; c++)
			fprintf(out, "%*s%*s%s", width,
				rpt_fold(r->report[c].cpu->name, width - 1, folded), spread, "",
				c + 1 == r->n_report ? "\n" : "");
		has_heading = true;
		for (size_t c = 0; c < r->n_report; c++)
			print_cell(&r->report[c], r->row[i].at[c], width, out);
		print_label(r, r->row[i].name, width, out);
	}
}

int rpt_columns_human(const struct rpt_columns *r, FILE *out)
{
	const struct rpt_report *first = &r->report[0];
	const struct ses_result *run = first->run;
	const int width = cell_width(r);

	fprintf(out, "\n Performance counter stats for '");
	for (size_t i = 0; first->argv[i]; i++)
		fprintf(out, "%s%s", i ? " " : "", first->argv[i]);
	if (first->n_run > 1)
		fprintf(out, "' (%zu runs),%s one column per processor:\n\n", first->n_run,
		        is_narrow(first) ? "\n" : "");
	else
		fprintf(out, "',%s one run, one column per processor:\n\n", is_narrow(first) ? "\n" : "");
	if (first->has_diagram && print_diagrams(r, out))
		return -SPMU_ENOMEM;
	print_rows(r, width, out);
	print_metrics(r, width, out);
	fprintf(out, "\n %17.9f seconds time elapsed\n\n", rpt_mean_seconds(first, rpt_elapsed, NULL));
	if (!first->is_quiet) {
		char text[400];

		snprintf(text, sizeof(text),
		         " The program saw a %s; tier %d; input digest %016" PRIx64,
		         first->cpu->name, run->tier, run->input_digest);
		rpt_wrap(&first->screen, text, 3, out);
		for (size_t c = 0; c < r->n_report; c++)
			if (rpt_plan_note(&r->report[c], text, sizeof(text)))
				fprintf(out, " Note: %s: %s.\n", r->report[c].cpu->name, text);
		print_later(r, out);
		fputc('\n', out);
	}
	if (first->wrong_path)
		fprintf(out, " --wrong-path %s\n\n", first->wrong_path);
	if (first->trouble)
		fprintf(out, " The run ended early: %s.\n\n", first->trouble);
	return 0;
}

/* ---- for machines
 * ------------------------------------------------------------------------------------- */

static json_t *one_column(const struct rpt_columns *r, size_t c)
{
	const struct rpt_report *one = &r->report[c];
	json_t *o = json_object(), *events = json_array();

	for (size_t i = 0; i < r->n_row; i++) {
		const int at = r->row[i].at[c];
		json_t *e = at < 0 ? json_object() : rpt_json_event(one, (size_t)at);

		if (at < 0) {
			json_object_set_new(e, "name", rpt_json_text(r->row[i].name));
			json_object_set_new(e, "status", json_string("no such event"));
		}
		json_array_append_new(events, e);
	}
	json_object_set_new(o, "cpu", json_string(one->cpu->name));
	json_object_set_new(o, "later_instructions", json_integer((json_int_t)one->run->later.all));
	json_object_set_new(o, "events", events);
	json_object_set_new(o, "metrics", rpt_json_metrics(one));
	return o;
}

int rpt_columns_json(const struct rpt_columns *r, FILE *out)
{
	const struct rpt_report *first = &r->report[0];
	json_t *o = json_object(), *columns = json_array(), *argv = json_array();
	int rc;

	for (size_t i = 0; first->argv[i]; i++)
		json_array_append_new(argv, rpt_json_text(first->argv[i]));
	for (size_t c = 0; c < r->n_report; c++)
		json_array_append_new(columns, one_column(r, c));
	json_object_set_new(o, "schema", json_integer(JSON_SCHEMA));
	json_object_set_new(o, "version", json_string(SPMU_VERSION));
	json_object_set_new(o, "seen_cpu", json_string(first->cpu->name));
	json_object_set_new(o, "program", argv);
	json_object_set_new(o, "seed", json_integer((json_int_t)first->seed));
	json_object_set_new(o, "runs", json_integer((json_int_t)first->n_run));
	json_object_set_new(o, "instructions", json_integer((json_int_t)first->run->instructions));
	json_object_set_new(o, "tier", json_integer(first->run->tier));
	json_object_set_new(o, "input_digest", rpt_json_hex(first->run->input_digest));
	json_object_set_new(o, "ending", rpt_json_ending(first));
	if (first->wrong_path)
		json_object_set_new(o, "wrong_path", json_string(first->wrong_path));
	json_object_set_new(o, "columns", columns);
	json_object_set_new(o, "time", rpt_json_times(first));
	rc = json_dumpf(o, out, JSON_INDENT(2)) || fputc('\n', out) == EOF ? -SPMU_ENOMEM : 0;
	json_decref(o);
	return rc;
}

int rpt_columns_csv(const struct rpt_columns *r, FILE *out)
{
	for (size_t c = 0; c < r->n_report; c++)
		rpt_csv(&r->report[c], out);
	return 0;
}

int rpt_columns_perf_json(const struct rpt_columns *r, FILE *out)
{
	for (size_t c = 0; c < r->n_report; c++)
		rpt_perf_json(&r->report[c], out);
	return 0;
}
