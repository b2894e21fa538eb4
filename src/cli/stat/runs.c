/* runs.c -- carries out the runs of one stat. Rules are in runs.h.
 *
 * A repetition is one run, or one per set of events that the counters can hold (--counters), or
 * one whose sets take turns (--rotate). Each run gets the events of its set and writes their
 * counts to the places that these have in the whole list, so that a report never knows how many
 * runs there were. The first run speaks for the rest: its digest, times and status are shown. A
 * repetition whose counts differ from the first one's is reported with the input that differs.
 */
#include "cli/stat/runs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/geometry.h"
#include "cli/stat/rotate.h"
#include "hw/run.h"
#include "perfev/perfev.h"
#include "report/against/inputs.h"
#include "session/bare.h"
#include "session/totals/counting.h"
#include "session/serve/intervals.h"

/* The events of a column that one run counts. */
struct part {
	struct evt_event *event; /* owned */
	size_t *at;		 /* their places in the column's list; owned */
	size_t n;
};

void cli_column_free(struct cli_column *c)
{
	evt_counter_plan_free(&c->plan);
	evt_metrics_free(&c->metrics);
	evt_events_free(&c->events);
}

struct evt_count *cli_runs_counts(const struct ses_result *result, size_t c)
{
	return c ? result->column[c - 1].count : result->count;
}

/* Returns the runs that one repetition takes. */
static int runs_of(const struct cli_runs *r)
{
	int n = 1;

	for (size_t c = 0; c < r->n_column; c++)
		if (r->column[c].plan.n_run > n)
			n = r->column[c].plan.n_run;
	return n;
}

/* Returns true if run k counts event i of the column. An event with a register of its own is
 * counted in the first run. */
static bool is_in(const struct cli_column *c, size_t i, int k)
{
	return !c->plan.n_counters || c->plan.run[i] == k || (c->plan.run[i] < 0 && k == 0);
}

static int choose_part(const struct cli_column *c, int k, struct part *p)
{
	p->n = 0;
	p->event = calloc(c->events.n + 1, sizeof(*p->event));
	p->at = calloc(c->events.n + 1, sizeof(*p->at));
	if (!p->event || !p->at)
		return -SPMU_ENOMEM;
	for (size_t i = 0; i < c->events.n; i++) {
		if (!is_in(c, i, k))
			continue;
		p->at[p->n] = i;
		p->event[p->n++] = c->events.event[i];
	}
	return 0;
}

static void free_parts(struct part *p)
{
	for (size_t c = 0; c < 1 + SES_MORE_COLUMNS; c++) {
		free(p[c].event);
		free(p[c].at);
	}
}

#define EVERY_TIER 3

/* Intervals by instructions are cut out of records. */
static bool has_insn_intervals(const struct ses_config *cfg)
{
	return cfg->intervals && cfg->intervals->every_insns;
}

/* Returns true if the run may begin without records and make them from the program's first
 * perf_event_open on. */
static bool may_rise(const struct ses_config *cfg)
{
	return !cfg->trace_file && !cfg->keeps_threads && !has_insn_intervals(cfg) &&
	       !cfg->has_model_clock && cfg->model.cpu->family != CAT_TOY;
}

/* Returns true if the run makes records from its beginning, whatever is counted. */
static bool makes_records(const struct ses_config *cfg)
{
	return (cfg->trace_file || cfg->keeps_threads || has_insn_intervals(cfg)) &&
	       cfg->model.cpu->family != CAT_TOY;
}

/* The tier that a column needs which needs more than the others. */
static int tier_of_columns(const struct ses_config *cfg)
{
	int tier = 0;

	for (size_t i = 0; i < cfg->n_column; i++) {
		const int own =
		    ses_tier_of(cfg->column[i].cpu, cfg->column[i].event, cfg->column[i].n_event);

		tier = own > tier ? own : tier;
	}
	return tier;
}

/* For tests, which ask for it (docs/TESTING.md, "Chaos"): every wire that was driven, and how
 * often the model went each of its ways. */
static void show_wires(const struct ses_result *r)
{
	size_t n;
	const struct cat_wire *wire = cat_wires(&n);

	for (size_t i = 0; i < n && i < WIRE_N; i++)
		if (r->wire_driven[i])
			fprintf(stderr, "softpmu: wire %s %llu\n", wire[i].name,
				(unsigned long long)r->wire_total[i]);
	for (unsigned i = 0; i < r->n_path; i++)
		fprintf(stderr, "softpmu: path %s %llu\n", r->path[i].name,
			(unsigned long long)r->path[i].entered);
}

/* With the model. The program finds counters of its own: of the tier that is counted anyway, or
 * of every one. */
static int soft_run(struct ses_config *cfg, struct ses_result *out, struct spmu_error *err)
{
	const int tier = cfg->has_model_clock
			     ? EVERY_TIER
			     : ses_tier_of(cfg->model.cpu, cfg->event, cfg->n_event);
	const bool is_plain = tier <= 1 && tier_of_columns(cfg) <= 1,
		   rises = is_plain && may_rise(cfg);
	struct ses_service *service = NULL;
	int rc;

	if (!is_plain || rises || makes_records(cfg)) {
		service = pev_open(cfg->model.cpu, PEV_COUNTERS, err);
		if (!service)
			return -err->code;
		cfg->ready_tier = rises ? EVERY_TIER : tier;
		cfg->rises = rises;
		cfg->service = service;
	}
	rc = ses_run(cfg, out, err);
	pev_close(service);
	if (out->n_path)
		show_wires(out);
	return rc;
}

/* One run of the program: run k of repetition `number`. rotate: whose turns it has, or NULL. */
static int one_run(const struct cli_runs *r, size_t number, const struct part *part,
		   const struct cli_rotate *rotate, struct ses_result *out, struct spmu_error *err)
{
	const bool has_seed = r->options->has_seed;
	struct ses_config cfg = r->options->cfg;
	struct ses_column more[SES_MORE_COLUMNS];

	cfg.model.cpu = r->column[0].cpu;
	if (r->n_column > 1)
		cli_geometry_set(&cfg.model, &r->column[0].geometry);
	cfg.event = part[0].event;
	cfg.n_event = part[0].n;
	for (size_t c = 1; c < r->n_column; c++)
		more[c - 1] = (struct ses_column){r->column[c].cpu, r->column[c].geometry,
						  part[c].event, part[c].n};
	cfg.column = more;
	cfg.n_column = r->n_column - 1;
	cfg.seed += has_seed ? number : 0;
	cfg.model.phys_seed += has_seed ? number : 0;
	if (rotate)
		cfg.intervals = &rotate->intervals;
	err->code = 0;
	if (r->backend->is_hw) {
		const struct hw_config hw = {.events = &r->backend->events,
					     .argv = cfg.argv,
					     .envp = cfg.envp,
					     .is_alone = cfg.is_alone};

		return hw_run(&hw, out, err);
	}
	if (cfg.bare)
		return ses_bare(&cfg, out, err);
	return r->options->replay ? ses_replay(&cfg, r->options->replay, out, err)
				  : soft_run(&cfg, out, err);
}

/* Room for all counts of a repetition, none of them known yet. */
static int open_counts(const struct cli_runs *r, struct evt_count **all)
{
	for (size_t c = 0; c < r->n_column; c++) {
		all[c] = calloc(r->column[c].events.n + 1, sizeof(**all));
		if (!all[c])
			return -SPMU_ENOMEM;
		for (size_t i = 0; i < r->column[c].events.n; i++)
			all[c][i] =
			    (struct evt_count){.status = EVT_NOT_MODELLED,
					       .why = "the run that counts it did not take place"};
	}
	return 0;
}

/* Copy the counts of one run to their places in the columns' lists. */
static void take_counts(const struct cli_runs *r, const struct part *part,
			const struct ses_result *run, struct evt_count **all)
{
	for (size_t c = 0; c < r->n_column; c++) {
		const struct evt_count *own = cli_runs_counts(run, c);

		for (size_t i = 0; i < part[c].n; i++)
			all[c][part[c].at[i]] = own[i];
	}
}

/* Add times and faults of another run to the first run's result, which stands for all of them. */
static void add_run(struct cli_runs *r, struct ses_result *sum, struct ses_result *run)
{
	sum->elapsed_s += run->elapsed_s;
	sum->user_s += run->user_s;
	sum->sys_s += run->sys_s;
	sum->minor_faults += run->minor_faults;
	sum->major_faults += run->major_faults;
	sum->switches += run->switches;
	sum->tier = run->tier > sum->tier ? run->tier : sum->tier;
	sum->interrupted |= run->interrupted;
	sum->interrupt_signal =
	    run->interrupt_signal ? run->interrupt_signal : sum->interrupt_signal;
	sum->wait_status = run->wait_status;
	r->has_unlike_runs |= run->input_digest != sum->input_digest;
}

/* Put the whole lists in the place of the first run's. */
static void replace_counts(const struct cli_runs *r, struct ses_result *sum, struct evt_count **all)
{
	free(sum->count);
	sum->count = all[0];
	for (size_t c = 1; c < r->n_column; c++) {
		free(sum->column[c - 1].count);
		sum->column[c - 1].count = all[c];
	}
	free(sum->cpu_count); /* one processor's own: of the first run only */
	sum->cpu_count = NULL;
	sum->n_cpu = 0;
	for (size_t c = 0; c < r->n_column; c++)
		ses_count_in_registers(r->column[c].cpu, &r->column[c].events, &r->column[c].plan,
				       all[c]);
}

/* Returns true if a run that ended with rc has counts. Counts of zero are counts: a program may
 * fault at its first instruction, or run while counting is off. */
static bool has_counts(const struct cli_runs *r, const struct ses_result *run, int rc)
{
	return run->count && (run->instructions || run->share || !rc) &&
	       (r->n_column == 1 || run->n_column == r->n_column - 1);
}

/* Run k of a repetition, its counts into all[]. Returns as ses_run(); *is_there: there are
 * counts. */
static int run_part(struct cli_runs *r, size_t number, int k, struct ses_result *sum,
		    struct evt_count **all, bool *is_there, struct spmu_error *err)
{
	struct part part[1 + SES_MORE_COLUMNS] = {0};
	struct ses_result run = {0};
	int rc = 0;

	for (size_t c = 0; c < r->n_column && !rc; c++)
		rc = choose_part(&r->column[c], k, &part[c]);
	rc = rc ? spmu_fail(err, SPMU_ENOMEM, "out of memory")
		: one_run(r, number, part, NULL, &run, err);
	*is_there = has_counts(r, &run, rc);
	if (*is_there)
		take_counts(r, part, &run, all);
	free_parts(part);
	if (!*is_there) {
		ses_result_free(&run);
	} else if (k == 0) {
		*sum = run;
	} else {
		add_run(r, sum, &run);
		ses_result_free(&run);
	}
	return rc;
}

/* One repetition with the plans of --counters. */
static int repeat_planned(struct cli_runs *r, struct ses_result *sum, bool *is_there,
			  struct spmu_error *err)
{
	struct evt_count *all[1 + SES_MORE_COLUMNS] = {NULL};
	const int n = runs_of(r);
	bool is_last_there = false;
	int rc = open_counts(r, all) ? spmu_fail(err, SPMU_ENOMEM, "out of memory") : 0;

	*is_there = false;
	for (int k = 0; k < n && !rc; k++) {
		rc = run_part(r, r->n, k, sum, all, &is_last_there, err);
		*is_there |= is_last_there;
		if (*is_there && sum->interrupted)
			break;
	}
	if (*is_there) {
		replace_counts(r, sum, all);
		return rc;
	}
	for (size_t c = 0; c < r->n_column; c++)
		free(all[c]);
	return rc;
}

/* One repetition that counts everything at once. */
static int repeat(struct cli_runs *r, struct ses_result *sum, bool *is_there,
		  struct spmu_error *err)
{
	struct part part[1 + SES_MORE_COLUMNS] = {0};
	int rc;

	for (size_t c = 0; c < r->n_column; c++)
		part[c] = (struct part){r->column[c].events.event, NULL, r->column[c].events.n};
	rc = one_run(r, r->n, part, NULL, sum, err);
	*is_there = has_counts(r, sum, rc);
	if (!*is_there)
		ses_result_free(sum);
	return rc;
}

/* Returns true if the counts of the last repetition differ from those of the first. Figures of the
 * host are left out, because they always differ. */
static bool is_unlike(const struct cli_runs *r)
{
	const struct evt_events *e = &r->column[0].events;
	const struct ses_result *first = &r->result[0], *last = &r->result[r->n - 1];

	for (size_t i = 0; i < e->n; i++)
		if (!e->event[i].software && !e->event[i].is_time &&
		    first->count[i].value != last->count[i].value)
			return true;
	return false;
}

/* A repetition is done: why it differs, if it is the first that does. Its own list of inputs is
 * not needed any more. */
static void compare_repetition(struct cli_runs *r)
{
	struct ses_result *last = &r->result[r->n - 1];

	if (r->n < 2)
		return;
	if (!*r->unlike && !r->options->has_seed && !r->backend->is_hw && is_unlike(r))
		rpt_runs_differ(&r->result[0], last, r->n - 1, r->unlike, sizeof(r->unlike));
	free(last->input);
	last->input = NULL;
	last->n_input = 0;
}

/* One repetition in which the runs of the plan are turns. */
static int repeat_rotating(struct cli_runs *r, struct ses_result *sum, bool *is_there,
			   struct spmu_error *err)
{
	struct part part[1 + SES_MORE_COLUMNS] = {0};
	struct cli_rotate rotate;
	int rc = cli_rotate_open(&rotate, &r->column[0], r->rotate_ms, err);

	*is_there = false;
	part[0] = (struct part){rotate.event, NULL, rotate.n_event};
	if (!rc) {
		rc = one_run(r, r->n, part, &rotate, sum, err);
		*is_there = has_counts(r, sum, rc);
		if (!*is_there)
			ses_result_free(sum);
	}
	if (*is_there && cli_rotate_end(&rotate, sum))
		rc = spmu_fail(err, SPMU_ENOMEM, "out of memory");
	cli_rotate_close(&rotate);
	return rc;
}

int cli_runs_do(struct cli_runs *r, struct spmu_error *err)
{
	const bool is_planned = r->column[0].plan.n_counters;
	const bool is_rotated = r->rotate_ms && r->column[0].plan.n_run > 1;

	r->n = 0;
	r->result = calloc(r->n_wanted, sizeof(*r->result));
	if (!r->result)
		return spmu_fail(err, SPMU_ENOMEM, "out of memory for %u runs", r->n_wanted);
	while (r->n < r->n_wanted) {
		bool is_there;
		const int rc = is_rotated   ? repeat_rotating(r, &r->result[r->n], &is_there, err)
			       : is_planned ? repeat_planned(r, &r->result[r->n], &is_there, err)
					    : repeat(r, &r->result[r->n], &is_there, err);

		if (!is_there)
			return r->n ? 0 : rc;
		r->n++;
		compare_repetition(r);
		if (rc || r->result[r->n - 1].interrupted)
			break;
	}
	return 0;
}

void cli_runs_free(struct cli_runs *r)
{
	for (size_t i = 0; i < r->n; i++)
		ses_result_free(&r->result[i]);
	free(r->result);
	r->result = NULL;
	r->n = 0;
}
