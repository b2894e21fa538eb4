/* cmd_report.c -- softpmu report: where a recorded run counted. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/screen.h"
#include "cli/where/nameless.h"
#include "cli/where/reader.h"
#include "cli/where/report_calls.h"
#include "cli/where/sources.h"
#include "cli/where/top.h"
#include "report/json.h"

#define LEAST_PERCENT 0.1

struct report_options {
	const char *file, *events, *sort;
	const char *process;   /* of --process, or NULL */
	const char *separator; /* of -x, or NULL */
	enum whr_by by;
	enum cli_calls calls;
	const char *function; /* of --callers and --callees */
	double least_percent;
	bool has_json, is_verbose;
	enum cli_color color;
	struct cli_sources sources;
};

static int set_least(const char *value, double *out)
{
	char *end;

	*out = strtod(value, &end);
	if (*end == '%')
		end++;
	if (*end || end == value || !(*out >= 0 && *out <= 100)) {
		cli_fail("--min %s: a share from 0%% to 100%% is wanted", value);
		return -1;
	}
	return 1;
}

static int choose_calls(struct report_options *o, enum cli_calls calls, const char *function)
{
	if (o->calls != CLI_CALLS_NONE) {
		cli_fail("report: one of --inclusive, --callers and --callees at a time");
		return -1;
	}
	o->calls = calls;
	o->function = function;
	return 1;
}

static int report_option(struct report_options *o, int option, const char *value)
{
	switch (option) {
	case OPT_event: o->events = value; return 1;
	case OPT_sort: o->sort = value; return 1;
	case OPT_process: o->process = value; return 1;
	case OPT_by: return cli_by_option(value, &o->by);
	case OPT_inclusive: return choose_calls(o, CLI_CALLS_INCLUSIVE, NULL);
	case OPT_callers: return choose_calls(o, CLI_CALLS_CALLERS, value);
	case OPT_callees: return choose_calls(o, CLI_CALLS_CALLEES, value);
	case OPT_min: return set_least(value, &o->least_percent);
	case OPT_json: o->has_json = true; return 1;
	case OPT_field_separator:
		o->separator = value;
		return *value ? 1
			      : (cli_fail("-x: a separator of one letter or more is wanted"), -1);
	case OPT_verbose: o->is_verbose = true; return 1;
	case OPT_color: return cli_color_option(value, &o->color);
	default: return cli_source_option(&o->sources, option, value);
	}
}

/* Which events stand side by side, the one that rows are sorted by first. Returns 0 or an exit code
 * after a message. */
static int choose_events(const struct report_options *o, struct cli_top *t)
{
	const struct rec *r = t->rec;
	const bool is_for_people = !o->has_json && !o->separator;
	uint32_t first = is_for_people ? cli_record_chief(r) : cli_record_first(r);
	int code = 0;

	if (o->events) {
		code = cli_record_events(r, o->events, t->event, &t->n_event, CLI_TOP_COLUMNS);
		first = t->event[0];
	}
	if (!code && o->sort)
		code = cli_record_event(r, "--sort", o->sort, &first);
	if (!o->events)
		t->n_event = cli_record_columns(
		    r, is_for_people ? cli_record_chief(r) : cli_record_first(r), t->event);
	for (unsigned i = 0; i < t->n_event; i++)
		if (t->event[i] == first) {
			t->event[i] = t->event[0];
			t->event[0] = first;
			return code;
		}
	t->event[0] = first; /* --sort names another one than -e */
	return code;
}

static void put_calls(json_t *o, const struct cli_top *t, const struct whr_row *row)
{
	json_t *self = json_object();

	for (uint32_t e = 0; e < t->rec->n_event; e++)
		if (!*t->rec->event[e].status)
			json_object_set_new(self, t->rec->event[e].name,
					    json_integer((json_int_t)row->self[e]));
	json_object_set_new(o, "own", self);
	json_object_set_new(o, "calls", json_integer((json_int_t)row->calls));
}

/* The ends of intervals of estimated clocks. */
static void put_interval(json_t *o, const struct cli_top *t, const struct whr_row *row)
{
	json_t *low = json_object(), *high = json_object();

	for (uint32_t e = 0; e < t->rec->n_event; e++) {
		const int64_t n = row->count[e];
		const int64_t half = (int64_t)whr_half(t->intervals, row, n);

		if (!t->rec->event[e].has_replicates)
			continue;
		json_object_set_new(low, t->rec->event[e].name,
				    json_integer((json_int_t)(n > half ? n - half : 0)));
		json_object_set_new(high, t->rec->event[e].name,
				    (uint64_t)half < WHR_NO_INTERVAL
					? json_integer((json_int_t)(n + half))
					: json_null());
	}
	json_object_set_new(o, "low", low);
	json_object_set_new(o, "high", high);
}

/* As put_interval(), of the totals of all estimates. */
static void put_intervals_of_totals(json_t *o, const struct rec *r)
{
	json_t *low = json_object(), *high = json_object();

	for (uint32_t e = 0; e < r->n_event; e++) {
		const struct rec_event *of = &r->event[e];
		const uint64_t least = of->total > of->half ? of->total - of->half : 0;

		if (!of->half)
			continue;
		json_object_set_new(low, of->name, json_integer((json_int_t)least));
		json_object_set_new(high, of->name,
				    of->half < WHR_NO_INTERVAL
					? json_integer((json_int_t)(of->total + of->half))
					: json_null());
	}
	if (json_object_size(low)) {
		json_object_set(o, "totals_low", low);
		json_object_set(o, "totals_high", high);
	}
	json_decref(low);
	json_decref(high);
}

static json_t *row_json(const struct cli_top *t, const struct whr_row *row)
{
	json_t *o = json_object(), *counts = json_object();

	for (uint32_t e = 0; e < t->rec->n_event; e++)
		if (!*t->rec->event[e].status)
			json_object_set_new(counts, t->rec->event[e].name,
					    json_integer((json_int_t)row->count[e]));
	if (*row->function)
		json_object_set_new(o, "function", rpt_json_text(row->function));
	if (*row->file)
		json_object_set_new(o, "file", rpt_json_text(row->file));
	if (row->line)
		json_object_set_new(o, "line", json_integer((json_int_t)row->line));
	if (*row->object)
		json_object_set_new(o, "object", rpt_json_text(row->object));
	if (t->table->by == WHR_ADDRESS)
		json_object_set_new(o, "offset", json_integer((json_int_t)row->offset));
	if (*row->process)
		json_object_set_new(o, "process", rpt_json_text(row->process));
	json_object_set_new(o, "counts", counts);
	if (t->intervals)
		put_interval(o, t, row);
	if (t->has_calls)
		put_calls(o, t, row);
	if (t->table->by == WHR_ADDRESS)
		json_object_set_new(o, "address", json_integer((json_int_t)row->address));
	return o;
}

/* All rows and events, typed. */
static int print_json(const struct cli_top *t)
{
	json_t *o = json_object(), *rows = json_array(), *totals = json_object();
	int rc;

	for (uint32_t e = 0; e < t->rec->n_event; e++)
		if (!*t->rec->event[e].status)
			json_object_set_new(totals, t->rec->event[e].name,
					    json_integer((json_int_t)t->rec->event[e].total));
	for (size_t i = 0; i < t->table->n; i++)
		json_array_append_new(rows, row_json(t, &t->table->row[i]));
	json_object_set_new(o, "schema", json_integer(1));
	json_object_set(o, "command", json_object_get(t->rec->meta, "command"));
	json_object_set(o, "cpu", json_object_get(t->rec->meta, "cpu"));
	json_object_set_new(o, "totals", totals);
	put_intervals_of_totals(o, t->rec);
	json_object_set_new(o, "rows", rows);
	rc = json_dumpf(o, stdout, JSON_INDENT(1));
	fputc('\n', stdout);
	json_decref(o);
	return rc ? cli_fail("out of memory for the report") : 0;
}

/* ---- fields ---------------------------------------------------------------------------------- */

/* A name, in quotes where it has a separator, a quote or an end of line. */
static void put_field(const char *text, const char *separator)
{
	if (!strstr(text, separator) && !strpbrk(text, "\"\n")) {
		fputs(text, stdout);
		return;
	}
	putchar('"');
	for (; *text; text++)
		printf(*text == '"' ? "\"\"" : "%c", *text);
	putchar('"');
}

/* All rows and events: a line of names, then a line per row. */
static void print_fields(const struct cli_top *t, const char *separator)
{
	char name[4096];

	printf("%s%s%s", t->table->by == WHR_FUNCTION ? "function" : "name", separator, "object");
	for (uint32_t e = 0; e < t->rec->n_event; e++)
		if (!*t->rec->event[e].status) {
			fputs(separator, stdout);
			put_field(t->rec->event[e].name, separator);
		}
	putchar('\n');
	for (size_t i = 0; i < t->table->n; i++) {
		const struct whr_row *row = &t->table->row[i];

		put_field(whr_name(t->table, row, name, sizeof(name)), separator);
		fputs(separator, stdout);
		put_field(row->object, separator);
		for (uint32_t e = 0; e < t->rec->n_event; e++)
			if (!*t->rec->event[e].status)
				printf("%s%lld", separator, (long long)row->count[e]);
		putchar('\n');
	}
}

/* The table of functions or calls. Returns 0 or an exit code after a message. */
static int build_calls(const struct report_options *o, const struct cli_top *t, struct nm *names,
		       struct whr_calls *calls, struct whr_table *table)
{
	int code;

	if (o->by != WHR_FUNCTION)
		return cli_fail("report --by: calling contexts are shown by function");
	if (!whr_has_paths(t->rec))
		return cli_fail("report: the record has no call paths; softpmu record --stacks on "
				"keeps them");
	if (whr_calls_build(calls, t->rec, names, false))
		return cli_fail("out of memory for the report");
	code = cli_calls_table(table, calls, o->calls, o->function);
	if (!code)
		cli_calls_note(calls, t->rec, t->event[0]);
	return code;
}

static int report(const struct report_options *o, const struct rec *r)
{
	struct cli_top t = {.rec = r,
			    .least_percent = o->least_percent,
			    .screen = cli_log_screen(stdout, o->color)};
	struct nm *names = cli_names(&o->sources);
	struct whr_table table = {0};
	struct whr_calls calls = {0};
	struct whr_intervals intervals = {0};
	const char *changed = NULL;
	char command[512];
	int code = choose_events(o, &t);

	if (o->is_verbose)
		t.screen.columns = 0;
	t.has_calls = o->calls != CLI_CALLS_NONE;
	t.has_own = o->calls == CLI_CALLS_INCLUSIVE;
	if (names && t.has_calls)
		changed = whr_distrust_changed(r, names);
	if (!code && t.has_calls)
		code = names ? build_calls(o, &t, names, &calls, &table) : CLI_FAILED;
	else if (!code && (!names || whr_build(&table, r, names, o->by, &changed)))
		code = cli_fail("out of memory for the report");
	t.table = &table;
	if (!code && !t.has_calls && whr_has_intervals(r)) {
		if (whr_intervals_build(&intervals, r, names, o->by))
			code = cli_fail("out of memory for the report");
		t.intervals = &intervals;
	}
	if (!code) {
		whr_sort(&table, t.event[0]);
		cli_record_notes(changed, names);
		if (!t.has_calls)
			cli_say_nameless(&table, t.event[0], names);
		cli_say_lineless(&table, t.event[0]);
	}
	if (!code && o->separator) {
		print_fields(&t, o->separator);
	} else if (!code && o->has_json) {
		code = print_json(&t);
	} else if (!code) {
		printf(" '%s' on %s\n\n", cli_record_command(r, command, sizeof(command)),
		       rec_text(r->meta, "cpu"));
		if (table.n)
			cli_top_print(&t, stdout);
		else
			puts(" Nothing was counted.");
		if (table.n && !o->events)
			cli_top_note_others(&t, stdout);
		cli_record_note_estimates(r, stdout);
	}
	whr_intervals_free(&intervals);
	whr_free(&table);
	whr_calls_free(&calls);
	nm_close(names);
	return code;
}

int cmd_report(int argc, char **argv)
{
	struct report_options o = {.least_percent = -1};
	struct rec *r = NULL;
	struct spmu_error err;
	const char *value;
	int option, code;

	for (;;) {
		option = cli_next_option(argc, argv, 'P', &value);
		if (option == OPT_help)
			return cli_help(argv[0], option);
		if (option == OPT_END && cli_first_argument() >= argc)
			break;
		if (option == OPT_END && o.file)
			return cli_fail("report %s %s: one record at a time", o.file,
					argv[cli_first_argument()]);
		if (option == OPT_END) {
			o.file = argv[cli_first_argument()];
			cli_skip_argument();
		} else if (option < 0 || report_option(&o, option, value) < 0) {
			return CLI_FAILED;
		}
	}
	if (o.least_percent < 0) /* a recursive call has calls and no counts */
		o.least_percent = o.function ? 0 : LEAST_PERCENT;
	if (rec_open(o.file ? o.file : REC_DEFAULT, &r, &err))
		return cli_complain(&err);
	code = cli_record_select(r, o.process);
	if (!code && o.by == WHR_THREAD && !rec_has_threads(r))
		code =
		    cli_fail("report --by thread: the record does not tell threads apart; softpmu "
			     "record --per-thread does");
	if (!code)
		code = report(&o, r);
	rec_close(r);
	return cli_close_stdout(code);
}
