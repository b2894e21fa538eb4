/* system.c -- the machine as the plug sees it: one processor or several on one bus.
 *
 * Thread t of the program runs on processor t modulo their number. Processors act one after the
 * other in the order of the stream, so that an inquiry finds the others at rest. Each has a time of
 * its own, in which it meets no other's cycles: what they do to its lines, and what it waits for
 * theirs, does not depend on their clocks.
 *
 * COUNTING RULES   totals are sums over the processors, clocks too. Counts of blocks (tier 1)
 *                  belong to the first.
 */
#include "model/p5/p5.h"
#include "model/p5/blocks/ledger.h"
#include "model/p5/loops/feed.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/family.h"
#include "model/parts/contexts.h"

static void system_close(void *self)
{
	struct p5_system *s = self;

	if (!s)
		return;
	for (unsigned i = 0; i < s->turns.n; i++)
		p5_close(s->cpu[i]);
	pages_close(&s->pages);
	tables_close(s->tables);
	direct_close(&s->board.l2);
	free(s);
}

static int system_open(const struct mdl_config *cfg, struct wires *w, void **self)
{
	struct p5_system *s;
	int rc = 0;

	if (cfg->n_cpus > MDL_MAX_CPUS || cfg->l2.size_bytes) /* an L2 is the board's: --board */
		return -SPMU_EINVAL;
	s = calloc(1, sizeof(*s));
	if (!s)
		return -SPMU_ENOMEM;
	s->wires = w;
	s->turns.n = cfg->n_cpus ? cfg->n_cpus : 1;
	s->tables = cfg->has_tables ? tables_open() : NULL;
	if (cfg->has_tables && !s->tables)
		rc = -SPMU_ENOMEM;
	for (unsigned i = 0; i < s->turns.n && !rc; i++)
		rc = p5_open(cfg, s, &s->cpu[i]);
	if (!rc)
		rc = pages_open(&s->pages, p5_colours_log2(s->cpu[0]), cfg->phys == MDL_PHYS_RANDOM,
				cfg->phys_seed);
	if (rc) {
		system_close(s);
		return rc;
	}
	s->owner = s->cpu[0];
	*self = s;
	return 0;
}

static int system_feed(void *self, const uint8_t *bytes, size_t n)
{
	struct p5_system *s = self;
	const uint8_t *p = bytes, *const end = bytes + n;
	int rc;

	while ((rc = p5_feed(s->cpu[s->turns.running], p, (size_t)(end - p))) == TURNS_OTHER)
		p = s->turns.resume;
	return rc;
}

static int system_add_counts(void *self, uint32_t id, uint64_t times, uint64_t taken)
{
	struct p5_system *s = self;

	return p5_add_counts(s->cpu[0], id, times, taken);
}

static uint64_t system_instructions(const void *self)
{
	const struct p5_system *s = self;
	uint64_t n = 0;

	for (unsigned i = 0; i < s->turns.n; i++) {
		p5_memo_count(s->cpu[i]);
		n += s->cpu[i]->n_insn;
	}
	return n;
}

static uint64_t system_unseen(void *self, uint32_t id, unsigned wire)
{
	struct p5_system *s = self;

	return p5_unseen(s->cpu[s->turns.running], id, wire);
}

static void system_executions(void *self, uint64_t *total)
{
	struct p5_system *s = self;

	for (unsigned i = 0; i < s->turns.n; i++) {
		p5_memo_count(s->cpu[i]);
		p5_executions(s->cpu[i], total);
	}
}

static void system_times(void *self, uint64_t *times, uint32_t n)
{
	struct p5_system *s = self;

	for (unsigned i = 0; i < s->turns.n; i++) {
		p5_memo_count(s->cpu[i]);
		p5_times(s->cpu[i], times, n);
	}
}

static void system_add_once(void *self, uint32_t id, uint64_t times, uint64_t *total)
{
	struct p5_system *s = self;

	p5_add_once(s->cpu[s->turns.running], id, times, total);
}

/* Writes that are neither absent nor shared are those to E or M. */
static void complete(uint64_t *total)
{
	total[WIRE_P5_DCACHE_WRITE_HIT_ME] += p5_writes_hit(total);
}

static void system_peek(void *self, const uint64_t *executions)
{
	struct p5_system *s = self;
	uint64_t total[WIRE_N];

	memcpy(total + WIRE_P5_FIRST, executions + WIRE_P5_FIRST,
	       (WIRE_P5_END - WIRE_P5_FIRST) * sizeof(*total));
	for (unsigned i = 0; i < s->turns.n; i++) {
		p5_memo_count(s->cpu[i]);
		p5_sum_rest(s->cpu[i], total);
	}
	complete(total);
	wire_show(s->wires, total, WIRE_P5_FIRST, WIRE_P5_END);
}

static void system_finish_with(void *self, const uint64_t *executions)
{
	struct p5_system *s = self;

	for (unsigned i = 0; i < s->turns.n;
	     i++) /* what one does on the bus counts on the others, too */
		p5_time_catch_up(s->cpu[i]);
	system_peek(s, executions);
}

static void system_finish(void *self)
{
	uint64_t total[WIRE_N] = {0};

	system_executions(self, total);
	system_finish_with(self, total);
}

static void system_begin(void *self)
{
	struct p5_system *s = self;

	for (unsigned i = 0; i < s->turns.n; i++)
		p5_begin(s->cpu[i]);
}

static void system_forget_blocks(void *self)
{
	struct p5_system *s = self;

	for (unsigned i = 0; i < s->turns.n; i++)
		p5_forget_blocks(s->cpu[i]);
}

static void system_cpu_totals(void *self, unsigned cpu, uint64_t *total)
{
	struct p5_system *s = self;
	uint64_t own[WIRE_N] = {0};

	if (cpu >= s->turns.n)
		return;
	p5_memo_count(s->cpu[cpu]);
	p5_executions(s->cpu[cpu], own);
	p5_sum_rest(s->cpu[cpu], own);
	complete(own);
	for (unsigned wire = WIRE_P5_FIRST; wire < WIRE_P5_END; wire++)
		total[wire] += own[wire];
}

static const char *system_cannot_occur(const void *self, unsigned wire)
{
	(void)self;
	(void)wire;
	return NULL;
}

static void system_bounds(void *self, const struct x86_block *b, unsigned insn, uint64_t items,
			  struct mdl_bounds *out)
{
	struct p5_system *s = self;

	p5_bounds(s->cpu[s->turns.running], b, insn, items, out);
}

static uint64_t system_backlog(const void *self)
{
	const struct p5_system *s = self;

	return p5_backlog(s->cpu[s->turns.running]);
}

static int system_take_ledger(void *self, const struct mdl_visit *visit, size_t n,
			      mdl_take_posting *take, void *ctx)
{
	struct p5_system *s = self;
	int rc = 0;

	for (unsigned i = 0; i < s->turns.n && !rc; i++) {
		p5_memo_count(s->cpu[i]);
		rc = s->cpu[i]->ledger ? p5_ledger_take(s->cpu[i], visit, i ? 0 : n, take, ctx)
				       : -SPMU_ENOTSUP;
	}
	return rc;
}

static void system_set_context(void *self, uint32_t context)
{
	struct p5_system *s = self;

	for (unsigned i = 0; i < s->turns.n; i++)
		if (s->cpu[i]->ledger)
			ledger_set_context(s->cpu[i]->ledger, context);
}

static int system_take_contexts(void *self, const struct mdl_visit *visit, size_t n,
				mdl_take_posting *take, void *ctx)
{
	struct p5_system *s = self;

	return s->cpu[0]->ledger ? p5_ledger_take_contexts(s, visit, n, take, ctx) : -SPMU_ENOTSUP;
}

/* Of the first processor. */
static const char *system_path(const void *self, unsigned i, uint64_t *entered)
{
	const struct p5_system *s = self;
	const struct p5 *m = s->cpu[0];
	const struct {
		const char *name;
		uint64_t entered;
	} path[] = {
	    {"plain", m->is_plain ? m->n_insn : 0}, {"loop", m->is_plain ? 0 : m->n_insn},
	    {"worked-out", m->memo.n_new},	    {"kept", m->memo.n_known},
	    {"host-code", m->host.n_program},
	};

	if (i >= sizeof(path) / sizeof(path[0]))
		return NULL;
	*entered = path[i].entered;
	return path[i].name;
}

const struct mdl_family mdl_p5 = {
    .open = system_open,
    .close = system_close,
    .feed = system_feed,
    .add_counts = system_add_counts,
    .begin = system_begin,
    .instructions = system_instructions,
    .unseen = system_unseen,
    .finish = system_finish,
    .executions = system_executions,
    .add_once = system_add_once,
    .times = system_times,
    .finish_with = system_finish_with,
    .forget_blocks = system_forget_blocks,
    .cpu_totals = system_cpu_totals,
    .cannot_occur = system_cannot_occur,
    .reason = p5_reason,
    .peek = system_peek,
    .bounds = system_bounds,
    .backlog = system_backlog,
    .take_ledger = system_take_ledger,
    .set_context = system_set_context,
    .take_contexts = system_take_contexts,
    .path = system_path,
};
