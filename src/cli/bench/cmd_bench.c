/* cmd_bench.c -- softpmu bench: commands compared, as hyperfine does it, by counts. What is run and
 * what counts is in bench.h.
 *
 * Exit status: 0; 3 when a limit is broken, 4 when an interval leaves one open, 2 when one cannot
 * be judged.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/bench/bench.h"
#include "cli/cli.h"
#include "cli/options.h"

#define MOST_RUNS 1000

struct bench_options {
	struct cli_bench bench;
	const char *name[CLI_MOST_COMMANDS];
	int (*layout)(const struct cli_bench *b, FILE *out);
};

static int set_runs(struct cli_bench *b, const char *value)
{
	char *end;
	const unsigned long n = strtoul(value, &end, 10);

	if (*end || end == value || n < 1 || n > MOST_RUNS) {
		cli_fail("-r %s: a number from 1 to %d is wanted", value, MOST_RUNS);
		return -1;
	}
	b->n_wanted = (unsigned)n;
	return 1;
}

static int add_name(struct bench_options *o, const char *value)
{
	if (o->bench.n_name == CLI_MOST_COMMANDS) {
		cli_fail("-n %s: %u commands are the most", value, CLI_MOST_COMMANDS);
		return -1;
	}
	o->name[o->bench.n_name++] = value;
	return 1;
}

static int refuse_warm_up(const char *value)
{
	cli_fail("bench --warmup %s: there is nothing to warm; the modelled machine's caches are "
		 "empty when a program starts, and this machine's do not count; leave it away",
		 value);
	return -1;
}

static int refuse_columns(const char *value)
{
	cli_fail("bench --cpu %s: commands are compared on one processor; run softpmu bench once "
		 "for each",
		 value);
	return -1;
}

/* Returns 1 taken, 0 not ours, -1 after a message. */
static int bench_option(void *own, int option, const char *value)
{
	struct bench_options *o = own;
	struct cli_bench *b = &o->bench;

	switch (option) {
	case OPT_cpu: return strchr(value, ',') ? refuse_columns(value) : 0;
	case OPT_repeat: return set_runs(b, value);
	case OPT_command_name: return add_name(o, value);
	case OPT_setup: b->setup = value; return 1;
	case OPT_prepare: b->prepare = value; return 1;
	case OPT_conclude: b->conclude = value; return 1;
	case OPT_cleanup: b->cleanup = value; return 1;
	case OPT_show_output: b->is_shown = true; return 1;
	case OPT_ignore_failure: b->takes_failures = true; return 1;
	case OPT_warmup: return refuse_warm_up(value);
	case OPT_limit: return cli_limit_option(&b->limits, value);
	case OPT_both_ways: b->limits.is_both_ways = true; return 1;
	case OPT_sort: b->sort_name = value; return 1;
	case OPT_json: o->layout = cli_bench_json; return 1;
	case OPT_markdown: o->layout = cli_bench_markdown; return 1;
	case OPT_verbose: b->is_verbose = true; return 1;
	case OPT_color: return cli_color_option(value, &b->color);
	default: return cli_source_option(&b->sources, option, value);
	}
}

/* Read options and commands, in any order. Returns 0 or an exit code after a message. */
static int read_all(struct bench_options *o, int argc, char **argv, int *help)
{
	struct cli_bench *b = &o->bench;

	for (;;) {
		const int code = cli_run_read(&b->run, argc, argv, 'J', bench_option, o, help);

		if (code || *help || cli_first_argument() >= argc)
			return code;
		if (b->n_side == CLI_MOST_COMMANDS)
			return cli_fail("bench: %u commands are the most; compare fewer at a time",
					CLI_MOST_COMMANDS);
		b->side[b->n_side++].command.text = argv[cli_first_argument()];
		cli_skip_argument();
	}
}

/* All commands are known: take them apart. */
static int take_commands(struct bench_options *o)
{
	struct cli_bench *b = &o->bench;
	int code = 0;

	if (!b->n_side)
		return cli_fail("bench: which commands? write softpmu bench 'CMD A' 'CMD B'");
	if (b->n_name > b->n_side)
		return cli_fail("-n %s: it names command %zu, and there are %zu",
				o->name[b->n_side], b->n_side + 1, b->n_side);
	for (size_t i = 0; i < b->n_side; i++)
		b->has_shell |= cli_bench_needs_shell(b->side[i].command.text);
	for (size_t i = 0; i < b->n_side && !code; i++) {
		struct cli_bench_command *c = &b->side[i].command;

		code = cli_bench_command(c, c->text, b->has_shell);
		c->name = i < b->n_name ? o->name[i] : c->text;
	}
	return code ? code : cli_run_geometry(&b->run);
}

static void say(void *ctx, const char *sentence)
{
	cli_fail("%s", sentence);
}

static int bench(struct bench_options *o)
{
	struct cli_bench *b = &o->bench;
	int code = 0;

	for (size_t i = 0; i < b->n_side && !code; i++)
		code = cli_bench_measure(b, &b->side[i]);
	if (!code)
		code = o->layout(b, stdout);
	code = cli_close_stdout(code);
	return code ? code : cli_bench_judge(b, say, NULL);
}

int cmd_bench(int argc, char **argv)
{
	struct bench_options *o = calloc(1, sizeof(*o));
	struct cli_bench *b;
	int help = 0, code;

	if (!o)
		return cli_fail("out of memory for the commands");
	b = &o->bench;
	b->n_wanted = 1;
	o->layout = cli_bench_human;
	cli_run_open(&b->run);
	code = read_all(o, argc, argv, &help);
	if (help) {
		free(o);
		return cli_help(argv[0], help);
	}
	b->run.cfg.keeps_inputs = true;
	if (!code)
		code = take_commands(o);
	if (!code)
		code = cli_bench_choose(b);
	if (!code)
		code = cli_bench_check_limits(b);
	if (!code)
		code = bench(o);
	for (size_t i = 0; i < b->n_side; i++)
		cli_bench_side_free(&b->side[i]);
	evt_metrics_free(&b->parts);
	evt_events_free(&b->why);
	evt_events_free(&b->placed);
	evt_events_free(&b->events);
	cli_run_free(&b->run);
	free(o);
	return code;
}
