#include "cli/stat/against.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

int cli_against_open(struct cli_against *a, struct cli_run *r, bool has_metrics, size_t n)
{
	struct spmu_error err;

	if (!a->path)
		return 0;
	if (n > 1)
		return cli_fail(
		    "--against and --cpu with several processors: compare one processor at a time");
	if (rpt_against_open(a->path, &a->report, &err))
		return cli_fail("%s", err.text); /* 127 would say that the program is missing */
	if (r->n_event_text || r->group_name || r->wants_all || has_metrics)
		return 0;
	a->events = rpt_against_events(a->report);
	if (a->events)
		r->event_text[r->n_event_text++] = a->events;
	return 0;
}

int cli_against_refuse(const struct cli_against *a, bool is_table_or_json)
{
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

static uint64_t add(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * 0x100000001b3ull;
	return hash ^ hash >> 32;
}

static uint64_t add_text(uint64_t hash, const char *text)
{
	while (text && *text)
		hash = add(hash, (unsigned char)*text++);
	return add(hash, 0);
}

static uint64_t add_ranges(uint64_t hash, const struct mdl_range *range, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		hash = add(add(hash, range[i].from), range[i].to);
	return add(hash, n);
}

static uint64_t add_figures(uint64_t hash, const struct mdl_config *m)
{
	for (uint32_t i = 0; i < m->p5.n_figure; i++)
		hash = add(add(hash, m->p5.figure[i].index), m->p5.figure[i].value);
	for (uint32_t i = 0; i < m->p6.n_setting; i++)
		hash = add(add_text(hash, m->p6.setting[i].name), m->p6.setting[i].value);
	for (size_t i = 0; i < sizeof(m->p5.breakpoint) / sizeof(m->p5.breakpoint[0]); i++) {
		hash = add(hash, m->p5.breakpoint[i].bytes);
		hash = m->p5.breakpoint[i].bytes
			   ? add(add(hash, m->p5.breakpoint[i].lin), m->p5.breakpoint[i].type)
			   : hash;
	}
	return add(add_text(hash, m->p6.mutation), m->p5.n_figure + m->p6.n_setting);
}

static uint64_t add_model(uint64_t hash, const struct mdl_config *m)
{
	const struct mdl_geom geom[] = {m->l1i, m->l1d, m->l2, m->itlb, m->dtlb};
	const uint64_t word[] = {
	    m->replace,	  m->phys,     m->phys_seed,	 m->n_cpus > 1 ? m->n_cpus : 1,
	    m->has_walks, m->timer_hz, m->p5.has_errata, m->p6.wrong_path};

	for (size_t i = 0; i < sizeof(geom) / sizeof(geom[0]); i++)
		hash = add(add(add(hash, geom[i].size_bytes), geom[i].ways), geom[i].line_bytes);
	for (size_t i = 0; i < sizeof(word) / sizeof(word[0]); i++)
		hash = add(hash, word[i]);
	hash = add_ranges(hash, m->uncached, m->n_uncached);
	return add_figures(add_ranges(hash, m->p6.deferred, m->p6.n_deferred), m);
}

uint64_t cli_settings_digest(const struct ses_config *cfg)
{
	const uint64_t word[] = {cfg->quantum,	   cfg->has_model_clock, cfg->is_pce_clear,
				 cfg->host_memory, cfg->is_alone,	 cfg->wait};
	uint64_t hash = add_model(0xcbf29ce484222325ull, &cfg->model);

	for (size_t i = 0; i < sizeof(word) / sizeof(word[0]); i++)
		hash = add(hash, word[i]);
	return add_text(hash, cfg->seen_cpu ? cfg->seen_cpu->name : NULL);
}
