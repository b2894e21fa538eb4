/* cmd_stat.c -- softpmu stat: run a program, count events, report. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/stat/against.h"
#include "cli/bare/bare.h"
#include "cli/stat/backend.h"
#include "cli/stat/cheaper.h"
#include "cli/board.h"
#include "cli/cli.h"
#include "cli/stat/columns.h"
#include "cli/stat/control.h"
#include "cli/stat/diagram.h"
#include "cli/stat/intervals.h"
#include "cli/stat/replay.h"
#include "cli/options.h"
#include "cli/run_options.h"
#include "cli/screen.h"
#include "report/report.h"
#include "event/groups.h"
#include "session/totals/counting.h"
#include "session/session.h"

#define MOST_RUNS    10000
#define MOST_TURN_MS 1000000u
#define MOST_TAGS    32u

struct stat_options {
	struct cli_run run;
	const char *metric_names;
	const char *separator;
	int (*export)(const struct rpt_report *r, FILE *out);
	unsigned n_run, n_counters, n_detailed; /* -d, -dd, -ddd */
	unsigned rotate_ms;			/* --rotate; 0: no */
	bool has_big_num, is_verbose, is_default, has_cpu;
	struct cli_replay replay; /* softpmu replay: its trace */
	struct cli_bare bare;	  /* softpmu bare: its machine */
	enum cli_color color;
	struct cli_columns columns; /* --cpu A,B,C */
	struct cli_against against;
	struct cli_backend backend;
	struct cli_control control;
	struct cli_intervals intervals;
	struct cli_progress progress;
	struct cli_diagram diagram;
	const char *tag[MOST_TAGS]; /* --tag, in order */
	unsigned n_tag;
};

static int set_count(const char *option, const char *value, unsigned max, unsigned *out)
{
	char *end;
	unsigned long n = strtoul(value, &end, 10);

	if (*end || end == value || n < 1 || n > max) {
		cli_fail("%s %s: a number from 1 to %u is wanted", option, value, max);
		return -1;
	}
	*out = (unsigned)n;
	return 1;
}

static int set_separator(struct stat_options *o, const char *value)
{
	if (!*value) {
		cli_fail("-x: the separator is empty; write -x, or -x';'");
		return -1;
	}
	o->separator = !strcmp(value, "\\t") ? "\t" : value;
	o->export = rpt_csv;
	return 1;
}

/* NAME=VALUE, which the report repeats. */
static int add_tag(struct stat_options *o, const char *value)
{
	if (!strchr(value, '=') || *value == '=') {
		cli_fail("--tag %s: NAME=VALUE is wanted", value);
		return -1;
	}
	if (o->n_tag == MOST_TAGS) {
		cli_fail("--tag %s: at most %u of them", value, MOST_TAGS);
		return -1;
	}
	o->tag[o->n_tag++] = value;
	return 1;
}

/* Returns 1 taken, 0 not ours, -1 after a message. */
static int stat_option(void *own, int option, const char *value)
{
	struct stat_options *o = own;

	cli_backend_note(&o->backend, option);
	switch (option) {
	case OPT_l1i:
	case OPT_l1d:
	case OPT_l2:
	case OPT_itlb:
	case OPT_dtlb:
		o->run.geometry[option - OPT_l1i] = NULL; /* the last one counts */
		return cli_columns_geometry(&o->columns, (unsigned)(option - OPT_l1i), value);
	case OPT_cpu:
		o->columns.n_cpu = 0;
		o->has_cpu = true;
		return strchr(value, ',') ? cli_columns_option(&o->columns, value) : 0;
	case OPT_metrics: o->metric_names = value; return 1;
	case OPT_backend: return cli_backend_option(&o->backend, value);
	case OPT_repeat: return set_count("-r", value, MOST_RUNS, &o->n_run);
	case OPT_counters: return set_count("--counters", value, 64, &o->n_counters);
	case OPT_against: o->against.path = value; return 1;
	case OPT_limit: return cli_limit_option(&o->against.limits, value);
	case OPT_both_ways: o->against.limits.is_both_ways = true; return 1;
	case OPT_field_separator: return set_separator(o, value);
	case OPT_json_output: o->export = rpt_perf_json; return 1;
	case OPT_json: o->export = rpt_json; return 1;
	case OPT_tag: return add_tag(o, value);
	case OPT_rotate: return set_count("--rotate", value, MOST_TURN_MS, &o->rotate_ms);
	case OPT_no_big_num: o->has_big_num = false; return 1;
	case OPT_per_thread: o->run.cfg.keeps_threads = true; return 1;
	case OPT_per_region: o->run.cfg.keeps_regions = true; return 1;
	case OPT_per_process: o->run.cfg.keeps_processes = true; return 1;
	case OPT_control: return cli_control_option(&o->control, value);
	case OPT_from:
		return cli_replay_end("--from", value, &o->run.cfg.from_insn,
				      &o->run.cfg.from_mark);
	case OPT_to: return cli_replay_end("--to", value, &o->run.cfg.to_insn, &o->run.cfg.to_mark);
	case OPT_delay: return cli_control_delay(&o->control, value);
	case OPT_detailed: o->n_detailed++; return 1;
	case OPT_interval_print: return cli_intervals_option(&o->intervals, value);
	case OPT_interval_count: return cli_intervals_count(&o->intervals, value);
	case OPT_summary: o->intervals.has_summary = true; return 1;
	case OPT_diagram: return cli_diagram_option(&o->diagram, value);
	case OPT_progress: o->progress.is_wanted = true; return 1;
	case OPT_color: return cli_color_option(value, &o->color);
	case OPT_verbose: o->is_verbose = true; return 1;
	default: return cli_bare_option(&o->bare, option, value);
	}
}

/* -g with the name of metrics that belong together (cpi-stack) does what -M does, where no group
 * has the name. */
static void take_metrics_for_group(struct stat_options *o, const struct cat_cpu *cpu)
{
	const char *name = o->run.group_name;

	if (!name || !cpu || o->metric_names || evt_find_group(cpu, name) ||
	    !evt_has_metrics(cpu, name))
		return;
	o->metric_names = name;
	o->run.group_name = NULL;
}

/* Add the events of -d, -d -d and -d -d -d, those of perf stat. */
static int add_details(const struct stat_options *o, const struct cat_cpu *cpu,
		       struct evt_events *list, struct spmu_error *err)
{
	static const char *const names[] = {
	    "L1-dcache-loads,L1-dcache-load-misses,LLC-loads,LLC-load-misses",
	    ("L1-icache-loads,L1-icache-load-misses,dTLB-loads,dTLB-load-misses,"
	     "iTLB-loads,iTLB-load-misses"),
	    "L1-dcache-prefetches,L1-dcache-prefetch-misses",
	};
	int rc = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && i < o->n_detailed && !rc; i++)
		rc = evt_parse_events(cpu, names[i], false, list, err);
	return rc;
}

/* Choose the events for the one processor, and the metrics shown beside them. */
static int choose_one(struct stat_options *o, struct cli_column *c)
{
	struct spmu_error err;
	int code, rc = 0;

	c->cpu = o->backend.is_hw ? cli_backend_cpu(&o->backend) : o->run.cfg.model.cpu;
	code = o->backend.is_hw ? cli_backend_events(&o->backend, &c->events)
				: cli_run_events(&o->run, c->cpu, &c->events);

	if (code)
		return code;
	if (o->metric_names)
		rc = evt_metrics_named(c->cpu, o->metric_names, &c->metrics, &c->events, &err);
	if (!rc && o->backend.is_hw)
		rc = cli_backend_follow(&o->backend, &c->events, &err);
	o->is_default = !c->events.n || o->against.events;
	if (!rc && !c->events.n)
		rc = evt_events_default(c->cpu, &c->events, &err);
	if (!rc)
		rc = add_details(o, c->cpu, &c->events, &err);
	if (!rc && !o->metric_names)
		rc = evt_metrics_of(c->cpu, &c->events, &c->metrics, &err);
	return rc ? cli_complain(&err) : 0;
}

/* Refuse options that do not go with -I. n: number of processors; most: runs that --counters needs.
 * Returns 0, or CLI_FAILED after a message. */
static int refuse_intervals(const struct stat_options *o, size_t n, int most)
{
	const struct ses_config *cfg = &o->run.cfg;

	if (!o->intervals.is_wanted && (o->intervals.has_count || o->intervals.has_summary))
		return cli_fail(
		    "--interval-count and --summary say something about -I: add -I MS or -I Ninsn");
	if (!o->intervals.is_wanted)
		return 0;
	if (o->diagram.is_wanted || o->diagram.file)
		return cli_fail(
		    "-I and --diagram: the picture is of the whole run; leave one of them "
		    "away");
	if (o->n_run > 1)
		return cli_fail("-I and -r %u: intervals are of one run; leave one of them away",
				o->n_run);
	if (o->against.report)
		return cli_fail(
		    "-I and --against: an older report is of a whole run; leave one of them "
		    "away");
	if (n > 1)
		return cli_fail("-I and %s: intervals are of one machine: run softpmu once for "
				"each",
				cli_columns_asked(&o->columns));
	if (most > 1)
		return cli_fail("-I and --counters %u: these events need %d runs, and intervals "
				"are of one; ask for fewer events",
				o->n_counters, most);
	if (cfg->keeps_threads || cfg->keeps_processes || cfg->keeps_regions)
		return cli_fail("-I and --per-thread, --per-process or --per-region: intervals are "
				"of the whole program; leave one of them away");
	if (cfg->is_alone)
		return cli_fail(
		    "-I and --no-inherit: intervals are of all processes; leave one of them away");
	return 0;
}

/* Refuse options that do not go with --rotate. n: number of processors. Returns 0, or CLI_FAILED
 * after a message. */
static int refuse_rotate(const struct stat_options *o, size_t n)
{
	if (!o->rotate_ms)
		return 0;
	if (!o->n_counters)
		return cli_fail("--rotate %u: add --counters 2, whose sets of events take turns",
				o->rotate_ms);
	if (n > 1 || o->run.cfg.is_alone)
		return cli_fail(
		    "--rotate and %s: turns are of one processor and all processes; leave "
		    "one of them away",
		    n > 1 ? cli_columns_asked(&o->columns) : "--no-inherit");
	if (o->intervals.is_wanted)
		return cli_fail(
		    "-I and --rotate: what is counted in turns has no intervals; leave one "
		    "of them away");
	return 0;
}

/* Refuse options that do not go with --clocks sampled. n: number of processors. Returns 0, or
 * CLI_FAILED after a message. */
static int refuse_samples(const struct stat_options *o, size_t n)
{
	return cli_run_refuse_samples(
	    &o->run, n > 1					 ? cli_columns_asked(&o->columns)
		     : cli_replay_has_range(&o->run.cfg)	 ? "--from or --to"
		     : o->run.replay && o->run.cfg.keeps_threads ? "--per-thread of a trace"
		     : o->run.replay && o->run.cfg.keeps_regions ? "--per-region of a trace"
		     : o->rotate_ms				 ? "--rotate"
								 : NULL);
}

/* Refuse options that do not go together. Returns 0, or CLI_FAILED after a message. */
static int refuse_options(const struct stat_options *o, const struct cli_column *column, size_t n)
{
	const struct ses_config *cfg = &o->run.cfg;
	int most = 0;

	for (size_t i = 0; i < n; i++)
		most = column[i].plan.n_run > most ? column[i].plan.n_run : most;
	if (o->run.most_tier && !o->run.wants_all)
		return cli_fail("--tier %d goes with --all; events that are named are counted in "
				"the tier that they need",
				o->run.most_tier);
	if (n > 1 && o->n_detailed)
		return cli_fail("-d and %s: name the events with -e, which takes those that a "
				"processor has",
				cli_columns_asked(&o->columns));
	if (n > 1 &&
	    (cfg->keeps_threads || cfg->keeps_processes || cfg->keeps_regions || cfg->trace_file))
		return cli_fail("%s: --per-thread, --per-process, --per-region and --trace are for "
				"one machine: run softpmu once for each",
				cli_columns_asked(&o->columns));
	if (cfg->gate && cfg->trace_file)
		return cli_fail(
		    "--trace keeps the whole run, and --delay and --control count a part "
		    "of it: leave them away, and count a part of the trace by softpmu "
		    "replay --from and --to");
	if (most > 1 &&
	    (cfg->keeps_threads || cfg->keeps_processes || cfg->keeps_regions || cfg->trace_file))
		return cli_fail("--counters %u needs %d runs for these events; --per-thread, "
				"--per-process, --per-region and --trace are of one "
				"run: leave --counters away, or ask for fewer events",
				o->n_counters, most);
	if (refuse_rotate(o, n) || refuse_samples(o, n))
		return CLI_FAILED;
	return refuse_intervals(o, n, most);
}

static int refuse_progress(const struct stat_options *o)
{
	if (o->progress.is_wanted && (o->export != rpt_human || o->run.output ||
				      o->run.log_fd >= 0 || o->intervals.is_wanted))
		return cli_fail("--progress goes with the table on standard error, not with -x, "
				"-j, --json, -o, --log-fd or -I; leave it away");
	return 0;
}

/* A picture shows all events, unless an option says what to count. */
static void choose_all(struct stat_options *o)
{
	if ((o->diagram.is_wanted || o->diagram.file) && !o->backend.is_hw &&
	    !o->run.n_event_text && !o->run.group_name && !o->metric_names && !o->n_detailed)
		o->run.wants_all = true;
}

static int choose(struct stat_options *o, struct cli_column *column, size_t n)
{
	struct spmu_error err;
	int code;

	choose_all(o);
	if (!o->backend.is_hw)
		take_metrics_for_group(o, n > 1 ? o->columns.cpu[0] : o->run.cfg.model.cpu);
	code = n > 1 ? cli_columns_choose(&o->columns, &o->run, o->metric_names, column)
		     : choose_one(o, column);
	for (size_t i = 0; i < n && !code; i++)
		code = cli_bare_modes(&o->bare, &column[i].events);
	for (size_t i = 0; i < n && !code && o->n_counters; i++)
		if (evt_plan_counters(&column[i].events, o->n_counters, &column[i].plan, &err))
			code = cli_complain(&err);
	code = code ? code : refuse_options(o, column, n);
	if (!code && o->n_tag && (o->export != rpt_json || n > 1))
		code = cli_fail("--tag %s: tags stand in the report of --json on one machine",
				o->tag[0]);
	code = code ? code : refuse_progress(o);
	code =
	    code ? code
		 : cli_against_refuse(&o->against, o->export == rpt_human || o->export == rpt_json);
	code = code ? code : cli_against_limits(&o->against, column[0].cpu, &column[0].events);
	if (!code && o->against.report &&
	    rpt_against_resolve(o->against.report, o->backend.is_hw ? NULL : column[0].cpu))
		code = cli_fail("out of memory for the report of --against");
	o->run.cfg.keeps_inputs =
	    !o->backend.is_hw && (o->export == rpt_json || o->n_run > 1 || o->against.report);
	return code ? code
		    : cli_diagram_open(&o->diagram, &o->run.cfg, o->export == rpt_human,
				       o->against.path, column, n);
}

/* The layout of several processors that goes with the one chosen. */
static int (*columns_export(const struct stat_options *o))(const struct rpt_columns *, FILE *)
{
	if (o->export == rpt_csv)
		return rpt_columns_csv;
	if (o->export == rpt_perf_json)
		return rpt_columns_perf_json;
	return o->export == rpt_json ? rpt_columns_json : rpt_columns_human;
}

/* The results as column c sees them; *mean receives its mean counts. Both are the caller's. */
static int view(const struct cli_runs *runs, size_t c, struct ses_result **results,
		struct evt_count **mean)
{
	*results = calloc(runs->n + 1, sizeof(**results));
	*mean = calloc(runs->column[c].events.n + 1, sizeof(**mean));
	if (!*results || !*mean)
		return -SPMU_ENOMEM;
	for (size_t k = 0; k < runs->n; k++) {
		struct ses_result *one = &(*results)[k];

		*one = runs->result[k];
		one->count = cli_runs_counts(&runs->result[k], c);
		if (c)
			one->later = runs->result[k].column[c - 1].later;
	}
	rpt_means(&runs->column[c].events, *results, runs->n, *mean);
	return 0;
}

/* The settings of a report on a column, without counts. */
static struct rpt_report report_of(const struct stat_options *o, const struct cli_column *one,
				   const char *trouble)
{
	static const struct evt_metrics none; /* the picture's shares say it */

	return (struct rpt_report){
	    .cpu = one->cpu,
	    .seen = o->run.cfg.seen_cpu,
	    .machine = o->backend.is_hw ? o->backend.machine.name : NULL,
	    .chosen = *o->backend.chosen ? o->backend.chosen : NULL,
	    .argv = o->run.cfg.argv,
	    .events = &one->events,
	    .metrics = o->diagram.is_wanted && !o->metric_names ? &none : &one->metrics,
	    .envp = o->run.cfg.envp,
	    .argv0 = o->run.cfg.argv0,
	    .ld_cache = cli_run_ld_cache(&o->run),
	    .has_clean_env = o->run.own_env != NULL,
	    .settings = cli_settings_digest(&o->run.cfg),
	    .against = o->against.report,
	    .tag = o->tag,
	    .n_tag = o->n_tag,
	    .seed = o->run.cfg.seed,
	    .n_cpus = o->run.cfg.model.n_cpus,
	    .sample_every = o->run.cfg.model.p6.sample_every,
	    .separator = o->separator,
	    .plan = o->n_counters ? &one->plan : NULL,
	    .has_turns = o->rotate_ms != 0,
	    .trouble = trouble,
	    .has_big_num = o->has_big_num,
	    .has_diagram = o->diagram.is_wanted,
	    .is_alone = o->run.cfg.is_alone,
	    .is_bare = o->run.cfg.bare != NULL,
	    .from_mark = o->run.cfg.from_mark.text,
	    .to_mark = o->run.cfg.to_mark.text,
	    .from_insn = o->run.cfg.from_insn,
	    .to_insn = o->run.cfg.to_insn,
	    .wrong_path = cli_wrong_path_name(&o->run.cfg.model),
	    .wants_regions = o->run.cfg.keeps_regions,
	    .is_default = o->is_default,
	    .is_quiet = o->run.is_quiet,
	    .is_verbose = o->is_verbose};
}

/* Check the limits after a run that ended well. */
static int judge_limits(const struct stat_options *o, const struct cli_runs *runs,
			const struct rpt_report *r, const char *trouble)
{
	const int status = cli_run_exit_code(&runs->result[runs->n - 1]);

	if (!o->against.limits.n || trouble)
		return 0;
	if (!status)
		return cli_against_judge(&o->against, r);
	cli_fail("--limit: the program ended with status %d, so that its counts are not judged",
		 status);
	return 0;
}

static int report(struct stat_options *o, const struct cli_runs *runs, const char *trouble,
		  FILE *out)
{
	struct rpt_report r[1 + SES_MORE_COLUMNS];
	struct ses_result *results[1 + SES_MORE_COLUMNS] = {NULL};
	struct evt_count *mean[1 + SES_MORE_COLUMNS] = {NULL};
	const size_t n = runs->n_column;
	const char **broken = NULL;
	char text[200];
	int rc = 0, code = 0;

	for (size_t c = 0; c < n && !rc; c++) {
		const struct cli_column *one = &runs->column[c];

		rc = view(runs, c, &results[c], &mean[c]);
		r[c] = report_of(o, one, trouble);
		r[c].run = results[c];
		r[c].n_run = runs->n;
		r[c].count = mean[c];
		r[c].has_unlike_runs = runs->has_unlike_runs;
		r[c].unlike = *runs->unlike ? runs->unlike : NULL;
		r[c].column = one->name;
		r[c].geometry = &one->geometry;
		r[c].interval =
		    o->intervals.is_wanted && o->export == rpt_csv ? "         summary" : NULL;
		r[c].is_next_interval = o->intervals.is_wanted;
		if (n == 1 && (o->is_verbose || (out == stderr && isatty(STDERR_FILENO))))
			r[c].cheaper =
			    cli_cheaper(one, &o->run.cfg, &runs->result[0], text, sizeof(text));
		r[c].screen = cli_screen(out, o->color);
		r[c].is_on_error = out == stderr;
	}
	if (!rc)
		r[0].broken = broken = cli_against_broken(&o->against, &r[0]);
	if (!rc)
		rc = n > 1 ? cli_columns_report(r, n, columns_export(o), out) : o->export(r, out);
	if (!rc)
		code = cli_diagram_write(&o->diagram, r, n);
	if (!rc && !code)
		o->against.verdict = judge_limits(o, runs, &r[0], trouble);
	free(broken);
	for (size_t c = 0; c < n; c++) {
		free(results[c]);
		free(mean[c]);
	}
	if (rc && ferror(out)) /* whoever closes it says why */
		return CLI_FAILED;
	return rc ? cli_fail("out of memory for the report") : code;
}

/* The layout of intervals that goes with the one chosen. */
static int (*interval_export(const struct stat_options *o))(const struct rpt_report *, FILE *)
{
	if (o->export == rpt_human)
		return rpt_interval;
	return o->export == rpt_json ? rpt_interval_json : o->export;
}

/* Everything is chosen: run and report. */
static int run_and_report(struct stat_options *o, const struct cli_column *column, size_t n)
{
	struct rpt_report settings = report_of(o, &column[0], NULL);
	struct cli_runs runs = {.options = &o->run,
				.backend = &o->backend,
				.column = column,
				.n_column = n,
				.n_wanted = o->n_run,
				.rotate_ms = o->rotate_ms};
	FILE *out = cli_run_output(&o->run);
	struct spmu_error err = {0};
	int code;

	if (!out)
		return CLI_FAILED;
	settings.screen = cli_screen(out, o->color);
	if (!o->backend.is_hw && !o->n_counters) /* which runs the program more than once */
		o->run.cfg.intervals =
		    cli_intervals_config(&o->intervals, &settings, interval_export(o), out);
	o->run.cfg.progress = cli_progress_config(
	    &o->progress, o->export == rpt_human && out == stderr && !o->intervals.is_wanted);
	o->intervals.progress = &o->progress;
	code = cli_runs_do(&runs, &err);
	cli_progress_end(&o->progress);
	if (code) {
		code = cli_complain(&err);
		cli_runs_free(&runs);
		return cli_run_close_output(&o->run, out, code);
	}
	if (!err.code && o->run.replay && !o->run.is_quiet)
		cli_replay_say_ending(&o->replay);
	if (!err.code && !o->run.replay)
		cli_run_say_signal(&o->run, &runs.result[runs.n - 1]);
	code = o->intervals.is_wanted && !o->intervals.has_summary
		   ? 0
		   : report(o, &runs, err.code ? err.text : NULL, out);
	if (!code && err.code) /* perf's table has said it already when it goes to the terminal */
		code = out == stderr && o->export == rpt_human && !o->intervals.is_wanted
			   ? cli_exit_code(&err)
			   : cli_complain(&err);
	else if (!code && !o->run.replay)
		code = cli_run_exit_code(&runs.result[runs.n - 1]);
	o->run.is_whole = !err.code && (o->run.replay || (!runs.result[runs.n - 1].interrupted &&
							  !runs.result[runs.n - 1].is_timed_out));
	code = code ? code : o->against.verdict;
	cli_runs_free(&runs);
	return cli_run_close_output(&o->run, out, code);
}

static void nothing(int signal)
{
	(void)signal;
}

/* The session takes SIGUSR1 up while the program runs; before and behind that it does no harm. */
static void bear_usr1(void)
{
	struct sigaction old, bear = {.sa_handler = nothing, .sa_flags = SA_RESTART};

	if (!sigaction(SIGUSR1, NULL, &old) && old.sa_handler == SIG_DFL)
		sigaction(SIGUSR1, &bear, NULL);
}

/* --json FILE PROGRAM: the file would be the program. */
static int refuse_file_of_json(int argc, char **argv, int first)
{
	const char *end = first < argc ? strrchr(argv[first], '.') : NULL;

	if (!end || strcmp(end, ".json") || strcmp(argv[first - 1], "--json"))
		return 0;
	return cli_fail("--json takes no file name; write --json -o %s", argv[first]);
}

/* stat, or replay or bare with its letter of options. */
static int count_for(int argc, char **argv, char letter)
{
	struct stat_options o = {
	    .n_run = 1, .has_big_num = true, .export = rpt_human, .separator = ","};
	struct cli_column column[1 + SES_MORE_COLUMNS] = {0};
	int help = 0;
	size_t n;
	int code;

	bear_usr1();
	cli_run_open(&o.run);
	code = cli_run_read(&o.run, argc, argv, letter, stat_option, &o, &help);
	if (help)
		return cli_help(argv[0], help);
	if (!code)
		code = refuse_file_of_json(argc, argv, cli_first_argument());
	if (!code)
		code = letter == 'Y' ? cli_replay_open(&o.replay, &o.run, o.has_cpu, argc, argv,
						       cli_first_argument())
		       : letter == 'M'
			   ? cli_bare_open(&o.bare, &o.run, argc, argv, cli_first_argument())
			   : cli_run_program(&o.run, argv[0], argc, argv, cli_first_argument());
	if (!code)
		code = cli_columns_machines(&o.columns, &o.run);
	n = o.columns.n > 1 ? o.columns.n : 1;
	if (!code)
		code = cli_against_open(&o.against, &o.run, o.metric_names != NULL, n);
	if (!code)
		code = cli_backend_choose(&o.backend, &o.run, o.metric_names != NULL);
	o.run.cfg.gate = cli_control_gate(&o.control);
	if (!code)
		code = choose(&o, column, n);
	if (!code)
		code = run_and_report(&o, column, n);
	cli_control_close(&o.control);
	cli_diagram_close(&o.diagram);
	for (size_t i = 0; i < n; i++)
		cli_column_free(&column[i]);
	cli_against_close(&o.against);
	cli_backend_free(&o.backend);
	cli_replay_close(&o.replay);
	cli_bare_close(&o.bare);
	cli_run_free(&o.run);
	return code;
}

int cmd_stat(int argc, char **argv)
{
	return count_for(argc, argv, 'S');
}

int cmd_replay(int argc, char **argv)
{
	return count_for(argc, argv, 'Y');
}

int cmd_bare(int argc, char **argv)
{
	return count_for(argc, argv, 'M');
}
