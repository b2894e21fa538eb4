/* p5.c -- opening, closing and summing one P5 machine. */
#include "model/p5/p5.h"
#include "model/p5/blocks/ledger.h"

#include <stdlib.h>
#include <string.h>

#include "base/blank_pages.h"
#include "base/error.h"
#include "model/p5/host/host.h"
#include "trace/record.h"

static struct mdl_geom chosen(struct mdl_geom asked, struct cat_cache own)
{
	struct mdl_geom g = {own.size_bytes, own.ways, own.line_bytes};

	if (asked.size_bytes) {
		g.size_bytes = asked.size_bytes;
		g.ways = asked.ways ? asked.ways : own.ways;
	}
	if (asked.line_bytes)
		g.line_bytes = asked.line_bytes;
	return g;
}

static int open_memory(struct p5 *m, const struct mdl_config *cfg)
{
	const bool is_lru = cfg->replace == MDL_REPLACE_LRU,
		   is_random = cfg->phys == MDL_PHYS_RANDOM || cfg->has_tables;
	const struct mdl_geom l1d = chosen(cfg->l1d, cfg->cpu->l1d),
			      dtlb = chosen(cfg->dtlb, cfg->cpu->dtlb);
	struct p5_dcache *d = &m->dcache;
	size_t filter_bytes;
	unsigned way_log2;
	int rc;

	rc = cache_open(&d->cache, l1d.size_bytes, l1d.ways, l1d.line_bytes, is_lru);
	if (!rc)
		rc = p5_bus_open(m);
	if (!rc)
		rc = p5_dtlb_open(&m->dtlb, dtlb.size_bytes, dtlb.ways, is_lru);
	if (!rc)
		rc = p5_tables_open(m);
	if (rc)
		return rc;
	way_log2 = cache_way_log2(&d->cache);
	d->has_filter = !is_random || way_log2 <= PAGE_LOG2;
	filter_bytes = d->cache.n_sets * sizeof(*d->read_filter);
	d->read_filter = malloc(filter_bytes);
	d->write_filter = malloc(filter_bytes);
	if (!d->read_filter || !d->write_filter)
		return -SPMU_ENOMEM;
	memset(d->read_filter, 0xff, filter_bytes); /* P5_NO_KEY */
	memset(d->write_filter, 0xff, filter_bytes);
	d->filled_line = P5_NO_KEY;
	return 0;
}

unsigned p5_colours_log2(const struct p5 *m)
{
	const unsigned own = cache_way_log2(&m->dcache.cache), board = p5_bus_page_log2(m);
	const unsigned way_log2 = own > board ? own : board;

	return way_log2 > PAGE_LOG2 ? way_log2 - PAGE_LOG2 : 0;
}

/* The code side: what runs when clocks are counted. */
static int open_code(struct p5 *m, const struct mdl_config *cfg)
{
	const bool is_lru = cfg->replace == MDL_REPLACE_LRU,
		   is_random = cfg->phys == MDL_PHYS_RANDOM || cfg->has_tables;
	const struct mdl_geom l1i = chosen(cfg->l1i, cfg->cpu->l1i),
			      itlb = chosen(cfg->itlb, cfg->cpu->itlb);
	int rc =
	    p5_icache_open(&m->icache, l1i.size_bytes, l1i.ways, l1i.line_bytes, is_lru, is_random);

	if (!rc)
		rc = p5_itlb_open(&m->itlb, itlb.size_bytes, itlb.ways, is_lru);
	if (!rc)
		rc = p5_btb_open(m);
	p5_pf_empty(m);
	return rc;
}

/* ---- what runs, and what is driven ----------------------------------------------------------- */

static bool needs_bus(const struct p5 *m)
{
	return m->time.is_on || (m->has_peers && m->has_mem);
}

/* Does what wire *w of catalog/p5/wires.tsv needs run? A need that is not here is not met. */
static bool is_met(const struct p5 *m, const struct mdl_config *cfg, const struct cat_wire *w)
{
	switch ((enum cat_need)w->need) {
	case CAT_NEED_NEVER:
	case CAT_NEED_COUNTS: return true;
	case CAT_NEED_STREAM: return !cfg->is_count_only;
	case CAT_NEED_MEMORY: return m->has_mem;
	case CAT_NEED_CLOCKS: return m->time.is_on;
	case CAT_NEED_DELIVERY: return m->time.is_on || cfg->has_interrupts;
	default: return false;
	}
}

/* Which parts run, and so which wires are driven. */
static void choose_parts(struct p5 *m, const struct mdl_config *cfg)
{
	size_t n;
	const struct cat_wire *wire = cat_wires(&n);

	for (unsigned i = 0; i < n && i < WIRE_N && !cfg->is_count_only; i++) {
		const bool is_wanted = cfg->wanted[i] && wire[i].family == CAT_P5;

		m->has_mem |= is_wanted && wire[i].need == CAT_NEED_MEMORY;
		m->time.is_on |=
		    is_wanted && (wire[i].need == CAT_NEED_CLOCKS ||
				  (wire[i].need == CAT_NEED_DELIVERY && !cfg->has_interrupts));
	}
	m->time.is_on |= cfg->on_line && !cfg->is_count_only;
	m->has_mem |= m->time.is_on;
	m->has_bus = needs_bus(m);
	for (unsigned i = 0; i < n && i < WIRE_N; i++)
		if (wire[i].family == CAT_P5 && is_met(m, cfg, &wire[i]))
			m->system->wires->driven[i] = 1;
}

void p5_close(struct p5 *m)
{
	if (!m)
		return;
	p5_time_close(m);
	ledger_close(m->ledger);
	p5_memo_close(m);
	p5_host_close(m);
	for (uint32_t id = 0; id < m->n_met; id++)
		free(m->blk[id]);
	blank_pages_free(m->blk, sizeof(struct p5_blk *) << TRC_ID_BITS);
	cache_close(&m->dcache.cache);
	free(m->dcache.read_filter);
	free(m->dcache.write_filter);
	p5_dtlb_close(&m->dtlb);
	p5_icache_close(&m->icache);
	p5_itlb_close(&m->itlb);
	p5_btb_close(&m->btb);
	free(m->core.kinds);
	free(m);
}

static void take_params(struct p5 *m, const struct mdl_config *cfg)
{
	size_t n;
	const struct cat_param *f = cat_params(&n);

	for (size_t i = 0; i < n && i < P5_N_PAR; i++)
		m->par[i] = cfg->cpu->cpu_class == CAT_CLASS_P5 ? f[i].p5 : f[i].p55c;
	for (uint32_t i = 0; i < cfg->p5.n_param && i < MDL_MAX_PARAMS; i++)
		if (cfg->p5.param[i].index < P5_N_PAR)
			m->par[cfg->p5.param[i].index] = cfg->p5.param[i].value;
}

static void take_uncached(struct p5 *m, const struct mdl_config *cfg)
{
	const unsigned line_log2 = m->dcache.cache.line_log2;

	for (uint32_t i = 0; i < cfg->n_uncached && i < MDL_MAX_UNCACHED; i++) {
		const struct mdl_range *r = &cfg->uncached[i];

		m->dcache.uncached[m->dcache.n_uncached++] =
		    (struct mdl_range){r->from >> line_log2, (r->to - 1) >> line_log2};
	}
}

int p5_open(const struct mdl_config *cfg, struct p5_system *system, struct p5 **out)
{
	struct p5 *m = calloc(1, sizeof(*m));
	int rc;

	if (!m)
		return -SPMU_ENOMEM;
	m->system = system;
	m->has_peers = system->turns.n > 1;
	m->pages = &system->pages;
	m->board = &system->board;
	m->cpu = cfg->cpu;
	m->store = cfg->store;
	m->is_plain = cfg->is_plain;
	m->strings.most_bytes =
	    cfg->most_string_bytes ? cfg->most_string_bytes : P5_MOST_STRING_BYTES;
	m->strings.is_over = cfg->is_over;
	m->strings.over_ctx = cfg->over_ctx;
	m->mmx.last = P5_FPMMX_X87;
	m->has_walks = cfg->has_walks;
	m->has_errata = cfg->p5.has_errata;
	take_params(m, cfg);
	m->on_line = cfg->on_line;
	m->line_ctx = cfg->line_ctx;
	m->blk = blank_pages(sizeof(struct p5_blk *) << TRC_ID_BITS);
	rc = m->blk ? open_memory(m, cfg) : -SPMU_ENOMEM;
	if (!rc)
		rc = open_code(m, cfg);
	if (rc) {
		p5_close(m);
		return rc;
	}
	take_uncached(m, cfg);
	m->intr.is_told = cfg->has_interrupts;
	choose_parts(m, cfg);
	if (m->time.is_on) {
		p5_debug_open(m, cfg->p5.breakpoint);
		p5_int_open(m, cfg->timer_hz);
	}
	p5_memo_open(m, cfg);
	if (m->memo.is_on && !cfg->has_no_host_code)
		p5_host_open(m, cfg->host_code_after); /* without it looks are done one by one */
	rc = p5_time_open(m);
	if (!rc && cfg->has_ledger)
		rc = p5_ledger_open(m, cfg->wanted);
	if (rc) {
		p5_close(m);
		return rc;
	}
	if (cfg->is_waiting) {
		m->later.has_mem = m->has_mem;
		m->later.is_timed = m->time.is_on;
		m->has_mem = m->time.is_on = m->has_bus = false;
	}
	*out = m;
	return 0;
}

void p5_begin(struct p5 *m)
{
	m->has_mem = m->later.has_mem;
	m->time.is_on = m->later.is_timed;
	m->has_bus = needs_bus(m);
}

int p5_add_counts(struct p5 *m, uint32_t id, uint64_t times, uint64_t taken)
{
	struct p5_blk *b = p5_meet(m, id);

	if (!b)
		return -SPMU_EPROTO;
	b->n_exec += times;
	m->n_insn += times * b->n_insn;
	m->n_taken += b->is_jcc ? taken : 0;
	if (m->ledger)
		ledger_book(m->ledger, id, b->n_insn - 1u);
	return 0;
}

uint64_t p5_unseen(struct p5 *m, uint32_t id, unsigned wire)
{
	const struct p5_blk *b = p5_meet(m, id);
	uint64_t n = 0;

	for (unsigned k = 0; b && k < b->n_count; k++)
		n += p5_blk_counts(b)[k].wire == wire ? p5_blk_counts(b)[k].n : 0;
	return n;
}

void p5_executions(const struct p5 *m, uint64_t *total)
{
	for (uint32_t id = 0; id < m->n_met; id++) {
		const struct p5_blk *b = m->blk[id];

		for (unsigned k = 0; b && b->n_exec && k < b->n_count; k++)
			total[p5_blk_counts(b)[k].wire] += b->n_exec * p5_blk_counts(b)[k].n;
	}
}

void p5_times(const struct p5 *m, uint64_t *times, uint32_t n)
{
	for (uint32_t id = 0; id < n && id < m->n_met; id++)
		if (m->blk[id])
			times[id] += m->blk[id]->n_exec;
}

void p5_add_once(struct p5 *m, uint32_t id, uint64_t times, uint64_t *total)
{
	const struct p5_blk *b = m->is_plain ? NULL : p5_meet(m, id);

	if (!b)
		return;
	for (unsigned k = 0; k < b->n_count; k++)
		total[p5_blk_counts(b)[k].wire] += times * p5_blk_counts(b)[k].n;
}

void p5_sum_rest(const struct p5 *m, uint64_t *total)
{
	for (unsigned wire = WIRE_P5_FIRST; wire < WIRE_P5_END; wire++)
		total[wire] += m->dyn[wire] + m->seen[wire];
	total[WIRE_P5_CORE_TAKEN] += m->n_taken;
	total[WIRE_P5_CORE_CLK] += m->time.now_clk;
	total[WIRE_P5_DCACHE_WRITE_HIT_ME] +=
	    m->dcache.n_write_miss_again - m->dcache.n_write_shared;
}

void p5_forget_blocks(struct p5 *m)
{
	p5_time_forget(m);
	p5_executions(m, m->dyn);
	for (uint32_t id = 0; id < m->n_met; id++) {
		free(m->blk[id]);
		m->blk[id] = NULL;
	}
	m->n_met = 0;
	if (m->ledger)
		ledger_forget(m->ledger);
}
