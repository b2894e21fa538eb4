/* side.c -- measures one command of softpmu bench. Which runs there are is in bench.h. */
#include <stdlib.h>
#include <string.h>

#include "cli/bench/around.h"
#include "catalog/diagram.h"
#include "cli/bench/bench.h"
#include "cli/cli.h"
#include "cli/where/reader.h"
#include "cli/where/recordable.h"
#include "cli/where/recording.h"
#include "report/against/inputs.h"
#include "report/report.h"
#include "session/totals/counting.h"
#include "where/startup.h"

#define REASON_EVERY 256u	/* one unit in so many says why, behind ... */
#define REASON_FULL  (1u << 22) /* ... instructions that are looked at all: a second or so */
#define CLOCKS	     3		/* the tier of clocks */

/* ---- events ---------------------------------------------------------------------------------- */

static int add_all(struct evt_events *to, const struct evt_events *from)
{
	struct spmu_error err;

	for (size_t i = 0; i < from->n; i++)
		if (evt_events_add(to, &from->event[i], &err))
			return cli_complain(&err);
	return 0;
}

static int add_named(const struct cat_cpu *cpu, const char *names, struct evt_events *to)
{
	struct spmu_error err;

	return evt_parse_events(cpu, names, false, to, &err) ? cli_complain(&err) : 0;
}

/* With sampled clocks: what can be counted at each instruction. */
static int choose_placed(struct cli_bench *b)
{
	const struct cat_cpu *cpu = b->run.cfg.model.cpu;
	struct spmu_error err;

	for (size_t i = 0; i < b->events.n; i++) {
		const struct evt_event *e = &b->events.event[i];

		if (e->software || ses_tier_of(cpu, e, 1) == CLOCKS)
			continue;
		if (i == b->sort)
			b->placed_sort = (uint32_t)b->placed.n;
		if (evt_events_add(&b->placed, e, &err))
			return cli_complain(&err);
	}
	return b->placed.n ? 0 : add_named(cpu, "instructions", &b->placed);
}

/* The stalls of the block diagram. */
static int choose_stalls(const struct cat_diagram *d, struct cli_bench *b)
{
	const struct cat_cpu *cpu = b->run.cfg.model.cpu;

	for (size_t i = 0; d && i < d->n_part; i++) {
		const struct cat_event *e = d->part[i].event;
		int code = 0;

		if (!e || !cat_cpu_has_event(cpu, e))
			continue;
		if (evt_events_find(&b->why, e, e->default_umask) < 0)
			code = add_named(cpu, e->name, &b->why);
		if (code)
			return code;
		b->has_stalls = true;
	}
	return 0;
}

/* The parts of a P6's stack, which the model can sample, or a Pentium's stalls; where the event
 * that decides is one of clocks. */
static int choose_reasons(struct cli_bench *b)
{
	const struct ses_config *cfg = &b->run.cfg;
	struct spmu_error err;

	if (cfg->has_model_clock || cfg->model.n_cpus > 1 ||
	    ses_tier_of(cfg->model.cpu, &b->events.event[b->sort], 1) < CLOCKS)
		return 0;
	if (cfg->model.cpu->family == CAT_P5)
		return choose_stalls(cat_diagram_of(cfg->model.cpu), b);
	if (cfg->model.cpu->family != CAT_P6)
		return 0;
	if (evt_metrics_named(cfg->model.cpu, "cpi-stack", &b->parts, &b->why, &err))
		return cli_complain(&err);
	return 0;
}

int cli_bench_choose(struct cli_bench *b)
{
	const struct cat_cpu *cpu = b->run.cfg.model.cpu;
	int code = cli_run_events(&b->run, cpu, &b->events);

	if (!code && !b->events.n)
		code = add_named(cpu, "cycles,instructions", &b->events);
	b->is_sampled = b->run.cfg.model.p6.sample_every != 0;
	if (!code)
		code = cli_recordable("bench", cpu, &b->events);
	if (!code)
		code = cli_run_refuse_samples(&b->run, NULL);
	if (!code)
		code = cli_recordable_sort(b->sort_name, &b->events, &b->sort);
	b->placed_sort = b->sort;
	if (!code)
		code = b->is_sampled ? choose_placed(b) : add_all(&b->placed, &b->events);
	if (!code && b->is_sampled)
		code = add_all(&b->why, &b->events);
	if (!code && !b->why.n) /* an event that costs nothing */
		code = add_named(cpu, "instructions", &b->why);
	return code ? code : choose_reasons(b);
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* A run is over. Returns 0, or an exit code after a message when its counts are not to be used. */
static int look_at_end(const struct cli_bench *b, const struct cli_bench_side *s,
		       const struct ses_result *run)
{
	const int status = cli_run_exit_code(run);

	if (run->interrupted) {
		cli_run_say_signal(&b->run, run);
		return status;
	}
	if (!status || b->takes_failures)
		return 0;
	if (status > 128)
		return cli_fail("bench: '%s' was ended by signal %d; -i compares it all the same",
				s->command.text, status - 128);
	return cli_fail("bench: '%s' ended with status %d; -i compares it all the same",
			s->command.text, status);
}

/* The program of this side, between the user's commands. run: counts. */
static int between(struct cli_bench *b, struct cli_bench_side *s,
		   int (*run)(struct cli_bench *, struct cli_bench_side *, struct ses_result *),
		   struct ses_result *out)
{
	struct cli_bench_quiet quiet;
	int code = cli_bench_around("--prepare", b->prepare, b->is_shown);

	if (code)
		return code;
	b->run.cfg.argv = s->command.argv;
	cli_bench_hush(&quiet, b->is_shown);
	code = run(b, s, out);
	cli_bench_speak(&quiet);
	return code ? code : cli_bench_around("--conclude", b->conclude, b->is_shown);
}

static int run_placed(struct cli_bench *b, struct cli_bench_side *s, struct ses_result *out)
{
	struct ses_config cfg = b->run.cfg;
	struct spmu_error err = {0};

	cfg.event = b->placed.event;
	cfg.n_event = b->placed.n;
	cfg.keeps_places = true;
	cfg.model.p6.sample_every = 0;
	if (ses_run(&cfg, out, &err))
		return cli_complain(&err);
	return look_at_end(b, s, out);
}

/* Count events once. As in the first run, the program finds no counters of its own. */
static int run_events(const struct cli_bench *b, const struct cli_bench_side *s,
		      struct ses_config cfg, const struct evt_events *events,
		      struct ses_result *out)
{
	struct spmu_error err = {0};

	cfg.event = events->event;
	cfg.n_event = events->n;
	if (ses_run(&cfg, out, &err))
		return cli_complain(&err);
	return look_at_end(b, s, out);
}

static int run_reasons(struct cli_bench *b, struct cli_bench_side *s, struct ses_result *out)
{
	struct ses_config cfg = b->run.cfg;

	if (!b->is_sampled && b->parts.n) {
		cfg.model.p6.sample_every = REASON_EVERY;
		cfg.model.p6.sample_full = REASON_FULL;
	}
	return run_events(b, s, cfg, &b->why, out);
}

static int run_again(struct cli_bench *b, struct cli_bench_side *s, struct ses_result *out)
{
	return run_events(b, s, b->run.cfg, &b->events, out);
}

/* ---- counts ---------------------------------------------------------------------------------- */

/* Counts of single runs together. */
struct spread {
	uint64_t least, most;
	long double sum;
};

static void add_count(struct spread *s, const struct evt_count *c)
{
	s->least = c->value < s->least ? c->value : s->least;
	s->most = c->value > s->most ? c->value : s->most;
	s->sum += c->value;
}

static void close_counts(struct cli_bench_side *s, const struct spread *spread, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const uint64_t half = (spread[i].most - spread[i].least + 1) / 2;

		if (s->count[i].status != EVT_COUNTED)
			continue;
		s->count[i].value = (uint64_t)(spread[i].sum / s->n_run + 0.5L);
		s->count[i].half = s->count[i].half > half ? s->count[i].half : half;
	}
}

/* The events in as many runs as -r asks for, the first of which is done. */
static int count_again(struct cli_bench *b, struct cli_bench_side *s)
{
	struct spread *spread = calloc(b->events.n + 1, sizeof(*spread));
	int code = spread ? 0 : cli_fail("out of memory for the runs");

	for (size_t i = 0; !code && i < b->events.n; i++)
		spread[i] =
		    (struct spread){s->count[i].value, s->count[i].value, s->count[i].value};
	while (!code && s->n_run < b->n_wanted) {
		struct ses_result more = {0};

		code = between(b, s, run_again, &more);
		for (size_t i = 0; !code && i < b->events.n; i++)
			add_count(&spread[i], &more.count[i]);
		s->n_run += !code;
		ses_result_free(&more);
	}
	if (!code)
		close_counts(s, spread, b->events.n);
	free(spread);
	return code;
}

/* Did the two runs read the same, and execute as many instructions? */
static bool has_repeated(struct cli_bench_side *s)
{
	if (s->placed.input_digest == s->reasons.input_digest &&
	    s->placed.instructions == s->reasons.instructions)
		return true;
	rpt_runs_differ(&s->placed, &s->reasons, 1, s->unlike, sizeof(s->unlike));
	return false;
}

/* ---- places ---------------------------------------------------------------------------------- */

/* The first run as a record, and its functions. */
static int take_places(struct cli_bench *b, struct cli_bench_side *s)
{
	struct rec_out file = {0};
	struct spmu_error err = {0};
	const char *changed = NULL;
	struct nm *names;
	int rc;

	b->run.cfg.argv = s->command.argv;
	rc = cli_recording(&file, &b->run, &b->placed, &s->placed, NULL, NULL, NULL);
	rec_out_end(&file);
	rc = rc || file.bytes.is_lost
		 ? spmu_fail(&err, SPMU_ENOMEM, "out of memory for the record")
		 : rec_parse(file.bytes.at, file.bytes.n, "the record", &s->rec, &err);
	rec_out_free(&file);
	if (rc)
		return cli_complain(&err);
	names = cli_names(&b->sources);
	rc = !names || whr_build(&s->function, s->rec, names, WHR_FUNCTION, &changed);
	if (!rc)
		cli_record_notes(changed, names);
	nm_close(names); /* now: it has files open, which the next program would find */
	if (rc)
		return cli_fail("out of memory for the functions");
	s->startup = whr_fold_startup(&s->function);
	return 0;
}

static int measure(struct cli_bench *b, struct cli_bench_side *s)
{
	const struct evt_count *from;
	int code = between(b, s, run_placed, &s->placed);

	code = code ? code : take_places(b, s);
	code = code ? code : between(b, s, run_reasons, &s->reasons);
	if (code)
		return code;
	s->count = calloc(b->events.n + 1, sizeof(*s->count));
	if (!s->count)
		return cli_fail("out of memory for the counts");
	from = b->is_sampled ? s->reasons.count : s->placed.count;
	memcpy(s->count, from, b->events.n * sizeof(*s->count));
	s->n_run = 1;
	s->repeats = has_repeated(s);
	return s->repeats ? 0 : count_again(b, s);
}

int cli_bench_measure(struct cli_bench *b, struct cli_bench_side *s)
{
	int code = cli_bench_around("--setup", b->setup, b->is_shown), end;

	code = code ? code : measure(b, s);
	end = cli_bench_around("--cleanup", b->cleanup, b->is_shown);
	return code ? code : end;
}

void cli_bench_side_free(struct cli_bench_side *s)
{
	cli_bench_command_free(&s->command);
	ses_result_free(&s->placed);
	ses_result_free(&s->reasons);
	whr_free(&s->function);
	rec_close(s->rec);
	free(s->count);
}
