/* cmd_diff.c -- softpmu diff: what counts differ between two recorded runs, and where; and whether
 * they rose by more than they may.
 *
 * Exit status: 0; 2 when the two cannot be compared; 3 when a limit is broken, 4 when the interval
 * of an estimate leaves one open.
 */
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/where/nameless.h"
#include "cli/where/diff.h"
#include "cli/where/reader.h"
#include "cli/where/sources.h"

#define LIMIT_BROKEN 3
#define LIMIT_OPEN   4

enum layout { HUMAN, JSON, MARKDOWN, GITHUB };

struct diff_options {
	const char *file[2];
	const char *sort;
	struct cli_limits limits;
	struct cli_sources sources;
	enum cli_color color;
	enum layout layout;
	bool is_verbose;
};

/* ---- limits --------------------------------------------------------------------------------- */

/* Add the limits that are judged as `wanted`. Returns how many. */
static size_t add_judged(struct cli_diff *d, enum cli_judgement wanted)
{
	const size_t before = d->n_broken + d->n_open;
	size_t n = before;

	for (uint32_t i = 0; i < 2 * d->rec[0]->n_event; i++) {
		const struct rec_event *e = &d->rec[0]->event[i / 2];
		struct cli_broken b = {NULL, i / 2, i % 2, cli_diff_count(d, 0, i % 2, i / 2),
				       cli_diff_count(d, 1, i % 2, i / 2)};

		if (!*e->status)
			b.limit = cli_limits_find(d->limits, wanted, b.is_main, e->name, b.old,
						  b.new, cli_diff_half(d, b.is_main, b.event));
		if (b.limit)
			d->broken[n++] = b;
	}
	return n - before;
}

/* Find the limits that are broken, and those that estimates leave open. Returns 0 or an exit code
 * after a message. */
static int judge_limits(struct cli_diff *d)
{
	/* each count without and with start-up, broken or open */
	d->broken = calloc(4 * (size_t)d->rec[0]->n_event + 1, sizeof(*d->broken));
	if (!d->broken)
		return cli_fail("out of memory for the difference");
	d->n_broken = add_judged(d, CLI_LIMIT_IS_BROKEN);
	d->n_open = add_judged(d, CLI_LIMIT_IS_OPEN);
	return 0;
}

/* Of the counts of both runs one unit in so many was worked out: the larger of the two. */
static unsigned sampled_every(const struct cli_diff *d)
{
	unsigned most = 1;

	for (unsigned i = 0; i < 2; i++) {
		const json_t *meta = d->rec[i]->meta;
		const char *clocks =
		    rec_text(d->is_totals ? meta : json_object_get(meta, "settings"), "clocks");
		unsigned every;

		if (sscanf(clocks, "sampled:1/%u", &every) == 1 && every > most)
			most = every;
	}
	return most;
}

static void say_one(const struct cli_diff *d, const struct cli_broken *b, bool is_broken)
{
	const int64_t more = (int64_t)(b->new - b->old);
	const double half = cli_diff_half(d, b->is_main, b->event);
	char number[41], part[16], option[40], ends[80] = " is broken";
	double beyond;

	if (!is_broken) {
		cli_limit_judge(b->limit, d->limits->is_both_ways, b->old, b->new, half, &beyond);
		cli_limit_decider(sampled_every(d), half, beyond, option, sizeof(option));
		snprintf(ends, sizeof(ends), "; %s in both runs does", option);
	}
	cli_fail("%s%s changed by %s (%s)%s --limit %s%s", b->is_main ? "main:" : "",
		 d->rec[0]->event[b->event].name, cli_diff_number(more, number),
		 cli_diff_percent(b->old, more, part),
		 is_broken ? ":" : ", and its interval does not decide", b->limit->text, ends);
}

/* Say which are. Returns 0, LIMIT_BROKEN or LIMIT_OPEN. */
static int say_judged(const struct cli_diff *d)
{
	for (size_t i = 0; i < d->n_broken + d->n_open; i++)
		say_one(d, &d->broken[i], i < d->n_broken);
	return d->n_broken ? LIMIT_BROKEN : d->n_open ? LIMIT_OPEN : 0;
}

/* Limits that the two files cannot be judged by. Returns 0 or an exit code after a message. */
static int check_limits(const struct cli_diff *d, struct cli_limits *limits)
{
	for (unsigned i = 0; i < limits->n && d->is_totals; i++)
		if (limits->limit[i].is_main)
			return cli_fail("--limit %s: a report of stat --json has totals alone; "
					"softpmu record tells start-up apart",
					limits->limit[i].text);
	return cli_limits_check(limits, d->rec[0]);
}

/* ---- the command ---------------------------------------------------------------------------- */

static int build_tables(struct cli_diff *d)
{
	const char *changed[2] = {NULL, NULL};
	int rc = 0;

	for (unsigned i = 0; i < 2; i++) {
		d->names[i] = cli_names(d->sources);
		if (!d->names[i])
			return cli_fail("out of memory for the difference");
	}
	cli_diff_distrust(d);
	for (unsigned i = 0; i < 2 && !rc; i++) {
		rc = whr_build(&d->function[i], d->rec[i], d->names[i], WHR_FUNCTION, &changed[i]);
		rc =
		    rc ? rc : whr_build(&d->line[i], d->rec[i], d->names[i], WHR_LINE, &changed[i]);
		d->startup[i] = whr_fold_startup(&d->function[i]);
		whr_fold_startup(&d->line[i]);
	}
	if (rc || cli_diff_intervals(d) || whr_names_find(&d->called, &d->line[0], &d->line[1]) ||
	    whr_pair_up(&d->functions, &d->function[0], &d->function[1], &d->called) ||
	    whr_pair_up(&d->lines, &d->line[0], &d->line[1], &d->called) || cli_diff_own(d))
		return cli_fail("out of memory for the difference");
	cli_diff_find_one_sided(d);
	cli_record_notes(changed[0] ? changed[0] : changed[1], d->names[0]);
	return 0;
}

/* Put rows in order, and add the notes that are about them. */
static void order_tables(struct cli_diff *d)
{
	whr_pairs_sort(&d->functions, d->sort);
	whr_pairs_sort(&d->lines, d->sort);
	whr_pairs_sort(&d->own_lines, d->sort);
	cli_diff_note_unchanged(d);
	cli_diff_note_called(d);
	cli_diff_note_callers(d);
	cli_say_lineless(&d->line[1], d->sort);
}

static int show_diff(const struct cli_diff *d, const struct diff_options *o)
{
	struct rpt_screen screen = cli_log_screen(stdout, o->color);

	if (o->layout == JSON)
		return cli_diff_json(d, stdout);
	if (o->layout == MARKDOWN)
		return cli_diff_markdown(d, 0, stdout);
	if (o->is_verbose)
		screen.columns = 0;
	cli_diff_human(d, &screen, stdout);
	return o->layout == GITHUB ? cli_diff_github(d, stdout) : 0;
}

static int diff(const struct diff_options *o)
{
	struct cli_limits limits = o->limits; /* with the records' names of events */
	struct cli_diff d = {.path = {o->file[0], o->file[1]},
			     .limits = &limits,
			     .sources = &o->sources,
			     .most = o->is_verbose ? SIZE_MAX : CLI_DIFF_ROWS,
			     .shows_unchanged = o->is_verbose};
	int code = cli_diff_open(&d);

	code = code ? code : check_limits(&d, &limits);
	if (!code) {
		d.sort = cli_record_first(d.rec[0]);
		code = o->sort ? cli_record_event(d.rec[0], "--sort", o->sort, &d.sort) : 0;
	}
	code = code || d.is_totals ? code : build_tables(&d);
	code = code ? code : judge_limits(&d);
	if (!code && !o->sort && d.n_broken && o->layout != JSON)
		d.sort = d.broken[0].event;
	if (!code && !d.is_totals)
		order_tables(&d);
	code = code ? code : show_diff(&d, o);
	code = cli_close_stdout(code);
	code = code ? code : say_judged(&d);
	cli_diff_close(&d);
	return code;
}

static int diff_option(struct diff_options *o, int option, const char *value)
{
	switch (option) {
	case OPT_limit: return cli_limit_option(&o->limits, value);
	case OPT_both_ways: o->limits.is_both_ways = true; return 1;
	case OPT_sort: o->sort = value; return 1;
	case OPT_json: o->layout = JSON; return 1;
	case OPT_markdown: o->layout = MARKDOWN; return 1;
	case OPT_github: o->layout = GITHUB; return 1;
	case OPT_verbose: o->is_verbose = true; return 1;
	case OPT_color: return cli_color_option(value, &o->color);
	default: return cli_source_option(&o->sources, option, value);
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
