/* cmd_record.c -- softpmu record: run a program, count events at every instruction, and keep that
 * in a file. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/run_options.h"
#include "cli/screen.h"
#include "cli/where/recording.h"
#include "cli/where/top.h"
#include "event/groups.h"
#include "report/report.h"
#include "session/totals/counting.h"

#define TOP 10u

struct record_options {
	struct cli_run run;
	const char *file;
	const char *sort;
	const char *metric_names;
	unsigned timeout_ms;
	bool has_big_num;
};

/* What stat does and record does not, and why. Returns -1 after a message. */
static int refuse(int option)
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

static int set_timeout(struct record_options *o, const char *value)
{
	char *end;
	const unsigned long n = strtoul(value, &end, 10);

	if (*end || end == value || n < 1 || n > INT32_MAX) {
		cli_fail("--timeout %s: a number from 1 to %d is wanted", value, INT32_MAX);
		return -1;
	}
	o->run.cfg.timeout_ms = (uint32_t)n;
	return 1;
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

	switch (option) {
	case OPT_cpu:
		if (!strchr(value, ','))
			return 0;
		cli_fail("record --cpu %s: a record is of one processor; run softpmu record once "
			 "for each",
			 value);
		return -1;
	case OPT_record_file:
		o->file = value;
		return 1;
	case OPT_stacks:
		return set_stacks(o, value);
	case OPT_sort:
		o->sort = value;
		return 1;
	case OPT_metrics:
		o->metric_names = value;
		return 1;
	case OPT_timeout:
		return set_timeout(o, value);
	case OPT_no_big_num:
		o->has_big_num = false;
		return 1;
	case OPT_repeat:
	case OPT_field_separator:
	case OPT_json_output:
	case OPT_json:
		return refuse(option);
	default:
		return 0;
	}
}

/* How perf inside of softpmu run spells e: perf's own name as it was typed, else the bits of a P6's
 * event select register. "" where it cannot. */
static const char *perf_spelling(const struct cat_cpu *cpu, const struct evt_event *e, char *out,
				 size_t room)
{
	const char *level = e->user && e->kernel ? "" : e->user ? ":u" : ":k";
	char name[sizeof(e->name)];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(e->name, ":"), e->name);
	if (cat_find_generic_row(cpu, name) && !e->cmask && !e->edge && !e->inv)
		snprintf(out, room, "%s%s", name, level);
	else if (cpu->family == CAT_P6)
		snprintf(out, room, "r%x%s",
			 (unsigned)e->cmask << 24 | (unsigned)e->inv << 23 |
			     (unsigned)e->edge << 18 | (unsigned)e->umask << 8 | (e->code & 0xffu),
			 level);
	else
		*out = 0;
	return out;
}

/* An event that compares single clocks is refused, with what samples it. Returns an exit code. */
static int refuse_comparison(const struct cat_cpu *cpu, const struct evt_event *e)
{
	const bool is_default = !strcmp(cpu->name, CLI_DEFAULT_CPU);
	char spelled[160], before[160] = "", way[512] = "";

	/* perf has it when the run was asked for it */
	snprintf(before, sizeof(before), "-e %s ", e->name);
	if (*perf_spelling(cpu, e, spelled, sizeof(spelled)))
		snprintf(way, sizeof(way),
			 "softpmu run %s%s%s%sperf record -e %s -c 97 PROGRAM samples it, ",
			 is_default ? "" : "--cpu ", is_default ? "" : cpu->name,
			 is_default ? "" : " ", before, spelled);
	return cli_fail("record -e %s: it compares what is counted in each clock, which softpmu "
			"does not give to instructions yet; %ssoftpmu stat counts it",
			e->name, way);
}

/* Events that no instruction can be named for. */
static int refuse_events(const struct cat_cpu *cpu, const struct evt_events *events)
{
	if (cpu->family == CAT_TOY)
		return cli_fail("record --cpu %s: it has totals and no ledger of instructions; "
				"record a pentium or a pentium3",
				cpu->name);
	for (size_t i = 0; i < events->n; i++) {
		const struct evt_event *e = &events->event[i];

		if (e->software)
			return cli_fail("record -e %s: it is a figure of this machine for the "
					"whole run, and belongs to no instruction; "
					"softpmu stat counts it",
					e->name);
		if (e->watch || e->cmask || e->edge || e->inv)
			return refuse_comparison(cpu, e);
	}
	return 0;
}

/* The event that the table is sorted by. Returns 0, or an exit code after a message. */
static int sort_event(const struct record_options *o, const struct evt_events *events,
		      uint32_t *out)
{
	*out = 0;
	if (!o->sort)
		return 0;
	for (uint32_t i = 0; i < events->n; i++)
		if (!strcasecmp(events->event[i].name, o->sort)) {
			*out = i;
			return 0;
		}
	return cli_fail("--sort %s: it is not recorded; name one of the events of -e, as %s",
			o->sort, events->event[0].name);
}

static void print_top(const struct rec_out *file, uint32_t sort, FILE *out)
{
	struct spmu_error err;
	struct rec *rec = NULL;
	struct nm *names = nm_open();
	struct whr_table table = {0};
	const char *changed;

	if (names && !rec_parse(file->bytes.at, file->bytes.n, "the record", &rec, &err) &&
	    !whr_build(&table, rec, names, WHR_FUNCTION, &changed)) {
		const struct cli_top top = {.rec = rec,
					    .table = &table,
					    .event = {sort},
					    .n_event = 1,
					    .most = TOP,
					    .screen = cli_screen(out, CLI_COLOR_AUTO)};

		whr_sort(&table, sort);
		fprintf(out, " The %u functions that cost most:\n\n", TOP);
		cli_top_print(&top, out);
		if (nm_trouble(names))
			fprintf(out, " Note: %s.\n", nm_trouble(names));
		fputc('\n', out);
	}
	whr_free(&table);
	rec_close(rec);
	nm_close(names);
}

/* With the Pentium's clocks a record is dear. */
static void say_price(const struct cat_cpu *cpu, const struct evt_events *events, FILE *out)
{
	if (cpu->family == CAT_P5 && ses_tier_of(cpu, events->event, events->n) > 2)
		fputs(" Note: with clocks of a Pentium, record takes some ten times as long as "
		      "stat; events without clocks (--tier 2) are cheap.\n",
		      out);
}

/* The run is over, and has counts. Returns the exit code. */
static int keep(const struct record_options *o, const struct evt_events *events,
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
	    .n_cpus = o->run.cfg.model.n_cpus,
	    .separator = ",",
	    .trouble = trouble->code ? trouble->text : NULL,
	    .has_big_num = o->has_big_num,
	    .is_alone = o->run.cfg.is_alone,
	    .screen = cli_screen(stderr, CLI_COLOR_AUTO),
	    .is_quiet = o->run.is_quiet,
	};
	const char *path = o->file ? o->file : REC_DEFAULT;
	struct rec_out file = {0};
	struct spmu_error err = {0};
	int rc;

	if (rpt_human(&report, stderr))
		return cli_fail("out of memory for the report");
	rc = cli_recording(&file, &o->run, events, run, report.trouble)
		 ? spmu_fail(&err, SPMU_ENOMEM, "out of memory for the record")
		 : rec_out_save(&file, path, &err);
	if (!rc) {
		if (!o->run.is_quiet) {
			print_top(&file, sort, stderr);
			say_price(o->run.cfg.model.cpu, events, stderr);
		}
		fprintf(stderr, " %zu bytes in %s\n", file.bytes.n, path);
	}
	rec_out_free(&file);
	return rc ? cli_complain(&err) : 0;
}

static int record(struct record_options *o, const struct evt_events *events,
		  const struct evt_metrics *metrics, uint32_t sort)
{
	struct ses_config cfg = o->run.cfg;
	struct ses_result run = {0};
	struct spmu_error err = {0};
	int rc, code;

	cfg.event = events->event;
	cfg.n_event = events->n;
	cfg.keeps_places = true;
	rc = ses_run(&cfg, &run, &err);
	if (rc && !run.n_placed) {
		code = cli_complain(&err);
	} else {
		if (!rc) {
			cli_run_say_remarks(&run);
			cli_run_say_signal(&o->run, &run);
		}
		code = keep(o, events, metrics, &run, sort, &err);
		if (!code)
			code = rc ? cli_exit_code(&err) : cli_run_exit_code(&run);
	}
	ses_result_free(&run);
	return code;
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
		code = cli_run_program(&o.run, argv[0], argc, argv, cli_first_argument());
	if (!code)
		code = cli_run_events(&o.run, o.run.cfg.model.cpu, &events);
	if (!code && o.metric_names &&
	    evt_metrics_named(o.run.cfg.model.cpu, o.metric_names, &metrics, &events, &err))
		code = cli_complain(&err);
	if (!code && !events.n && evt_events_default(o.run.cfg.model.cpu, &events, &err))
		code = cli_complain(&err);
	if (!code && !o.metric_names &&
	    evt_metrics_of(o.run.cfg.model.cpu, &events, &metrics, &err))
		code = cli_complain(&err);
	if (!code)
		code = refuse_events(o.run.cfg.model.cpu, &events);
	if (!code && o.run.cfg.keeps_paths &&
	    ses_tier_of(o.run.cfg.model.cpu, events.event, events.n) == 3)
		code = cli_fail("record --stacks on: call paths have no events that need clocks; "
				"leave one of them away");
	if (!code)
		code = sort_event(&o, &events, &sort);
	if (!code)
		code = record(&o, &events, &metrics, sort);
	evt_metrics_free(&metrics);
	evt_events_free(&events);
	cli_run_free(&o.run);
	return code;
}
