/* p6.c -- opening, closing and summing the P6 machine. */
#include "model/p6/host/host.h"
#include "model/p6/kept/memo.h"
#include "model/p6/clocks/int.h"
#include "model/p6/kept/held.h"
#include "model/p6/loops/time_feed.h"
#include "model/p6/blocks/compile.h"
#include "model/p6/blocks/ledger.h"
#include "model/p6/loops/feed.h"
#include "model/p6/units/bus.h"
#include "model/p6/units/l2.h"
#include "model/p6/units/walk.h"

#include <stdlib.h>
#include <string.h>

#include "base/blank_pages.h"
#include "base/error.h"
#include "trace/record.h"

#define WC_BUFFERS_PIII 4u
#define WC_BUFFERS_OLD	1u

static struct mdl_geom chosen(struct mdl_geom asked, struct cat_cache own)
{
	struct mdl_geom g = {own.size_bytes, own.ways, own.line_bytes};

	if (asked.size_bytes) {
		g.size_bytes = asked.size_bytes;
		if (asked.ways)
			g.ways = asked.ways;
		else if (!g.ways)
			g.ways = 4;
	}
	if (asked.line_bytes)
		g.line_bytes = asked.line_bytes;
	return g;
}

/* All caches have one line size: the one that was asked for, where nobody asked for another. */
static int one_line_size(const struct mdl_config *cfg, struct mdl_geom *g[3])
{
	const struct mdl_geom *asked[3] = {&cfg->l1i, &cfg->l1d, &cfg->l2};
	uint16_t line = 0;

	for (unsigned i = 0; i < 3; i++) {
		if (!asked[i]->line_bytes)
			continue;
		if (line && asked[i]->line_bytes != line)
			return -SPMU_EINVAL;
		line = asked[i]->line_bytes;
	}
	if (!line)
		line = cfg->cpu->l1d.line_bytes;
	for (unsigned i = 0; i < 3; i++)
		g[i]->line_bytes = line;
	return 0;
}

/* A filter of n keys that match nothing, or NULL. */
static uint64_t *new_filter(size_t n)
{
	uint64_t *filter = malloc(n * sizeof(*filter));

	if (filter)
		p6_empty_filter(filter, n);
	return filter;
}

static int open_tlb(struct p6_tlb *t, struct mdl_geom g, bool is_lru)
{
	int rc = tlb_open(&t->tlb, g.size_bytes, g.ways, is_lru);

	if (rc)
		return rc;
	t->memory = t->filter = new_filter(t->tlb.n_sets);
	t->last = calloc(t->tlb.n_sets, sizeof(*t->last));
	return t->filter && t->last ? 0 : -SPMU_ENOMEM;
}

/* Linear and physical set numbers of c are the same. */
static bool has_linear_sets(const struct cache *c, bool is_random)
{
	return !is_random || cache_way_log2(c) <= PAGE_LOG2;
}

static int open_dcu(struct p6_dcu *d, struct mdl_geom g, bool is_lru, bool is_random)
{
	int rc = cache_open(&d->cache, g.size_bytes, g.ways, g.line_bytes, is_lru);

	if (rc)
		return rc;
	d->has_filter = has_linear_sets(&d->cache, is_random);
	d->memory = d->filter = new_filter((size_t)P6_KINDS * d->cache.n_sets);
	return d->filter ? 0 : -SPMU_ENOMEM;
}

static int open_ifu(struct p6_ifu *f, struct mdl_geom g, bool is_lru, bool is_random)
{
	int rc = cache_open(&f->cache, g.size_bytes, g.ways, g.line_bytes, is_lru);

	if (rc)
		return rc;
	f->has_filter = has_linear_sets(&f->cache, is_random);
	f->memory = f->filter = new_filter(f->cache.n_sets);
	return f->filter ? 0 : -SPMU_ENOMEM;
}

unsigned p6_colours_log2(const struct p6 *m)
{
	unsigned way = cache_way_log2(&m->dcu.cache);

	if (cache_way_log2(&m->ifu.cache) > way)
		way = cache_way_log2(&m->ifu.cache);
	if (m->l2.is_there && cache_way_log2(&m->l2.cache) > way)
		way = cache_way_log2(&m->l2.cache);
	return way > PAGE_LOG2 ? way - PAGE_LOG2 : 0;
}

static bool is_fast(const struct cache *c)
{
	return c->set_log2 == P6_FAST_SET_LOG2 && c->ways == P6_FAST_WAYS;
}

static int open_memory(struct p6 *m, const struct mdl_config *cfg)
{
	const bool is_lru = cfg->replace == MDL_REPLACE_LRU,
		   is_random = cfg->phys == MDL_PHYS_RANDOM || cfg->has_tables;
	struct mdl_geom l1i = chosen(cfg->l1i, cfg->cpu->l1i),
			l1d = chosen(cfg->l1d, cfg->cpu->l1d);
	struct mdl_geom l2 = chosen(cfg->l2, cfg->cpu->l2);
	struct mdl_geom *all[3] = {&l1i, &l1d, &l2};
	int rc;

	rc = one_line_size(cfg, all);
	if (rc)
		return rc;
	m->l2.is_there = l2.size_bytes != 0;
	m->l2.is_textbook = is_lru;
	m->walker.is_on = cfg->has_walks;
	rc = open_ifu(&m->ifu, l1i, is_lru, is_random);
	if (!rc)
		rc = open_dcu(&m->dcu, l1d, is_lru, is_random);
	if (!rc && m->l2.is_there)
		rc = cache_open(&m->l2.cache, l2.size_bytes, l2.ways, l2.line_bytes, is_lru);
	if (!rc)
		rc = open_tlb(&m->itlb, chosen(cfg->itlb, cfg->cpu->itlb), is_lru);
	if (!rc)
		rc = open_tlb(&m->dtlb, chosen(cfg->dtlb, cfg->cpu->dtlb), is_lru);
	if (rc)
		return rc;
	m->line_log2 = m->dcu.cache.line_log2;
	m->itlb.miss_wire = WIRE_P6_ITLB_MISS;
	m->itlb.walk_wire = WIRE_P6_WALK_ITLB;
	m->dtlb.miss_wire = WIRE_P6_DTLB_MISS;
	m->dtlb.walk_wire = WIRE_P6_WALK_DTLB;
	m->dcu.wc.size = cfg->cpu->has_sse ? WC_BUFFERS_PIII : WC_BUFFERS_OLD;
	m->dcu.wc.line_bytes = (uint16_t)(1u << m->line_log2);
	m->is_fast_shape = !is_lru && m->line_log2 == P6_FAST_LINE_LOG2 && is_fast(&m->dcu.cache) &&
			   is_fast(&m->ifu.cache) && m->dtlb.tlb.n_sets == P6_FAST_DTLB_SETS &&
			   m->dtlb.tlb.ways == P6_FAST_WAYS &&
			   m->itlb.tlb.n_sets == P6_FAST_ITLB_SETS &&
			   m->itlb.tlb.ways == P6_FAST_WAYS;
	m->is_fast_l2 = m->l2.is_there && !m->is_plain && !is_lru &&
			m->l2.cache.ways == P6_FAST_WAYS && m->line_log2 == P6_FAST_LINE_LOG2 &&
			m->l2.cache.set_log2 >= m->l2.cache.page_lines_log2;
	if (m->is_fast_shape) {
		memset(&m->fast, 0xff, sizeof(m->fast)); /* P6_NO_KEY, P6_NO_PAGE_TAG */
		m->dcu.filter = m->fast.dcu;
		m->ifu.has_filter = false;
		m->dtlb.filter = m->fast.dtlb;
		m->itlb.filter = m->fast.itlb;
	}
	return 0;
}

/* ---- what runs, and what is driven ----------------------------------------------------------- */

static bool is_of_l2(const struct cat_wire *w)
{
	return w->family == CAT_P6 && !strcmp(w->unit, "l2");
}

/* Does wire w of catalog/p6/wires.tsv have a number on this machine, when what it needs runs? */
static bool can_be(const struct p6 *m, const struct cat_wire *w)
{
	return w->family == CAT_P6 && (m->l2.is_there || !is_of_l2(w)) &&
	       !(w->need == CAT_NEED_ALONE && m->bus.has_peers);
}

/* Does what wire number i, *w, needs run? A need that is not here is not met. */
static bool is_met(const struct p6 *m, const struct mdl_config *cfg, unsigned i,
		   const struct cat_wire *w)
{
	switch ((enum cat_need)w->need) {
	case CAT_NEED_NEVER:
	case CAT_NEED_COUNTS: return true;
	case CAT_NEED_STREAM: return !cfg->is_count_only;
	case CAT_NEED_CLASSES: /* recorded only for those who ask */
		return cfg->wanted[i] && !cfg->is_count_only;
	case CAT_NEED_MEMORY:
	case CAT_NEED_ALONE: return m->has_mem;
	case CAT_NEED_BTB: return m->has_btb;
	case CAT_NEED_CLOCKS: return m->time.is_on;
	case CAT_NEED_DELIVERY: return m->time.is_on || cfg->has_interrupts;
	case CAT_NEED_SLOTS: return m->time.is_on && m->time.stack.is_on;
	case CAT_NEED_WATCH: return m->time.is_on && cfg->wanted[i];
	case CAT_NEED_RAISER: break;
	}
	return false;
}

/* Wire *w is wanted: what it needs must run. */
static void want(struct p6 *m, const struct mdl_config *cfg, const struct cat_wire *w)
{
	const bool is_slot = w->need == CAT_NEED_SLOTS, is_watch = w->need == CAT_NEED_WATCH;

	m->has_mem |= w->need == CAT_NEED_MEMORY || w->need == CAT_NEED_ALONE;
	m->has_btb |= w->need == CAT_NEED_BTB;
	m->time.is_on |= w->need == CAT_NEED_CLOCKS || is_slot || is_watch ||
			 (w->need == CAT_NEED_DELIVERY && !cfg->has_interrupts);
	m->time.stack.is_on |= is_slot;
	m->time.is_watching |= is_watch && cfg->p6.n_watch;
}

/* Which parts run, and so which wires are driven. */
static void choose_parts(struct p6 *m, const struct mdl_config *cfg)
{
	size_t n;
	const struct cat_wire *wire = cat_wires(&n);

	for (unsigned i = 0; i < n && i < WIRE_N && !cfg->is_count_only; i++)
		if (cfg->wanted[i] && can_be(m, &wire[i]))
			want(m, cfg, &wire[i]);
	m->time.is_on |= (cfg->on_line || cfg->timer_hz || cfg->p6.wrong_path == MDL_WRONG_LOADS) &&
			 !cfg->is_count_only;
	m->time.is_watched = cfg->on_line || m->time.stack.is_on || m->time.is_watching;
	m->time.on_line = cfg->on_line;
	m->time.line_ctx = cfg->line_ctx;
	/* with --wrong-path loads every count depends on time */
	m->has_mem |= m->time.is_on;
	m->has_btb |= m->time.is_on;
	for (unsigned i = 0; i < n && i < WIRE_N; i++)
		if (can_be(m, &wire[i]) && is_met(m, cfg, i, &wire[i]))
			m->system->wires->driven[i] = 1;
}

void p6_close(struct p6 *m)
{
	if (!m)
		return;
	p6_host_close(m);
	p6_log_write_close(m);
	ledger_close(m->ledger);
	m->ledger = NULL;
	p6_time_close(m);
	cache_close(&m->dcu.cache);
	cache_close(&m->ifu.cache);
	cache_close(&m->l2.cache);
	tlb_close(&m->itlb.tlb);
	tlb_close(&m->dtlb.tlb);
	btb_close(&m->btb.table);
	free(m->walker.note);
	free(m->dcu.memory);
	free(m->ifu.memory);
	free(m->itlb.memory);
	free(m->itlb.last);
	free(m->dtlb.memory);
	free(m->dtlb.last);
	blank_pages_free(m->blocks.position, sizeof(*m->blocks.position) << TRC_ID_BITS);
	p6_arena_free(m);
	free(m->blocks.counts);
	free(m->retire.mnemonic);
	free(m->retire.form);
	free(m->retire.own_uops);
	free(m);
}

/* Nothing but counts of executions until p6_begin(). */
static void wait_for_begin(struct p6 *m)
{
	m->later.has_mem = m->has_mem;
	m->later.has_btb = m->has_btb;
	m->later.is_timed = m->time.is_on;
	m->has_mem = m->has_btb = m->time.is_on = false;
}

int p6_open(const struct mdl_config *cfg, struct p6_system *system, struct p6 **out)
{
	struct p6 *m = calloc(1, sizeof(*m));
	int rc;

	if (!m)
		return -SPMU_ENOMEM;
	m->cpu = cfg->cpu;
	m->store = cfg->store;
	m->system = system;
	m->bus.has_peers = system->n > 1;
	m->is_plain = cfg->is_plain || cfg->n_uncached || cfg->p6.n_deferred || cfg->p6.mutation;
	m->strings.most_bytes =
	    cfg->most_string_bytes ? cfg->most_string_bytes : P6_MOST_STRING_BYTES;
	m->strings.is_over = cfg->is_over;
	m->strings.over_ctx = cfg->over_ctx;
	m->mmx.last = P6_FPMMX_X87;
	m->seg.is_machine = cfg->has_interrupts;
	m->pending_blk = P6_NO_ENTRY;
	m->stop_insn = P6_NEVER_STOP;
	m->blocks.position = blank_pages(sizeof(*m->blocks.position) << TRC_ID_BITS);
	rc = m->blocks.position ? open_memory(m, cfg) : -SPMU_ENOMEM;
	if (!rc)
		rc = p6_walk_open(m);
	if (!rc)
		rc = p6_walk_tables_open(m, cfg);
	if (!rc)
		rc = btb_open(&m->btb.table, cfg->cpu->btb_entries, cfg->cpu->btb_ways);
	if (!rc && (!cfg->cpu->rsb_entries || cfg->cpu->rsb_entries > RSB_MAX_ENTRIES))
		rc = -SPMU_EINVAL;
	if (!rc)
		rc = p6_mutate(m, cfg->p6.mutation);
	if (rc) {
		p6_close(m);
		return rc;
	}
	m->btb.rsb.size = (uint8_t)cfg->cpu->rsb_entries;
	p6_ranges_open(m, cfg);
	choose_parts(m, cfg);
	rc = p6_time_open(m, cfg);
	if (rc) {
		p6_close(m);
		return rc;
	}
	m->is_served = m->is_fast_l2 && !m->time.watch;
	m->is_fast_miss = m->is_served && m->is_fast_shape && m->walker.is_on && !m->time.is_on &&
			  !m->is_plain && !m->bus.has_peers && !m->bus.deferred.n;
	if (cfg->has_ledger)
		rc = m->time.watch ? -SPMU_ENOTSUP : p6_ledger_open(m, cfg->wanted);
	if (rc) {
		p6_close(m);
		return rc;
	}
	if (m->has_mem && m->has_btb && !m->is_plain && !m->time.is_on && !cfg->has_no_host_code)
		p6_host_open(m, cfg->host_code_after); /* without it feed.c does everything */
	if (cfg->is_waiting)
		wait_for_begin(m);
	*out = m;
	return 0;
}

void p6_begin(struct p6 *m)
{
	m->has_mem = m->later.has_mem;
	m->has_btb = m->later.has_btb;
	m->time.is_on = m->later.is_timed;
}

int p6_add_counts(struct p6 *m, uint32_t id, uint64_t times, uint64_t taken)
{
	uint32_t entry = p6_meet(m, id);
	struct p6_blk *b;

	if (entry == P6_NO_ENTRY)
		return -SPMU_EPROTO;
	b = p6_blk_at(m, entry);
	b->n_exec += times;
	m->n_insn += times * b->n_insn;
	if (b->term == X86_TERM_JCC)
		m->btb.n_taken += taken;
	if (m->ledger)
		ledger_book(m->ledger, id, b->n_insn - 1u);
	return 0;
}

/* Add what the compiled blocks counted by their executions to total[]. */
static void add_executions(struct p6 *m, uint64_t *total)
{
	p6_host_fold(m);
	p6_time_host_fold(m);
	for (uint32_t id = 0; id < m->blocks.n_compiled; id++) {
		const struct p6_blk *b;

		if (m->blocks.position[id] == P6_NO_ENTRY)
			continue;
		b = p6_blk_at(m, m->blocks.position[id]);
		for (unsigned k = 0; k < b->n_count && b->n_exec; k++)
			total[m->blocks.counts[b->counts + k].wire] +=
			    b->n_exec * m->blocks.counts[b->counts + k].n;
	}
}

void p6_forget_blocks(struct p6 *m)
{
	if (m->time.is_on)
		p6_time_forget(m);
	if (m->time.watch)
		p6_watch_hold(m);
	add_executions(m, m->dyn);
	if (m->time.watch) /* it has its clocks already */
		p6_watch_skip(m);
	p6_host_again(m);
	p6_time_host_close(m);
	memset(m->blocks.position, 0, m->blocks.n_compiled * sizeof(*m->blocks.position));
	m->blocks.n_compiled = 0;
	p6_arena_free(m);
	free(m->blocks.counts);
	m->blocks.counts = NULL;
	m->blocks.counts_used = m->blocks.counts_size = 0;
	m->pending_blk = P6_NO_ENTRY; /* m->pending stays: it names addresses only */
	if (m->ledger)
		ledger_forget(m->ledger);
}

void p6_executions(struct p6 *m, uint64_t *total)
{
	add_executions(m, total);
}

void p6_times(struct p6 *m, uint64_t *times, uint32_t n)
{
	p6_host_fold(m);
	p6_time_host_fold(m);
	for (uint32_t id = 0; id < n && id < m->blocks.n_compiled; id++)
		if (m->blocks.position[id] != P6_NO_ENTRY)
			times[id] += p6_blk_at(m, m->blocks.position[id])->n_exec;
}

void p6_add_once(struct p6 *m, uint32_t id, uint64_t times, uint64_t *total)
{
	const uint32_t entry = m->is_plain ? P6_NO_ENTRY : p6_meet(m, id);
	const struct p6_blk *b;

	if (entry == P6_NO_ENTRY)
		return;
	b = p6_blk_at(m, entry);
	for (unsigned k = 0; k < b->n_count; k++)
		total[m->blocks.counts[b->counts + k].wire] +=
		    times * m->blocks.counts[b->counts + k].n;
}

void p6_sum_rest(struct p6 *m, uint64_t *total)
{
	for (unsigned i = 0; i < m->system->n; i++)
		p6_time_settle(
		    m->system->cpu[i]); /* what one does on the bus counts on the others, too */
	p6_sum_now(m, total);
}

void p6_sum_now(struct p6 *m, uint64_t *total)
{
	p6_memo_fold(m);
	for (unsigned wire = WIRE_P6_FIRST; wire < WIRE_P6_END; wire++)
		total[wire] += m->dyn[wire];
	if (m->time.stack.is_on) /* the rest of the last clock */
		total[WIRE_P6_CORE_SLOT_TAKEN] +=
		    m->time.retire_clk * m->time.par.retire_uops - m->time.stack.next;
	if (m->time.watch)
		p6_watch_sum(m, total);
	p6_int_sum(m, total);
	p6_l2_add_served(m, total);
	total[WIRE_P6_RETIRE_TAKEN] += m->btb.n_taken;
}

void p6_sum(struct p6 *m, uint64_t *total)
{
	p6_sum_rest(m, total);
	add_executions(m, total);
}

const char *p6_cannot_occur(const struct p6 *m, unsigned wire)
{
	size_t n;
	const struct cat_wire *w = cat_wires(&n);

	if (!m->l2.is_there && wire < n && is_of_l2(&w[wire]))
		return "this processor has no second-level cache";
	return NULL;
}
