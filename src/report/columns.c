/* columns.c -- one run counted for several machines: a column each. */
#include "report/columns.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/version.h"
#include "report/diagram/picture.h"
#include "report/json.h"

#define JSON_SCHEMA 2

/* ---- rows ------------------------------------------------------------------------------------ */

/* The first row from `from` on of that name in which column c is free; n: none. */
static size_t find_row(const struct rpt_columns_row *row, size_t n, size_t from, const char *name,
		       size_t c)
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

int rpt_columns_rows(const struct rpt_report *report, size_t n_report, struct rpt_columns_row **out,
		     size_t *n)
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

#define CELL	   20
#define LEAST_CELL 15 /* "<not modelled>" and a blank */
#define BETWEEN	   6
#define FEW	   4u /* machines that always stand beside each other */
#define LEAST_NAME 20

/* The machines from `from` up to `to`, whose columns stand beside each other. */
struct beside {
	size_t from, to;
};

/* As many machines from `from` on as a terminal has room for. */
static struct beside beside(const struct rpt_columns *r, size_t from)
{
	const struct rpt_report *one = &r->report[0];
	const int cell = LEAST_CELL + (one->n_run > 1 ? 10 : 0);
	const int room = one->screen.columns - BETWEEN - LEAST_NAME;
	const size_t most = room < cell ? 1 : (size_t)(room / cell);
	size_t n = r->n_report - from;

	if (one->screen.columns && !one->is_verbose && r->n_report > FEW && n > most)
		n = most;
	return (struct beside){from, from + n};
}

/* Columns of the terminal that all cells leave to the names. */
static int name_room(const struct rpt_columns *r, int width)
{
	const struct rpt_report *one = &r->report[0];
	const int cells = (int)beside(r, 0).to * (width + (one->n_run > 1 ? 10 : 0));
	const int room = one->screen.columns - cells - BETWEEN;

	return !one->screen.columns || one->is_verbose ? 0 : room < 8 ? 8 : room;
}

/* Cells are narrower on a terminal where a name would not fit behind them. */
static int cell_width(const struct rpt_columns *r)
{
	int longest = 0, width = CELL;

	for (size_t i = 0; i < r->n_row; i++)
		longest =
		    (int)strlen(r->row[i].name) > longest ? (int)strlen(r->row[i].name) : longest;
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

/* ---- the table ------------------------------------------------------------------------------- */

/* Is an earlier machine of the same processor? What is to say of processors is said then. */
static bool is_shown_before(const struct rpt_columns *r, size_t c)
{
	for (size_t i = 0; i < c; i++)
		if (r->report[i].cpu == r->report[c].cpu)
			return true;
	return false;
}

static void print_later(const struct rpt_columns *r, FILE *out)
{
	for (size_t c = 0; c < r->n_report; c++) {
		const struct ses_result *run = r->report[c].run;
		char kinds[200], text[400];

		if (run->later.all && run->instructions && !is_shown_before(r, c))
			snprintf(
			    text, sizeof(text),
			    " Note: %s never had %.1f %% of the instructions (%s); they count as "
			    "their nearest class.",
			    r->report[c].cpu->name,
			    100.0 * (double)run->later.all / (double)run->instructions,
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
static void print_metrics(const struct rpt_columns *r, struct beside all, int width, FILE *out)
{
	const char *before = "\n";
	char label[96];
	double value;

	for (size_t c = 0; c < r->n_report; c++) {
		for (size_t k = 0; k < r->report[c].metrics->n; k++) {
			const struct cat_metric *m = r->report[c].metrics->metric[k].row;

			if (find_metric(&r->report[c], m->name, &value) < 0 ||
			    is_in_earlier(r, c, m->name))
				continue;
			fputs(before, out);
			before = "";
			for (size_t i = all.from; i < all.to; i++)
				print_metric(&r->report[i], m->name, width, out);
			print_label(r, rpt_metric_label(m, label, sizeof(label)), width, out);
		}
	}
}

/* Returns true if the terminal is too narrow for the table's title in one line. */
static bool is_narrow(const struct rpt_report *r)
{
	return r->screen.columns && r->screen.columns < 80;
}

/* Are there two machines of one processor? */
static bool has_geometries(const struct rpt_columns *r)
{
	for (size_t c = 1; c < r->n_report; c++)
		if (is_shown_before(r, c))
			return true;
	return false;
}

/* One below the other: 80 columns take one. */
static int print_diagrams(const struct rpt_columns *r, FILE *out)
{
	int rc = 0;

	for (size_t c = 0; c < r->n_report && !rc; c++) {
		fprintf(out, "%s %s%s%s\n\n", c ? "\n" : "", r->report[c].cpu->text,
			has_geometries(r) ? ": " : "",
			has_geometries(r) ? r->report[c].column : "");
		rc = rpt_diagram(&r->report[c], out);
	}
	return rc;
}

/* Returns true if the pictures of all processors that have the row's event show it. */
static bool is_drawn(const struct rpt_columns *r, const struct rpt_columns_row *row)
{
	for (size_t c = 0; c < r->n_report; c++)
		if (row->at[c] >= 0 && !dgm_shows(&r->report[c], (size_t)row->at[c]))
			return false;
	return r->report[0].has_diagram;
}

/* Prints the events, a line each, with a column per machine. Below pictures: only the events that
 * they do not show. */
static void print_rows(const struct rpt_columns *r, struct beside all, int width, FILE *out)
{
	const int spread = r->report[0].n_run > 1 ? 10 : 0;
	bool has_heading = false;
	char folded[128];

	for (size_t i = 0; i < r->n_row; i++) {
		if (is_drawn(r, &r->row[i]))
			continue;
		for (size_t c = all.from; c < all.to && !has_heading; c++)
			fprintf(out, "%*s%*s%s", width,
				rpt_fold(r->report[c].column, width - 1, folded), spread, "",
				c + 1 == all.to ? "\n" : "");
		has_heading = true;
		for (size_t c = all.from; c < all.to; c++)
			print_cell(&r->report[c], r->row[i].at[c], width, out);
		print_label(r, r->row[i].name, width, out);
	}
}

/* Length of a meaning. What a P6 retires is what a Pentium executes: the way a program went. */
static size_t meaning_length(const char *text)
{
	static const char *const done[] = {" retired", " executed"};
	const size_t n = strlen(text);

	for (size_t i = 0; i < sizeof(done) / sizeof(done[0]); i++)
		if (n > strlen(done[i]) && !strcmp(text + n - strlen(done[i]), done[i]))
			return n - strlen(done[i]);
	return n;
}

static bool is_same_meaning(const struct cat_generic *a, const struct cat_generic *b)
{
	const size_t n = meaning_length(a->text);

	return n == meaning_length(b->text) && !strncmp(a->text, b->text, n);
}

/* The columns whose processors count different things under one of perf's names: the first that has
 * the row, and the first of another meaning. Returns false where there are none. */
static bool find_meanings(const struct rpt_columns *r, const struct rpt_columns_row *row,
			  const struct cat_generic *meaning[2], size_t column[2])
{
	meaning[0] = NULL;
	for (size_t c = 0; c < r->n_report; c++) {
		const struct cat_generic *g =
		    row->at[c] < 0 ? NULL : cat_find_generic_row(r->report[c].cpu, row->name);
		const bool is_first = !meaning[0];

		if (!g || !g->event || (!is_first && is_same_meaning(g, meaning[0])))
			continue;
		meaning[!is_first] = g;
		column[!is_first] = c;
		if (!is_first)
			return true;
	}
	return false;
}

/* One note for all names that mean different things in two columns. */
static void print_meanings(const struct rpt_columns *r, FILE *out)
{
	const struct cat_generic *meaning[2];
	char text[600];
	size_t n = 0, used = 0, column[2] = {0, 0};

	for (size_t i = 0; i < r->n_row; i++) {
		if (!find_meanings(r, &r->row[i], meaning, column) || n++)
			continue;
		used = (size_t)snprintf(text, sizeof(text), " Note: %s is %s on %s, %s on %s",
					r->row[i].name, meaning[0]->event->name,
					r->report[column[0]].cpu->name, meaning[1]->event->name,
					r->report[column[1]].cpu->name);
	}
	if (!n || used >= sizeof(text))
		return;
	if (n > 1)
		snprintf(text + used, sizeof(text) - used,
			 "; %zu more name%s so (softpmu list names)", n - 1,
			 n == 2 ? " differs" : "s differ");
	rpt_wrap(&r->report[0].screen, text, 3, out);
}

/* Returns the name of the processor that the program saw. */
static const char *seen_by(const struct rpt_report *r)
{
	return r->seen ? r->seen->name : r->cpu->name;
}

int rpt_columns_human(const struct rpt_columns *r, FILE *out)
{
	const struct rpt_report *first = &r->report[0];
	const struct ses_result *run = first->run;
	const char *const machine = has_geometries(r) ? "machine" : "processor";
	const int width = cell_width(r);
	struct beside all;

	fprintf(out, "\n Performance counter stats for '");
	for (size_t i = 0; first->argv[i]; i++)
		fprintf(out, "%s%s", i ? " " : "", first->argv[i]);
	if (first->n_run > 1)
		fprintf(out, "' (%zu runs),%s one column per %s:\n\n", first->n_run,
			is_narrow(first) ? "\n" : "", machine);
	else
		fprintf(out, "',%s one run, one column per %s:\n\n", is_narrow(first) ? "\n" : "",
			machine);
	if (first->has_diagram && print_diagrams(r, out))
		return -SPMU_ENOMEM;
	for (size_t c = 0; c < r->n_report; c = all.to) {
		all = beside(r, c);
		fputs(c ? "\n" : "", out);
		print_rows(r, all, width, out);
		print_metrics(r, all, width, out);
	}
	fprintf(out, "\n %17.9f seconds time elapsed\n\n",
		rpt_mean_seconds(first, rpt_elapsed, NULL));
	if (!first->is_quiet) {
		char text[400];

		snprintf(text, sizeof(text),
			 " The program saw a %s; tier %d; input digest %016" PRIx64, seen_by(first),
			 run->tier, run->input_digest);
		rpt_wrap(&first->screen, text, 3, out);
		if (rpt_range_note(first, text, sizeof(text)))
			fprintf(out, " Note: %s.\n", text);
		for (size_t c = 0; c < r->n_report; c++)
			if (!is_shown_before(r, c) &&
			    rpt_plan_note(&r->report[c], text, sizeof(text)))
				fprintf(out, " Note: %s: %s.\n", r->report[c].cpu->name, text);
		print_meanings(r, out);
		print_later(r, out);
		fputc('\n', out);
	}
	if (first->wrong_path)
		fprintf(out, " --wrong-path %s\n\n", first->wrong_path);
	if (first->trouble)
		fprintf(out, " The run ended early: %s.\n\n", first->trouble);
	return 0;
}

/* ---- for machines ---------------------------------------------------------------------------- */

/* What was asked for; a part that is not there, or a 0, is the processor's own. */
static json_t *geometry_of(const struct ses_geometry *g)
{
	const struct {
		const char *name;
		const struct mdl_geom *geom;
	} part[] = {{"l1i", &g->l1i},
		    {"l1d", &g->l1d},
		    {"l2", &g->l2},
		    {"itlb", &g->itlb},
		    {"dtlb", &g->dtlb}};
	json_t *o = json_object();

	for (size_t i = 0; i < sizeof(part) / sizeof(part[0]); i++) {
		json_t *one;

		if (!part[i].geom->size_bytes)
			continue;
		one = json_object();
		json_object_set_new(one, "size", json_integer(part[i].geom->size_bytes));
		json_object_set_new(one, "ways", json_integer(part[i].geom->ways));
		json_object_set_new(one, "line", json_integer(part[i].geom->line_bytes));
		json_object_set_new(o, part[i].name, one);
	}
	return o;
}

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
	json_object_set_new(o, "name", json_string(one->column));
	json_object_set_new(o, "geometry", geometry_of(one->geometry));
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
	json_object_set_new(o, "seen_cpu", json_string(seen_by(first)));
	json_object_set_new(o, "program", argv);
	json_object_set_new(o, "seed", json_integer((json_int_t)first->seed));
	json_object_set_new(o, "runs", json_integer((json_int_t)first->n_run));
	json_object_set_new(o, "instructions", json_integer((json_int_t)first->run->instructions));
	json_object_set_new(o, "tier", json_integer(first->run->tier));
	json_object_set_new(o, "input_digest", rpt_json_hex(first->run->input_digest));
	rpt_json_range(o, first);
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
