/* cmd_stat.c -- softpmu stat: run a program, count events, report. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/backend.h"
#include "cli/board.h"
#include "cli/cli.h"
#include "cli/columns.h"
#include "cli/options.h"
#include "cli/run_options.h"
#include "hw/run.h"
#include "report/report.h"
#include "session/counting.h"
#include "session/groups.h"

#define MOST_RUNS 10000

struct stat_options {
	struct cli_run run;
	const char *metric_names;
	const char *separator;
	int (*export)(const struct rpt_report *r, FILE *out);
	unsigned n_run, n_counters;
	bool has_big_num, is_verbose;
	struct ses_counter_plan plan; /* of --counters */
	struct cli_columns columns;   /* --cpu A,B,C */
	struct cli_backend backend;
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

/* Returns 1 taken, 0 not ours, -1 after a message. */
static int stat_option(struct stat_options *o, int option, const char *value)
{
	switch (option) {
	case OPT_cpu:
		o->columns.n = 0;
		return strchr(value, ',') ? cli_columns_option(&o->columns, value) : 0;
	case OPT_metrics:
		o->metric_names = value;
		return 1;
	case OPT_backend:
		return cli_backend_option(&o->backend, value);
	case OPT_repeat:
		return set_count("-r", value, MOST_RUNS, &o->n_run);
	case OPT_counters:
		return set_count("--counters", value, 64, &o->n_counters);
	case OPT_field_separator:
		return set_separator(o, value);
	case OPT_json_output:
		o->export = rpt_perf_json;
		return 1;
	case OPT_json:
		o->export = rpt_json;
		return 1;
	case OPT_no_big_num:
		o->has_big_num = false;
		return 1;
	case OPT_per_thread:
		o->run.cfg.keeps_threads = true;
		return 1;
	case OPT_per_process:
		o->run.cfg.keeps_processes = true;
		return 1;
	case OPT_verbose:
		o->is_verbose = true;
		return 1;
	default:
		return 0;
	}
}

static int read_options(struct stat_options *o, int argc, char **argv, bool *is_help)
{
	const char *value;

	for (;;) {
		int option = cli_next_option(argc, argv, 'S', &value), rc;

		if (option < 0)
			return CLI_FAILED;
		if (option == OPT_END)
			return 0;
		if (option == OPT_help) {
			*is_help = true;
			return 0;
		}
		cli_backend_note(&o->backend, option);
		rc = stat_option(o, option, value);
		if (!rc)
			rc = cli_run_option(&o->run, option, value);
		if (rc < 0)
			return CLI_FAILED;
	}
}

/* What is counted, and which metrics go beside it. */
static int choose(struct stat_options *o, struct ses_events *events,
                  struct ses_metrics *metrics)
{
	const struct cat_cpu *cpu = o->run.cfg.model.cpu;
	struct spmu_error err;
	int code, rc = 0;

	if (o->backend.is_hw) {
		cpu = cli_backend_cpu(&o->backend);
		code = cli_backend_events(&o->backend, events);
	} else {
		code = cli_run_events(&o->run, events);
	}
	if (code)
		return code;
	if (o->metric_names)
		rc = ses_metrics_named(cpu, o->metric_names, metrics, events, &err);
	if (!rc && !events->n)
		rc = ses_events_default(cpu, events, &err);
	if (!rc && !o->metric_names)
		rc = ses_metrics_of(cpu, events, metrics, &err);
	if (!rc && o->n_counters)
		rc = ses_plan_counters(events, o->n_counters, &o->plan, &err);
	return rc ? cli_complain(&err) : 0;
}

/* One run, by whoever counts. */
static int run_once(const struct stat_options *o, const struct ses_config *cfg, struct ses_result *result,
                    struct spmu_error *err)
{
	const struct hw_config hw = { .events = &o->backend.events, .argv = cfg->argv, .envp = cfg->envp,
		                      .is_alone = cfg->is_alone };

	return o->backend.is_hw ? hw_run(&hw, result, err) : ses_run(cfg, result, err);
}

/* Run up to n_run times. *n receives the number of runs that gave counts; err the trouble that
 * ended the last one early, if any. Returns 0 when there is something to report. */
static int run_all(const struct stat_options *o, const struct ses_events *events,
                   struct ses_result *run, size_t *n, struct spmu_error *err)
{
	struct ses_config cfg = o->run.cfg;

	cfg.event = events->event;
	cfg.n_event = events->n;
	for (*n = 0; *n < o->n_run;) {
		int rc;

		cfg.seed = o->run.cfg.seed + (o->run.has_seed ? *n : 0);
		cfg.model.phys_seed = o->run.cfg.model.phys_seed + (o->run.has_seed ? *n : 0);
		err->code = 0;
		rc = run_once(o, &cfg, &run[*n], err);
		if (rc && !(run[*n].count && run[*n].instructions)) {
			ses_result_free(&run[*n]);
			return *n ? 0 : rc;
		}
		if (o->n_counters)
			ses_count_in_registers(cfg.model.cpu, events, &o->plan, run[*n].count);
		(*n)++;
		if (rc || run[*n - 1].interrupted)
			break;
	}
	return 0;
}

static int report(const struct stat_options *o, const struct ses_events *events,
                  const struct ses_metrics *metrics, const struct ses_result *run, size_t n,
                  const char *trouble, FILE *out)
{
	struct ses_count *mean = calloc(events->n + 1, sizeof(*mean));
	struct rpt_report r = { .cpu = o->backend.is_hw ? cli_backend_cpu(&o->backend) : o->run.cfg.model.cpu,
		                .machine = o->backend.is_hw ? o->backend.machine.name : NULL,
		                .chosen = *o->backend.chosen ? o->backend.chosen : NULL,
		                .argv = o->run.cfg.argv,
		                .events = events,
		                .metrics = metrics,
		                .run = run,
		                .n_run = n,
		                .count = mean,
		                .seed = o->run.cfg.seed,
		                .n_cpus = o->run.cfg.model.n_cpus,
		                .separator = o->separator,
		                .plan = o->n_counters ? &o->plan : NULL,
		                .trouble = trouble,
		                .has_big_num = o->has_big_num,
		                .is_alone = o->run.cfg.is_alone,
		                .wrong_path = cli_wrong_path_name(&o->run.cfg.model),
		                .has_trace = o->run.cfg.trace_file != NULL,
		                .is_quiet = o->run.is_quiet,
		                .is_verbose = o->is_verbose };
	int rc = -SPMU_ENOMEM;

	if (mean) {
		rpt_means(events, run, n, mean);
		rc = o->export(&r, out);
	}
	free(mean);
	return rc ? cli_fail("out of memory for the report") : 0;
}

/* Everything is chosen: run and report. */
static int count(const struct stat_options *o, const struct ses_events *events,
                 const struct ses_metrics *metrics)
{
	struct ses_result *run = calloc(o->n_run, sizeof(*run));
	FILE *out = run ? cli_run_output(&o->run) : NULL;
	struct spmu_error err = { 0 };
	size_t n = 0;
	int code = CLI_FAILED;

	if (!run)
		return cli_fail("out of memory for %u runs", o->n_run);
	if (!out)
		goto done;
	if (run_all(o, events, run, &n, &err)) {
		code = cli_complain(&err);
		cli_run_close_output(&o->run, out, code);
		goto done;
	}
	if (!err.code)
		cli_run_say_signal(&o->run, &run[n - 1]);
	code = report(o, events, metrics, run, n, err.code ? err.text : NULL, out);
	if (!code && err.code) /* perf's table has said it already when it goes to the terminal */
		code = out == stderr && o->export == rpt_human ? cli_exit_code(&err)
		                                               : cli_complain(&err);
	else if (!code)
		code = cli_run_exit_code(&run[n - 1]);
	code = cli_run_close_output(&o->run, out, code);
done:
	for (size_t i = 0; i < n; i++)
		ses_result_free(&run[i]);
	free(run);
	return code;
}

/* Several processors: what is of one processor or one layout does not go with them. */
static int count_columns(const struct stat_options *o)
{
	if (o->metric_names || o->n_run > 1 || o->n_counters || o->run.cfg.keeps_threads || o->run.cfg.keeps_processes ||
	    o->run.cfg.trace_file)
		return cli_fail("--cpu with several processors: -M, -r, --counters, --per-thread, --per-process and --trace "
		                "are for one processor");
	if (o->export != rpt_human && o->export != rpt_json)
		return cli_fail("--cpu with several processors: as a table or with --json");
	return cli_columns_count(&o->columns, &o->run, o->export == rpt_json ? rpt_columns_json : rpt_columns_human);
}

int cmd_stat(int argc, char **argv)
{
	struct stat_options o = {
		.n_run = 1, .has_big_num = true, .export = rpt_human, .separator = ","
	};
	struct ses_events events = { 0 };
	struct ses_metrics metrics = { 0 };
	bool is_help = false;
	int code;

	cli_run_open(&o.run);
	code = read_options(&o, argc, argv, &is_help);
	if (is_help)
		return cmd_help(2, (char *[]){ argv[0], argv[0], NULL });
	if (!code)
		code = cli_run_program(&o.run, argv[0], argc, argv, cli_first_argument());
	if (!code)
		code = cli_backend_choose(&o.backend, &o.run);
	if (!code && o.columns.n > 1) {
		code = count_columns(&o);
		cli_backend_free(&o.backend);
		cli_run_free(&o.run);
		return code;
	}
	if (!code)
		code = choose(&o, &events, &metrics);
	if (!code)
		code = count(&o, &events, &metrics);
	cli_backend_free(&o.backend);
	ses_counter_plan_free(&o.plan);
	ses_metrics_free(&metrics);
	ses_events_free(&events);
	cli_run_free(&o.run);
	return code;
}
