/* cmd_diff.c -- softpmu diff: what counts differ between two recorded runs, and where; and whether
 * they rose by more than they may.
 *
 * Exit status: 0; 2 when the two cannot be compared; 3 when a limit is broken.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/screen.h"
#include "cli/where/limits.h"
#include "cli/where/reader.h"
#include "cli/where/top.h"
#include "report/json.h"
#include "where/pairs.h"

#define NOT_COMPARABLE 2
#define LIMIT_BROKEN   3
#define MOST_ROWS      20u
#define MOST_NAMED     3u
#define NAME_LEAST     16

struct diff_options {
	const char *file[2];
	const char *sort;
	struct cli_limits limits;
	enum cli_color color;
	bool has_json, is_verbose;
};

/* Two records and what became of them. [0] old, [1] new. */
struct both {
	struct rec *rec[2];
	struct nm *names[2]; /* a file may be as it was for one of them alone */
	struct whr_table function[2], line[2];
	struct whr_pairs functions, lines;
	uint32_t sort;
};

/* ---- comparable? ---------------------------------------------------------------------------- */

/* Both records are of one machine and count the same events. Returns 0 or the exit code. */
static int compare_machines(const struct rec *old, const struct rec *new)
{
	const char *a = rec_text(old->meta, "cpu"), *b = rec_text(new->meta, "cpu");

	if (strcmp(a, b))
		cli_fail("diff: the records are of two processors, %s and %s; record both on one",
			 a, b);
	else if (!json_equal(json_object_get(old->meta, "settings"),
			     json_object_get(new->meta, "settings")))
		cli_fail("diff: the records are of machines with different settings (caches, TLBs, "
			 "--cpus ...); record both with the same options");
	else if (old->n_event != new->n_event)
		cli_fail("diff: the records count %u and %u events; record both with the same -e",
			 old->n_event, new->n_event);
	else
		return 0;
	return NOT_COMPARABLE;
}

static int compare_events(const struct rec *old, const struct rec *new)
{
	for (uint32_t e = 0; e < old->n_event; e++)
		if (strcmp(old->event[e].name, new->event[e].name) ||
		    strcmp(old->event[e].status, new->event[e].status)) {
			cli_fail("diff: event %u is %s in the one record and %s in the other; "
				 "record both with the same -e",
				 e + 1, old->event[e].name, new->event[e].name);
			return NOT_COMPARABLE;
		}
	return 0;
}

/* ---- the tables ----------------------------------------------------------------------------- */

static const char *signed_number(int64_t n, char out[41])
{
	char plain[40];

	snprintf(out, 41, "%s%s", n > 0 ? "+" : "", cli_top_number(n, plain));
	return out;
}

#define MOST_PERCENT 1000 /* more is said as a multiple */

/* "+1.25%", "x12", or "new". */
static const char *percent(uint64_t old, int64_t change, char out[16])
{
	const double share = old ? 100.0 * (double)change / (double)old : 0;

	if (share >= MOST_PERCENT)
		snprintf(out, 16, "x%.0f", share / 100 + 1);
	else if (old)
		snprintf(out, 16, "%+.2f%%", share);
	else
		snprintf(out, 16, "%s", change ? "new" : "");
	return out;
}

static void print_totals(const struct both *b, const struct diff_options *o)
{
	char old[40], new[40], change[41], part[16];

	printf(" %-28s %16s %16s %15s\n", "event", "old", "new", "change");
	for (uint32_t e = 0; e < b->rec[0]->n_event; e++) {
		const struct rec_event *was = &b->rec[0]->event[e], *is = &b->rec[1]->event[e];
		const int64_t more = (int64_t)(is->total - was->total);
		const struct cli_limit *which;

		if (*was->status)
			continue;
		printf(" %-28s %16s %16s %15s %s%s\n", was->name,
		       cli_top_number((int64_t)was->total, old),
		       cli_top_number((int64_t)is->total, new), signed_number(more, change),
		       percent(was->total, more, part),
		       cli_limits_break(&o->limits, was, was->total, is->total, &which) ? " !"
											: "");
	}
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Pairs by the change of one event: those that changed, MOST_ROWS of them at most. */
static void print_pairs(const struct both *b, const struct whr_pairs *p, const struct whr_table *t,
			const struct rpt_screen *screen, size_t most)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n && n < most; i++, n++) {
		const struct whr_pair *pair = &p->pair[i];
		const struct whr_row *row = pair->new ? pair->new : pair->old;
		const int64_t change = whr_change(pair, b->sort);
		char number[41], part[16], line[256], cut[128];
		const char *name = whr_name(t, row, line, sizeof(line));
		const char *in = t->by == WHR_LINE ? row->function : last_part(row->object);
		int at, room;

		if (!change)
			return;
		at =
		    printf(" %15s %9s", signed_number(change, number),
			   !pair->new ? "gone"
				      : percent(pair->old ? (uint64_t)pair->old->count[b->sort] : 0,
						change, part));
		room = screen->columns ? screen->columns - at - 2 : 0;
		name = rpt_fold(name, room && room < NAME_LEAST ? NAME_LEAST : room, cut);
		at += printf("  %s", name);
		room = screen->columns ? screen->columns - at - 2 : 0;
		if (*in && (!screen->columns || room >= NAME_LEAST / 2) && strcmp(in, name))
			printf("  %s", rpt_fold(in, room, cut));
		putchar('\n');
	}
}

/* Which files of both runs are other builds: libraries that changed explain a change. */
static void print_builds(const struct both *b)
{
	const char *path;
	json_t *was;
	unsigned n = 0;

	json_object_foreach(b->rec[0]->objects, path, was)
	{
		const json_t *is = json_object_get(b->rec[1]->objects, path);

		if (!is || json_equal(was, is) || n++ >= MOST_NAMED)
			continue;
		printf(" Note: %s is another file in the new run.\n", path);
	}
	if (n > MOST_NAMED)
		printf(" Note: so are %u more.\n", n - MOST_NAMED);
	for (unsigned i = 0; i < 2; i++)
		if (json_object_get(b->rec[i]->meta, "trouble") ||
		    json_object_get(b->rec[i]->meta, "interrupted"))
			printf(" Note: the %s run ended early.\n", i ? "new" : "old");
}

static void print_tables(const struct both *b, const struct diff_options *o)
{
	const char *event = b->rec[0]->event[b->sort].name;
	struct rpt_screen screen = cli_screen(stdout, o->color);
	const size_t most = o->is_verbose ? SIZE_MAX : MOST_ROWS;

	if (o->is_verbose)
		screen.columns = 0;
	print_totals(b, o);
	if (b->functions.n && whr_change(&b->functions.pair[0], b->sort)) {
		printf("\n Functions, by change of %s:\n\n", event);
		print_pairs(b, &b->functions, &b->function[1], &screen, most);
	}
	if (b->lines.n && whr_change(&b->lines.pair[0], b->sort)) {
		printf("\n Lines, by change of %s:\n\n", event);
		print_pairs(b, &b->lines, &b->line[1], &screen, most);
	}
	putchar('\n');
	print_builds(b);
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static json_t *counts_json(const struct rec *r, const struct whr_row *row)
{
	json_t *o = json_object();

	for (uint32_t e = 0; e < r->n_event; e++)
		if (!*r->event[e].status)
			json_object_set_new(o, r->event[e].name,
					    json_integer(row ? (json_int_t)row->count[e] : 0));
	return o;
}

static bool has_changed(const struct whr_pair *p, uint32_t n_event)
{
	for (uint32_t e = 0; e < n_event; e++)
		if (whr_change(p, e))
			return true;
	return false;
}

static json_t *pairs_json(const struct both *b, const struct whr_pairs *p)
{
	json_t *list = json_array();

	for (size_t i = 0; i < p->n; i++) {
		const struct whr_row *row = p->pair[i].new ? p->pair[i].new : p->pair[i].old;
		json_t *o;

		if (!has_changed(&p->pair[i], b->rec[0]->n_event))
			continue;
		o = json_object();
		json_object_set_new(o, "function", rpt_json_text(row->function));
		json_object_set_new(o, "object", rpt_json_text(row->object));
		if (*row->file)
			json_object_set_new(o, "file", rpt_json_text(row->file));
		if (row->line)
			json_object_set_new(o, "line", json_integer((json_int_t)row->line));
		json_object_set_new(o, "old", counts_json(b->rec[0], p->pair[i].old));
		json_object_set_new(o, "new", counts_json(b->rec[0], p->pair[i].new));
		json_array_append_new(list, o);
	}
	return list;
}

static int print_json(const struct both *b, const struct diff_options *o)
{
	json_t *out = json_object(), *events = json_array();
	int rc;

	for (uint32_t e = 0; e < b->rec[0]->n_event; e++) {
		const struct rec_event *was = &b->rec[0]->event[e], *is = &b->rec[1]->event[e];
		const struct cli_limit *which = NULL;
		json_t *one;

		if (*was->status)
			continue;
		one = json_object();
		json_object_set_new(one, "name", json_string(was->name));
		json_object_set_new(one, "old", json_integer((json_int_t)was->total));
		json_object_set_new(one, "new", json_integer((json_int_t)is->total));
		if (cli_limits_break(&o->limits, was, was->total, is->total, &which))
			json_object_set_new(one, "broken", rpt_json_text(which->text));
		json_array_append_new(events, one);
	}
	json_object_set_new(out, "schema", json_integer(1));
	json_object_set_new(out, "events", events);
	json_object_set_new(out, "functions", pairs_json(b, &b->functions));
	json_object_set_new(out, "lines", pairs_json(b, &b->lines));
	rc = json_dumpf(out, stdout, JSON_INDENT(1));
	putchar('\n');
	json_decref(out);
	return rc ? cli_fail("out of memory for the difference") : 0;
}

/* ---- the command ---------------------------------------------------------------------------- */

/* Says which limits are broken. Returns 0 or LIMIT_BROKEN. */
static int judge(const struct both *b, const struct diff_options *o)
{
	int code = 0;

	for (uint32_t e = 0; e < b->rec[0]->n_event; e++) {
		const struct rec_event *was = &b->rec[0]->event[e], *is = &b->rec[1]->event[e];
		const int64_t more = (int64_t)(is->total - was->total);
		const struct cli_limit *which;
		char number[41], part[16];

		if (*was->status ||
		    !cli_limits_break(&o->limits, was, was->total, is->total, &which))
			continue;
		cli_fail("%s changed by %s (%s): --limit %s is broken", was->name,
			 signed_number(more, number), percent(was->total, more, part), which->text);
		code = LIMIT_BROKEN;
	}
	return code;
}

static int build(struct both *b, const struct diff_options *o)
{
	const char *changed[2] = {NULL, NULL};
	int rc = 0, code = 0;

	b->names[0] = nm_open();
	b->names[1] = nm_open();
	b->sort = cli_record_first(b->rec[0]);
	if (o->sort)
		code = cli_record_event(b->rec[0], "--sort", o->sort, &b->sort);
	if (code)
		return code;
	for (unsigned i = 0; i < 2 && b->names[i] && !rc; i++) {
		rc = whr_build(&b->function[i], b->rec[i], b->names[i], WHR_FUNCTION, &changed[i]);
		rc =
		    rc ? rc : whr_build(&b->line[i], b->rec[i], b->names[i], WHR_LINE, &changed[i]);
	}
	if (!b->names[0] || !b->names[1] || rc ||
	    whr_pair_up(&b->functions, &b->function[0], &b->function[1]) ||
	    whr_pair_up(&b->lines, &b->line[0], &b->line[1]))
		return cli_fail("out of memory for the difference");
	whr_pairs_sort(&b->functions, b->sort);
	whr_pairs_sort(&b->lines, b->sort);
	cli_record_notes(changed[0] ? changed[0] : changed[1], b->names[0]);
	return 0;
}

static int diff(const struct diff_options *o)
{
	struct both b = {.sort = 0};
	struct spmu_error err;
	int code = 0;

	for (unsigned i = 0; i < 2 && !code; i++)
		code = rec_open(o->file[i], &b.rec[i], &err) ? cli_complain(&err) : 0;
	code = code ? code : compare_machines(b.rec[0], b.rec[1]);
	code = code ? code : compare_events(b.rec[0], b.rec[1]);
	code = code ? code : cli_limits_check(&o->limits, b.rec[0]);
	code = code ? code : build(&b, o);
	if (!code && o->has_json)
		code = print_json(&b, o);
	else if (!code)
		print_tables(&b, o);
	code = cli_close_stdout(code);
	code = code ? code : judge(&b, o);
	whr_pairs_free(&b.functions);
	whr_pairs_free(&b.lines);
	for (unsigned i = 0; i < 2; i++) {
		whr_free(&b.function[i]);
		whr_free(&b.line[i]);
		rec_close(b.rec[i]);
		nm_close(b.names[i]);
	}
	return code;
}

static int diff_option(struct diff_options *o, int option, const char *value)
{
	switch (option) {
	case OPT_limit:
		return cli_limit_option(&o->limits, value);
	case OPT_both_ways:
		o->limits.is_both_ways = true;
		return 1;
	case OPT_sort:
		o->sort = value;
		return 1;
	case OPT_json:
		o->has_json = true;
		return 1;
	case OPT_verbose:
		o->is_verbose = true;
		return 1;
	case OPT_color:
		return cli_color_option(value, &o->color);
	default:
		return -1;
	}
}

int cmd_diff(int argc, char **argv)
{
	struct diff_options o = {.sort = NULL};
	const char *value;
	unsigned n = 0;

	for (;;) {
		const int option = cli_next_option(argc, argv, 'D', &value);

		if (option == OPT_help)
			return cli_help(argv[0], option);
		if (option == OPT_END && cli_first_argument() >= argc)
			break;
		if (option == OPT_END && n == 2)
			return cli_fail("diff: two records are compared, and %s is a third one",
					argv[cli_first_argument()]);
		if (option == OPT_END) {
			o.file[n++] = argv[cli_first_argument()];
			cli_skip_argument();
		} else if (option < 0 || diff_option(&o, option, value) < 0) {
			return CLI_FAILED;
		}
	}
	if (n < 2)
		return cli_fail("diff: which records? write softpmu diff OLD NEW");
	return diff(&o);
}
