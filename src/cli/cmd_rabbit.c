/* cmd_rabbit.c -- softpmu rabbit: pairs of events, sampled in turn by the model's clock
 * (src/rabbit).
 *
 * The run is that of softpmu stat with all the events of all pairs; which sample belongs to which
 * pair is decided afterwards. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/run_options.h"
#include "cli/stat/runs.h"
#include "rabbit/describe.h"
#include "rabbit/files.h"
#include "rabbit/options.h"
#include "rabbit/pairs.h"
#include "rabbit/registers.h"
#include "rabbit/report.h"
#include "rabbit/samples.h"
#include "session/serve/intervals.h"

#define CLK_PER_MHZ 1e6

struct rabbit {
	struct rbt_options options;
	struct cli_run run;
	struct rbt_pairs pairs;
	struct rbt_samples samples;
	struct rbt_files *files;
	struct ses_intervals_config intervals;
	uint32_t mhz;	 /* of seconds */
	uint64_t n_told; /* samples that the session reported */
};

static const enum cli_option host_options[] = {
    [RBT_cpu] = OPT_cpu, [RBT_env] = OPT_env, [RBT_seed] = OPT_seed, [RBT_o] = OPT_output};

/* Options of softpmu stat that rabbit takes, too. */
static int take_host_options(struct rabbit *r)
{
	for (unsigned i = 0; i < r->options.n_host; i++)
		if (cli_run_option(&r->run, host_options[r->options.host[i].option],
				   r->options.host[i].value) < 0)
			return CLI_FAILED;
	if (r->run.own_env)
		r->run.cfg.ld_cache = SES_LD_CACHE_OWN;
	r->mhz = r->options.mhz ? r->options.mhz : r->run.cfg.model.cpu->core_mhz;
	return 0;
}

/* ---- information -------------------------------------------------------------------------- */

static bool wants_information(const struct rbt_options *o)
{
	return o->wants_names || o->wants_descriptions || o->wants_registers ||
	       o->wants_processor || o->wants_mhz;
}

static int describe_named(struct rabbit *r, FILE *out)
{
	const struct cat_cpu *cpu = r->pairs.cpu;

	for (unsigned i = 0; i < r->options.n_named; i++) {
		struct evt_event e[2];
		struct spmu_error err, ignored;
		const bool is_on_0 = !rbt_event_find(cpu, r->options.named[i], 0, &e[0], &err);
		const bool is_on_1 = !rbt_event_find(cpu, r->options.named[i], 1, &e[1], &ignored);

		if (!is_on_0 && !is_on_1)
			return cli_complain(&err);
		if (is_on_0)
			rbt_describe_event(cpu, e[0].event, out);
		if (is_on_1 &&
		    (!is_on_0 || e[1].event != e[0].event)) /* a Pentium's counters differ */
			rbt_describe_event(cpu, e[1].event, out);
	}
	return 0;
}

static int print_information(struct rabbit *r, FILE *out)
{
	const struct rbt_options *o = &r->options;
	const bool has_pairs = o->n_pair || o->group || o->input;
	int code = 0;

	if (o->wants_processor)
		rbt_print_processor(r->pairs.cpu, out);
	if (o->wants_mhz)
		rbt_print_clocks(r->pairs.cpu, r->mhz, out);
	if (o->wants_names)
		rbt_list_events(r->pairs.cpu, out);
	if (o->wants_descriptions && o->n_named)
		code = describe_named(r, out);
	else if (o->wants_descriptions)
		rbt_describe_events(r->pairs.cpu, has_pairs ? &r->pairs : NULL, out);
	if (o->wants_registers && !code)
		rbt_registers_print(&r->pairs, out);
	return code;
}

/* ---- the run ------------------------------------------------------------------------------ */

static void take_sample(struct rabbit *r, const struct rbt_sample *s)
{
	const uint64_t round = r->pairs.n * r->options.rotate;

	rbt_samples_take(&r->samples, s);
	if (!r->files)
		return;
	rbt_files_write(r->files, rbt_samples_pair(&r->samples, s->number), s);
	if ((s->number + 1) % round == 0)
		rbt_files_round(r->files);
}

static void take_interval(void *ctx, const struct ses_interval *i)
{
	struct rabbit *r = ctx;
	const uint64_t every = r->intervals.every_clk;
	const struct rbt_sample s = {.number = r->n_told++,
				     .to_clk = i->to,
				     .is_partial = i->to < (i->from / every + 1) * every,
				     .count = i->count};

	if (!i->is_so_far)
		take_sample(r, &s);
	else
		r->n_told--;
}

/* -s 0: the run is the sample. */
static void take_whole_run(struct rabbit *r, const struct ses_result *run)
{
	const struct rbt_sample s = {.to_clk = run->count[RBT_CLOCK].value, .count = run->count};

	take_sample(r, &s);
}

static int open_samples(struct rabbit *r)
{
	const struct rbt_options *o = &r->options;
	struct spmu_error err;

	if (rbt_samples_open(&r->samples, &r->pairs, o->rotate, o->trim))
		return cli_fail("out of memory");
	if (o->output &&
	    rbt_files_open(o->output, &r->pairs, r->mhz, o->rate, o->flush, &r->files, &err))
		return cli_complain(&err);
	if (o->rate > 0) {
		r->intervals = (struct ses_intervals_config){
		    .every_clk = (uint64_t)(CLK_PER_MHZ * r->mhz / o->rate),
		    .clock = &r->pairs.events.event[RBT_CLOCK],
		    .tell = take_interval,
		    .ctx = r};
		r->run.cfg.intervals = &r->intervals;
	}
	return 0;
}

static int print_summary(struct rabbit *r, const struct ses_result *run, FILE *out)
{
	const struct rbt_report report = {.pairs = &r->pairs,
					  .samples = &r->samples,
					  .run = run,
					  .argv = r->run.cfg.argv,
					  .mhz = r->mhz,
					  .rate = r->options.rate,
					  .level = r->options.level};

	rbt_report_print(&report, out);
	return cli_run_close_output(&r->run, out, cli_run_exit_code(run));
}

/* Run the program and report. out: opened for the summary; closed in every case. */
static int count_program(struct rabbit *r, FILE *out)
{
	struct cli_column column = {.cpu = r->pairs.cpu, .events = r->pairs.events};
	struct cli_backend backend = {0};
	struct cli_runs runs = {.options = &r->run,
				.backend = &backend,
				.column = &column,
				.n_column = 1,
				.n_wanted = 1};
	struct spmu_error err = {0};
	int code = open_samples(r);

	if (code)
		return cli_run_close_output(&r->run, out, code);
	if (cli_runs_do(&runs, &err)) {
		code = cli_run_close_output(&r->run, out, cli_complain(&err));
	} else {
		const struct ses_result *run = &runs.result[0];

		if (r->options.rate <= 0)
			take_whole_run(r, run);
		cli_run_say_signal(&r->run, run);
		cli_run_say_remarks(run);
		code = print_summary(r, run, out);
		if (err.code) /* the run was refused on its way */
			code = cli_complain(&err);
	}
	if (rbt_files_close(r->files, &err))
		code = cli_complain(&err);
	r->files = NULL;
	cli_runs_free(&runs);
	return code;
}

/* Prints what comes before the run; without a run this is everything. */
static int inform(struct rabbit *r, int argc, FILE **out)
{
	const bool has_program = r->options.first < argc;
	int code;

	*out = NULL;
	if (!wants_information(&r->options) && !has_program)
		return cli_fail("rabbit: which program? write softpmu rabbit --e 0xc0,0xc2 PROGRAM "
				"[ARGS], or one "
				"of -l, -d, -I, -p and -mhz 0");
	if (!has_program && !r->run.output)
		return cli_close_stdout(print_information(r, stdout));
	*out = cli_run_output(&r->run);
	if (!*out)
		return CLI_FAILED;
	code = print_information(r, *out);
	if (!code && has_program)
		return 0;
	code = cli_run_close_output(&r->run, *out, code);
	*out = NULL;
	return code;
}

static int rabbit(struct rabbit *r, int argc, char **argv)
{
	struct spmu_error err;
	FILE *out;
	int code = take_host_options(r);

	if (code)
		return code;
	if (rbt_pairs_open(&r->pairs, r->run.cfg.model.cpu, &err) ||
	    rbt_pairs_choose(&r->pairs, &r->options, &err))
		return cli_complain(&err);
	code = inform(r, argc, &out);
	if (code || !out)
		return code;
	code = cli_run_program(&r->run, "rabbit", argc, argv, r->options.first);
	return code ? cli_run_close_output(&r->run, out, code) : count_program(r, out);
}

int cmd_rabbit(int argc, char **argv)
{
	struct rabbit r = {0};
	struct spmu_error err;
	int code;

	cli_run_open(&r.run);
	if (rbt_options_read(argc, argv, &r.options, &err))
		return cli_complain(&err);
	if (r.options.wants_help)
		return cli_help("rabbit", OPT_help);
	code = rabbit(&r, argc, argv);
	rbt_files_close(r.files, &err);
	rbt_samples_free(&r.samples);
	rbt_pairs_free(&r.pairs);
	cli_run_free(&r.run);
	return code;
}
