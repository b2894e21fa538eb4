/* cmd_record.c -- softpmu record: run a program, count events at every instruction, and keep that
 * in a file. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bare/bare.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/run_options.h"
#include "cli/screen.h"
#include "cli/stat/control.h"
#include "cli/stat/replay.h"
#include "cli/where/kallsyms.h"
#include "cli/where/recordable.h"
#include "cli/where/reader.h"
#include "cli/where/recording.h"
#include "cli/where/top.h"
#include "event/groups.h"
#include "report/report.h"
#include "session/bare.h"
#include "session/totals/counting.h"

#define TOP 10u

struct record_options {
	struct cli_run run;
	const char *file;
	char *path; /* what -o names; owned */
	const char *sort;
	const char *metric_names;
	struct cli_control control;
	struct cli_function function;	/* that --region may name */
	struct cli_replay replay;	/* --from-trace */
	const char *trace;		/* what it names, or NULL */
	struct cli_bare bare;		/* a machine in place of a program */
	const char *kallsyms, *vmlinux; /* files with the names of its kernel, or NULL */
	struct ses_jit_names names;	/* that it has */
	int live;			/* the first option that wants a program to run; 0: none */
	bool has_big_num, has_cpu;
	bool is_default; /* nobody asked for events */
};

/* Does the option say something about counting, not about running a program? Those are replay's,
 * and some that record alone has. */
static bool is_for_traces(int option)
{
	static const int own[] = {OPT_stacks,	  OPT_record_file, OPT_from_trace, OPT_sort,
				  OPT_no_big_num, OPT_per_thread,  OPT_region};
	struct cli_option_row row;

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (own[i] == option)
			return true;
	for (size_t i = 0; cli_option_at('Y', i, &row); i++)
		if (row.option == option)
			return true;
	return false;
}

/* Refuses an option that stat has and record has not, and says why. Returns -1 after the
 * message. */
static int refuse_option(int option)
{
	static const struct {
		int option;
		const char *why;
	} reason[] = {
	    {OPT_repeat, "-r: a record is of one run, and counts repeat to the digit; softpmu stat "
			 "-r shows spreads"},
	    {OPT_field_separator, "-x: a record is a file; softpmu report --json reads it, and "
				  "softpmu stat -x prints totals"},
	    {OPT_json_output, "-j: a record is a file; softpmu report --json reads it, and softpmu "
			      "stat -j prints totals"},
	    {OPT_json, "--json: a record is a file; softpmu report --json reads it"},
	};

	for (size_t i = 0; i < sizeof(reason) / sizeof(reason[0]); i++)
		if (reason[i].option == option)
			cli_fail("record %s", reason[i].why);
	return -1;
}

static int set_stacks(struct record_options *o, const char *value)
{
	o->run.cfg.keeps_paths = !strcmp(value, "on");
	if (o->run.cfg.keeps_paths || !strcmp(value, "off"))
		return 1;
	cli_fail("--stacks %s: choose on or off", value);
	return -1;
}

/* Returns 1 taken, 0 not ours, -1 after a message. */
static int record_option(void *own, int option, const char *value)
{
	struct record_options *o = own;

	if (!o->live && !is_for_traces(option))
		o->live = option;
	switch (option) {
	case OPT_from_trace: o->trace = value; return 1;
	case OPT_cpu:
		o->has_cpu = true;
		if (!strchr(value, ','))
			return 0;
		cli_fail("record --cpu %s: a record is of one processor; run softpmu record once "
			 "for each",
			 value);
		return -1;
	case OPT_record_file: o->file = value; return 1;
	case OPT_stacks: return set_stacks(o, value);
	case OPT_sort: o->sort = value; return 1;
	case OPT_metrics: o->metric_names = value; return 1;
	case OPT_region:
		o->run.cfg.keeps_regions = true;
		return cli_control_region(&o->control, value);
	case OPT_control: return cli_control_option(&o->control, value);
	case OPT_delay: return cli_control_delay(&o->control, value);
	case OPT_per_thread: o->run.cfg.keeps_threads = true; return 1;
	case OPT_no_big_num: o->has_big_num = false; return 1;
	case OPT_repeat:
	case OPT_field_separator:
	case OPT_json_output:
	case OPT_json: return refuse_option(option);
	case OPT_kallsyms: o->kallsyms = value; return 1;
	case OPT_vmlinux: o->vmlinux = value; return 1;
	default: return cli_bare_option(&o->bare, option, value);
	}
}

/* sort: number of the event, or -1: what readers want first. */
static void print_top(const struct rec_out *file, int64_t sort, FILE *out)
{
	struct spmu_error err;
	struct rec *rec = NULL;
	struct nm *names = nm_open();
	struct whr_table table = {0};
	struct whr_intervals intervals = {0};
	const char *changed;

	if (names && !rec_parse(file->bytes.at, file->bytes.n, "the record", &rec, &err) &&
	    !whr_build(&table, rec, names, WHR_FUNCTION, &changed)) {
		const bool has = whr_has_intervals(rec) &&
				 !whr_intervals_build(&intervals, rec, names, WHR_FUNCTION);
		const uint32_t event = sort < 0 ? cli_record_chief(rec) : (uint32_t)sort;
		const struct cli_top top = {.rec = rec,
					    .intervals = has ? &intervals : NULL,
					    .table = &table,
					    .event = {event},
					    .n_event = 1,
					    .most = TOP,
					    .screen = cli_screen(out, CLI_COLOR_AUTO)};

		whr_sort(&table, event);
		if (table.n) {
			fprintf(out, " The %u functions that cost most:\n\n", TOP);
			cli_top_print(&top, out);
		} else {
			fputs(" Nothing was counted.\n", out);
		}
		if (nm_trouble(names))
			fprintf(out, " Note: %s.\n", nm_trouble(names));
		if (changed)
			fprintf(out,
				" Note: '%s' is not the file that was executed: it was built "
				"anew, or is gone; its functions have no names.\n",
				changed);
		fputc('\n', out);
	}
	whr_intervals_free(&intervals);
	whr_free(&table);
	rec_close(rec);
	nm_close(names);
}

/* The run is over, and has counts. Returns the exit code. */
static int keep(struct record_options *o, const struct evt_events *events,
		const struct evt_metrics *metrics, const struct ses_result *run, uint32_t sort,
		const struct spmu_error *trouble)
{
	const struct rpt_report report = {
	    .cpu = o->run.cfg.model.cpu,
	    .argv = o->run.cfg.argv,
	    .events = events,
	    .metrics = metrics,
	    .run = run,
	    .n_run = 1,
	    .count = run->count,
	    .seed = o->run.cfg.seed,
	    .sample_every = o->run.cfg.model.p6.sample_every,
	    .n_cpus = o->run.cfg.model.n_cpus,
	    .separator = ",",
	    .trouble = trouble->code ? trouble->text : NULL,
	    .has_big_num = o->has_big_num,
	    .is_alone = o->run.cfg.is_alone,
	    .is_bare = o->run.cfg.bare != NULL,
	    .is_default = o->is_default,
	    .screen = cli_screen(stderr, CLI_COLOR_AUTO),
	    .is_quiet = o->run.is_quiet,
	};
	const char *path = o->path;
	struct rec_out file = {0};
	struct spmu_error err = {0};
	int rc;

	if (o->run.is_quiet && report.trouble)
		cli_complain(trouble);
	if (!o->run.is_quiet && rpt_human(&report, stderr))
		return cli_fail("out of memory for the report");
	rc = cli_recording(&file, &o->run, events, run, o->trace ? &o->replay.in : NULL,
			   o->run.cfg.bare ? &o->names : NULL, report.trouble)
		 ? spmu_fail(&err, SPMU_ENOMEM, "out of memory for the record")
		 : rec_out_save(&file, path, &err);
	if (!rc && !o->run.is_quiet) {
		print_top(&file, o->sort ? (int64_t)sort : -1, stderr);
		fprintf(stderr, " %zu bytes in %s\n", file.bytes.n, path);
		if (!o->file)
			cli_run_note_output(&o->run, "record", path);
	}
	rec_out_free(&file);
	return rc ? cli_complain(&err) : 0;
}

/* A region may be a function, too. Returns 0 or -SPMU_ENOMEM. */
static int set_function(struct record_options *o)
{
	if (!o->control.gate.region)
		return 0;
	if (cli_function_open(&o->function, o->control.gate.region))
		return -SPMU_ENOMEM;
	o->control.function = &o->function;
	o->run.cfg.function = &o->function.of;
	return 0;
}

/* Count the trace, the machine or the program. */
static int run_it(const struct record_options *o, const struct ses_config *cfg,
		  struct ses_result *run, struct spmu_error *err)
{
	return o->trace	   ? ses_replay(cfg, o->trace, run, err)
	       : cfg->bare ? ses_bare(cfg, run, err)
			   : ses_run(cfg, run, err);
}

static int record(struct record_options *o, const struct evt_events *events,
		  const struct evt_metrics *metrics, uint32_t sort)
{
	struct ses_config cfg;
	struct ses_result run = {0};
	struct spmu_error err = {0};
	int rc, code;

	o->run.cfg.gate = cli_control_gate(&o->control);
	if (set_function(o))
		return cli_fail("out of memory");
	cfg = o->run.cfg;
	cfg.event = events->event;
	cfg.n_event = events->n;
	cfg.keeps_places = true;
	rc = run_it(o, &cfg, &run, &err);
	if (rc && (!run.n_placed || !run.instructions)) {
		code = cli_complain(&err);
	} else {
		if (!rc && o->trace && !o->run.is_quiet)
			cli_replay_say_ending(&o->replay);
		if (!rc && !o->trace) {
			cli_run_say_remarks(&run);
			cli_run_say_signal(&o->run, &run);
		}
		code = rc ? 0 : cli_control_regions(&o->control, &run);
		if (!code)
			code = keep(o, events, metrics, &run, sort, &err);
		if (!code)
			code = rc ? cli_exit_code(&err) : o->trace ? 0 : cli_run_exit_code(&run);
	}
	ses_result_free(&run);
	return code;
}

/* Refuse what does not go with --clocks sampled. Returns 0, or CLI_FAILED after a message. */
static int refuse_samples(const struct record_options *o)
{
	if (o->run.cfg.model.p6.sample_full)
		return cli_fail("record --clocks auto: a record is exact as a whole or estimated "
				"as a whole; write --clocks sampled, or leave it away");
	return cli_run_refuse_samples(&o->run, o->run.cfg.keeps_threads ? "--per-thread"
					       : o->run.cfg.gate ? "--region, --control or --delay"
								 : NULL);
}

/* What -o names. */
static int name_file(struct record_options *o)
{
	const char *name = o->file ? o->file : REC_DEFAULT;

	if (cli_output_refuse_ranks(name, false))
		return CLI_FAILED;
	o->path = cli_output_name(name, false);
	return o->path ? 0 : CLI_FAILED;
}

/* A machine is one stream without processes, calls and marks. Returns 0 or an exit code after a
 * message. */
static int open_machine(struct record_options *o, int argc, char **argv)
{
	const struct ses_config *cfg = &o->run.cfg;
	const char *what = cfg->keeps_paths		   ? "--stacks on"
			   : cfg->keeps_threads		   ? "--per-thread"
			   : cfg->is_alone		   ? "--no-inherit"
			   : cli_control_gate(&o->control) ? "--region, --control and --delay"
							   : NULL;

	if (o->trace)
		return cli_fail("record --from-trace: a trace is of a program that ran; leave the "
				"machine away");
	if (what)
		return cli_fail("record %s: of a machine softpmu knows no calls, threads and "
				"processes; leave it away",
				what);
	if (o->kallsyms && o->vmlinux)
		return cli_fail("--kallsyms and --vmlinux: both name the kernel's code; leave one "
				"of them away");
	if (o->kallsyms && cli_kallsyms_read(o->kallsyms, &o->names))
		return CLI_FAILED;
	if (o->vmlinux && cli_vmlinux_read(o->vmlinux, &o->names))
		return CLI_FAILED;
	return cli_bare_open(&o->bare, &o->run, argc, argv, cli_first_argument());
}

/* What is counted: a program, a machine, or the trace of a program. Returns 0 or an exit code after
 * a message. */
static int open_source(struct record_options *o, int argc, char **argv)
{
	const int first = cli_first_argument();
	char name[32], *path = (char *)(uintptr_t)o->trace;

	if (cli_bare_is_meant(&o->bare))
		return open_machine(o, argc, argv);
	if (o->kallsyms || o->vmlinux)
		return cli_fail("--%s %s: it names the code of --kernel",
				o->kallsyms ? "kallsyms" : "vmlinux",
				o->kallsyms ? o->kallsyms : o->vmlinux);
	if (o->bare.has_no_os || o->bare.has_no_usr)
		return cli_fail("--os and --usr: a program is counted in user mode alone; of a "
				"machine (--kernel) they choose the mode");
	if (!o->trace)
		return cli_run_program(&o->run, argv[0], argc, argv, first);
	if (first < argc)
		return cli_fail("record --from-trace: no program is run, so nothing stands behind "
				"the options; '%s' does",
				argv[first]);
	if (o->live) {
		cli_option_name(o->live, name);
		return cli_fail("record --from-trace: --%s is for a program that runs; the run of "
				"'%s' is over",
				name, path);
	}
	return cli_replay_open(&o->replay, &o->run, o->has_cpu, 1, &path, 0);
}

int cmd_record(int argc, char **argv)
{
	struct record_options o = {.has_big_num = true};
	struct evt_events events = {0};
	struct evt_metrics metrics = {0};
	struct spmu_error err;
	uint32_t sort = 0;
	int help = 0, code;

	cli_run_open(&o.run);
	code = cli_run_read(&o.run, argc, argv, 'K', record_option, &o, &help);
	if (help)
		return cli_help(argv[0], help);
	if (!code)
		code = open_source(&o, argc, argv);
	if (!code)
		code = cli_run_events(&o.run, o.run.cfg.model.cpu, &events);
	if (!code && o.metric_names &&
	    evt_metrics_named(o.run.cfg.model.cpu, o.metric_names, &metrics, &events, &err))
		code = cli_complain(&err);
	o.is_default = !events.n;
	if (!code && !events.n && evt_events_default(o.run.cfg.model.cpu, &events, &err))
		code = cli_complain(&err);
	if (!code && !o.metric_names &&
	    evt_metrics_of(o.run.cfg.model.cpu, &events, &metrics, &err))
		code = cli_complain(&err);
	if (!code)
		code = cli_bare_modes(&o.bare, &events);
	if (!code)
		code = cli_recordable("record", o.run.cfg.model.cpu, &events);
	if (!code)
		code = cli_control_check(&o.control);
	if (!code)
		code = refuse_samples(&o);
	if (!code)
		code = cli_recordable_sort(o.sort, &events, &sort);
	if (!code)
		code = name_file(&o);
	if (!code)
		code = record(&o, &events, &metrics, sort);
	cli_control_close(&o.control);
	cli_function_close(&o.function);
	cli_replay_close(&o.replay);
	cli_bare_close(&o.bare);
	ses_jit_free(&o.names);
	free(o.path);
	evt_metrics_free(&metrics);
	evt_events_free(&events);
	cli_run_free(&o.run);
	return code;
}
