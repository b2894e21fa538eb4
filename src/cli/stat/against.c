/* against.c -- stat --against and --limit: reads the old report, judges limits. Rules are in
 * against.h.
 *
 * The digest is a hash over what decides counts besides the program: processor, geometry,
 * parameters, tier, modes. An option that changes counts must be added to cli_settings_digest(),
 * or two runs that differ in it are compared as if they did not.
 */
#include "cli/stat/against.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "event/events.h"

int cli_against_open(struct cli_against *a, struct cli_run *r, bool has_metrics, size_t n)
{
	struct spmu_error err;

	if (!a->path)
		return 0;
	if (n > 1)
		return cli_fail(
		    "--against with several processors or geometries: compare one machine at a "
		    "time");
	if (rpt_against_open(a->path, &a->report, &err))
		return cli_fail("%s", err.text); /* 127 would say that the program is missing */
	if (r->n_event_text || r->group_name || r->wants_all || has_metrics)
		return 0;
	a->events = rpt_against_events(a->report);
	if (a->events)
		r->event_text[r->n_event_text++] = a->events;
	return 0;
}

/* --limit @all is about what a model counts, not about figures of this machine. */
static bool is_judged(const struct cli_limit *m, const struct cat_cpu *cpu,
		      const struct evt_event *e)
{
	return cli_limit_means(m, cpu, e) && !e->software && !e->is_time;
}

int cli_against_limits(const struct cli_against *a, const struct cat_cpu *cpu,
		       const struct evt_events *events)
{
	for (unsigned i = 0; i < a->limits.n; i++) {
		const struct cli_limit *m = &a->limits.limit[i];
		size_t n = 0;

		if (m->is_main)
			return cli_fail("--limit %s: stat has totals alone; softpmu diff of two "
					"records tells start-up apart",
					m->text);
		for (size_t e = 0; e < events->n; e++)
			n += is_judged(m, cpu, &events->event[e]);
		if (!n)
			return cli_fail(
			    "--limit %s: no event of that name is counted; name it with -e, "
			    "too (figures of this machine have no limits)",
			    m->text);
	}
	return 0;
}

const char **cli_against_broken(const struct cli_against *a, const struct rpt_report *r)
{
	const char **broken;
	struct evt_count was;
	char why[400];
	double beyond;

	if (!a->report || !a->limits.n || rpt_against_is_other(r, why, sizeof(why)))
		return NULL;
	broken = calloc(r->events->n + 1, sizeof(*broken));
	for (size_t e = 0; broken && e < r->events->n; e++) {
		if (r->count[e].status != EVT_COUNTED || !rpt_against_was(r, e, &was))
			continue;
		for (unsigned i = 0; i < a->limits.n && !broken[e]; i++)
			if (is_judged(&a->limits.limit[i], r->cpu, &r->events->event[e]) &&
			    cli_limit_judge(&a->limits.limit[i], a->limits.is_both_ways, was.value,
					    r->count[e].value, rpt_against_half(&was, &r->count[e]),
					    &beyond) == CLI_LIMIT_IS_BROKEN)
				broken[e] = a->limits.limit[i].text;
	}
	return broken;
}

/* Say what a limit is about and cannot be judged. Returns how many events those are. */
static unsigned say_unjudged(const struct cli_limit *m, const struct rpt_report *r)
{
	unsigned n = 0;
	struct evt_count was;

	for (size_t e = 0; e < r->events->n; e++) {
		const bool has_now = r->count[e].status == EVT_COUNTED,
			   has_then = rpt_against_was(r, e, &was);

		if (!is_judged(m, r->cpu, &r->events->event[e]) || (has_now && has_then) ||
		    (!has_now && !has_then && m->name[0] == '@'))
			continue;
		n++;
		cli_fail("--limit %s: %s was not counted %s, so the two cannot be compared",
			 m->text, r->events->event[e].name, has_then ? "now" : "then");
	}
	return n;
}

/* Say which limits the intervals of m's events do not decide. Returns how many events those are. */
static unsigned say_open(const struct cli_against *a, const struct cli_limit *m,
			 const struct rpt_report *r)
{
	char text[80], option[40];
	struct evt_count was;
	unsigned n = 0;
	double beyond;

	for (size_t e = 0; e < r->events->n; e++) {
		const struct evt_count *is = &r->count[e];

		if (!is_judged(m, r->cpu, &r->events->event[e]) || is->status != EVT_COUNTED ||
		    !rpt_against_was(r, e, &was) || (r->broken && r->broken[e]) ||
		    cli_limit_judge(m, a->limits.is_both_ways, was.value, is->value,
				    rpt_against_half(&was, is), &beyond) != CLI_LIMIT_IS_OPEN)
			continue;
		n++;
		rpt_against_text(r, e, text, sizeof(text));
		cli_fail("%s %s: its interval does not decide --limit %s; %s in both runs does",
			 r->events->event[e].name, text, m->text,
			 cli_limit_decider(r->sample_every, rpt_against_half(&was, is), beyond,
					   option, sizeof(option)));
	}
	return n;
}

int cli_against_judge(const struct cli_against *a, const struct rpt_report *r)
{
	char why[400], text[80];
	unsigned n_broken = 0, n_unjudged = 0, n_open = 0;

	if (!a->limits.n)
		return 0;
	if (rpt_against_is_other(r, why, sizeof(why))) {
		cli_fail("--limit: %s and this run cannot be compared: %s", a->path, why);
		return CLI_NOT_COMPARABLE;
	}
	for (size_t e = 0; r->broken && e < r->events->n; e++) {
		if (!r->broken[e])
			continue;
		rpt_against_text(r, e, text, sizeof(text));
		cli_fail("%s %s: --limit %s is broken", r->events->event[e].name, text,
			 r->broken[e]);
		n_broken++;
	}
	for (unsigned i = 0; i < a->limits.n; i++) {
		n_unjudged += say_unjudged(&a->limits.limit[i], r);
		n_open += say_open(a, &a->limits.limit[i], r);
	}
	if (!n_broken && !n_unjudged && !rpt_against_compared(r).n) {
		cli_fail("--limit: no count of this run can be compared with %s", a->path);
		return CLI_NOT_COMPARABLE;
	}
	if (n_broken || n_unjudged)
		return n_broken ? CLI_LIMIT_BROKEN : CLI_NOT_COMPARABLE;
	return n_open ? CLI_LIMIT_OPEN : 0;
}

int cli_against_refuse(const struct cli_against *a, bool is_table_or_json)
{
	if (!a->report && (a->limits.n || a->limits.is_both_ways))
		return cli_fail(
		    "--limit and --both-ways go with --against FILE, the report that counts "
		    "are "
		    "compared with");
	if (a->limits.is_both_ways && !a->limits.n)
		return cli_fail("--both-ways goes with --limit EVENT=1%%");
	if (!a->report || is_table_or_json)
		return 0;
	return cli_fail("--against goes with the table and with --json, not with -x and -j, whose "
			"lines are perf's");
}

void cli_against_close(struct cli_against *a)
{
	rpt_against_close(a->report);
	free(a->events);
	*a = (struct cli_against){0};
}

static uint64_t hash_word(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * 0x100000001b3ull;
	return hash ^ hash >> 32;
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
	while (text && *text)
		hash = hash_word(hash, (unsigned char)*text++);
	return hash_word(hash, 0);
}

static uint64_t hash_ranges(uint64_t hash, const struct mdl_range *range, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		hash = hash_word(hash_word(hash, range[i].from), range[i].to);
	return hash_word(hash, n);
}

static uint64_t hash_params(uint64_t hash, const struct mdl_config *m)
{
	for (uint32_t i = 0; i < m->p5.n_param; i++)
		hash = hash_word(hash_word(hash, m->p5.param[i].index), m->p5.param[i].value);
	for (uint32_t i = 0; i < m->p6.n_setting; i++)
		hash = hash_word(hash_text(hash, m->p6.setting[i].name), m->p6.setting[i].value);
	for (size_t i = 0; i < sizeof(m->p5.breakpoint) / sizeof(m->p5.breakpoint[0]); i++) {
		hash = hash_word(hash, m->p5.breakpoint[i].bytes);
		hash = m->p5.breakpoint[i].bytes
			   ? hash_word(hash_word(hash, m->p5.breakpoint[i].lin),
				       m->p5.breakpoint[i].type)
			   : hash;
	}
	return hash_word(hash_text(hash, m->p6.mutation), m->p5.n_param + m->p6.n_setting);
}

static uint64_t hash_model(uint64_t hash, const struct mdl_config *m)
{
	const struct mdl_geom geom[] = {m->l1i, m->l1d, m->l2, m->itlb, m->dtlb};
	const uint64_t word[] = {
	    m->replace,	  m->phys,     m->phys_seed,	 m->n_cpus > 1 ? m->n_cpus : 1,
	    m->has_walks, m->timer_hz, m->p5.has_errata, m->p6.wrong_path};

	for (size_t i = 0; i < sizeof(geom) / sizeof(geom[0]); i++)
		hash = hash_word(hash_word(hash_word(hash, geom[i].size_bytes), geom[i].ways),
				 geom[i].line_bytes);
	for (size_t i = 0; i < sizeof(word) / sizeof(word[0]); i++)
		hash = hash_word(hash, word[i]);
	hash = hash_ranges(hash, m->uncached, m->n_uncached);
	return hash_params(hash_ranges(hash, m->p6.deferred, m->p6.n_deferred), m);
}

uint64_t cli_settings_digest(const struct ses_config *cfg)
{
	const uint64_t word[] = {cfg->quantum,	   cfg->has_model_clock, cfg->is_pce_clear,
				 cfg->host_memory, cfg->is_alone,	 cfg->wait};
	const uint64_t range[] = {cfg->from_insn, cfg->to_insn};
	uint64_t hash = hash_model(0xcbf29ce484222325ull, &cfg->model);

	for (size_t i = 0; i < sizeof(word) / sizeof(word[0]); i++)
		hash = hash_word(hash, word[i]);
	for (size_t i = 0; i < 2 && (cfg->from_insn || cfg->to_insn); i++)
		hash = hash_word(hash, range[i]);
	if (cfg->from_mark.text || cfg->to_mark.text)
		hash = hash_text(hash_text(hash, cfg->from_mark.text), cfg->to_mark.text);
	return hash_text(hash, cfg->seen_cpu ? cfg->seen_cpu->name : NULL);
}
