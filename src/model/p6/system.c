/* system.c -- the machine as the plug sees it: one processor or several on one bus.
 *
 * Thread t of the program runs on processor t modulo their number. Processors act one after the
 * other in the order of the stream, each through all of its caches, so that a request finds the
 * others at rest: what the bus does to a line never depends on time.
 *
 * COUNTING RULES   totals are sums over the processors. Counts of blocks (tier 1) belong to the
 *                  first.
 */

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/family.h"
#include "model/p6/host/host.h"
#include "model/p6/kept/memo.h"
#include "model/p6/team/sample.h"
#include "model/p6/team/team.h"
#include "model/p6/blocks/ledger.h"
#include "model/p6/clocks/asked/time_reading.h"
#include "model/p6/loops/feed.h"
#include "model/p6/loops/group.h"
#include "model/p6/units/bus.h"
#include "model/p6/units/bus_clocks.h"
#include "model/parts/contexts.h"

/* Systems of one processor each whose caches differ, and the front that does the loop for them. The
 * owner is the first of them: it is fed, and closes what is here. */
struct p6_led {
	struct p6_system *owner, *front;
	struct wires wires; /* the front's, which nobody reads */
	struct p6_group group;
};

static void system_close(void *self);

static void close_led(struct p6_led *l)
{
	for (unsigned i = 0; i < l->group.n; i++)
		l->group.member[i]->system->led = NULL;
	system_close(l->front);
	free(l);
}

static void system_close(void *self)
{
	struct p6_system *s = self;

	if (!s)
		return;
	if (s->led && s->led->owner == s)
		close_led(s->led);
	p6_team_close(s->team);
	for (unsigned i = 0; i < s->n; i++)
		p6_close(s->cpu[i]);
	pages_close(&s->pages);
	tables_close(s->tables);
	free(s);
}

/* A team does the clocks of s, which has one processor, if it can. Returns as mdl_open(). */
static int form_team(struct p6_system *s, const struct mdl_config *cfg)
{
	const struct p6_sums sums = {p6_sum_now, p6_sum_ahead, p6_sum_rest};
	struct mdl_config scout = *cfg;
	int rc;

	if (!p6_team_can(s->cpu[0], cfg))
		return 0;
	p6_close(s->cpu[0]);
	s->cpu[0] = NULL;
	p6_team_scout(&scout);
	rc = p6_open(&scout, s, &s->cpu[0]);
	return rc ? rc : p6_team_open(cfg, s, &sums, &s->team);
}

static int system_open(const struct mdl_config *cfg, struct wires *w, void **self)
{
	struct p6_system *s;
	int rc = 0;

	if (cfg->n_cpus > MDL_MAX_CPUS)
		return -SPMU_EINVAL;
	s = calloc(1, sizeof(*s));
	if (!s)
		return -SPMU_ENOMEM;
	s->wires = w;
	s->n = s->turns.n = cfg->n_cpus ? cfg->n_cpus : 1;
	s->tables = cfg->has_tables ? tables_open() : NULL;
	if (cfg->has_tables && !s->tables)
		rc = -SPMU_ENOMEM;
	for (unsigned i = 0; i < s->n && !rc; i++)
		rc = p6_open(cfg, s, &s->cpu[i]);
	if (!rc)
		rc = form_team(s, cfg);
	if (!rc)
		rc = pages_open(&s->pages, p6_colours_log2(s->cpu[0]), cfg->phys == MDL_PHYS_RANDOM,
				cfg->phys_seed);
	if (rc) {
		system_close(s);
		return rc;
	}
	s->pages.keeps_order = s->team != NULL;
	for (unsigned i = 0; i < s->n; i++)
		s->cpu[i]->walker.colour = s->pages.colour;
	*self = s;
	return 0;
}

/* ---- groups ---------------------------------------------------------------------------------- */

/* Can the machine be a member of a group? Its caches may be any. */
static bool can_be_led(const struct p6_system *s)
{
	const struct p6 *m = s->cpu[0];

	return s->n == 1 && !s->team && !s->tables && m->has_mem && !m->time.is_on &&
	       !m->is_plain && !m->ledger && !m->log.is_on;
}

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* The geometry of a front: as many sets as the members have at least, one way each. */
static void set_front(struct mdl_config *cfg, const struct p6_group *g)
{
	uint32_t dcu = UINT32_MAX, ifu = UINT32_MAX, dtlb = UINT32_MAX, itlb = UINT32_MAX;
	const uint16_t line = (uint16_t)(1u << g->member[0]->line_log2);
	size_t n;
	const struct cat_wire *wire = cat_wires(&n);

	for (unsigned i = 0; i < g->n; i++) {
		dcu = least(dcu, g->member[i]->dcu.cache.n_sets);
		ifu = least(ifu, g->member[i]->ifu.cache.n_sets);
		dtlb = least(dtlb, g->member[i]->dtlb.tlb.n_sets);
		itlb = least(itlb, g->member[i]->itlb.tlb.n_sets);
	}
	cfg->l1d = (struct mdl_geom){dcu * line, 1, line};
	cfg->l1i = (struct mdl_geom){ifu * line, 1, line};
	cfg->l2 = (struct mdl_geom){0, 0, line};
	cfg->dtlb = (struct mdl_geom){dtlb, 1, 0};
	cfg->itlb = (struct mdl_geom){itlb, 1, 0};
	for (unsigned i = 0; i < n && i < WIRE_N; i++)
		if (wire[i].need == CAT_NEED_MEMORY || wire[i].need == CAT_NEED_ALONE)
			cfg->wanted[i] = 0; /* it has no caches */
}

/* Give the group a front that suits all members. Returns false without memory. */
static bool find_front(struct p6_led *l, const struct mdl_config *cfg)
{
	struct mdl_config *own = malloc(sizeof(*own));
	void *front = NULL;
	int rc = -SPMU_ENOMEM;

	if (own) {
		*own = *cfg;
		set_front(own, &l->group);
		memset(&l->wires, 0, sizeof(l->wires));
		rc = system_open(own, &l->wires, &front);
	}
	free(own);
	if (rc)
		return false;
	system_close(l->front);
	l->front = front;
	p6_group_lead(&l->group, l->front->cpu[0]);
	return true;
}

static void add_member(struct p6_led *l, struct p6_system *s)
{
	s->led = l;
	p6_host_close(s->cpu[0]); /* the front meets its blocks */
	l->group.member[l->group.n++] = s->cpu[0];
}

static void system_join(void *first, void *more, const struct mdl_config *cfg)
{
	struct p6_system *s = first, *t = more;
	const struct p6 *a = s->cpu[0], *b = t->cpu[0];
	const bool is_new = !s->led;

	if (t->led || !can_be_led(s) || !can_be_led(t) || a->cpu != b->cpu ||
	    a->store != b->store || a->line_log2 != b->line_log2 || a->has_btb != b->has_btb ||
	    (s->led && (s->led->owner != s || s->led->group.n == P6_MOST_MEMBERS)))
		return;
	if (is_new) {
		struct p6_led *l = calloc(1, sizeof(*l));

		if (!l)
			return;
		l->owner = s;
		add_member(l, s);
	}
	add_member(s->led, t);
	if (find_front(s->led, cfg))
		return;
	t->led = NULL; /* it feeds itself */
	s->led->group.n--;
	if (is_new)
		close_led(s->led);
}

static int system_feed(void *self, const uint8_t *bytes, size_t n)
{
	struct p6_system *s = self;
	const uint8_t *p = bytes, *const end = bytes + n;
	int rc;

	if (s->led)
		return s->led->owner == s ? p6_feed(s->led->front->cpu[0], bytes, n) : 0;
	if (s->team)
		return p6_team_feed(s->team, bytes, end);
	while ((rc = p6_feed(s->cpu[s->turns.running], p, (size_t)(end - p))) == TURNS_OTHER)
		p = s->turns.resume;
	return rc;
}

static int system_add_counts(void *self, uint32_t id, uint64_t times, uint64_t taken)
{
	struct p6_system *s = self;

	return p6_add_counts(s->cpu[0], id, times, taken);
}

static uint64_t system_instructions(const void *self)
{
	const struct p6_system *s = self;
	uint64_t n = 0;

	if (s->led)
		s = s->led->front;
	for (unsigned i = 0; i < s->n; i++)
		n += s->cpu[i]->n_insn;
	return n;
}

static uint64_t system_unseen(void *self, uint32_t id, unsigned wire)
{
	struct p6_system *s = self;

	return p6_unseen(s->team ? p6_team_last(s->team) : s->cpu[s->turns.running], id, wire);
}

/* Core clocks in which anybody drives data: what processors receive and what they drive, but what
 * one drives and another receives only once. */
static uint64_t drdy_any(const struct p6_system *s, const uint64_t *total)
{
	uint64_t clocks = total[WIRE_P6_BUS_DATA_RCV] + total[WIRE_P6_BUS_DRDY_SELF];

	for (unsigned i = 0; i < s->n; i++)
		clocks -= s->cpu[i]->bus.n_supplied * p6_bus_line_clocks(s->cpu[0]);
	return p6_bus_to_core_clocks(s->cpu[0], clocks);
}

static void system_executions(void *self, uint64_t *total)
{
	struct p6_system *s = self;

	if (s->led)
		s = s->led->front;
	for (unsigned i = 0; i < s->n; i++)
		p6_executions(s->cpu[i], total);
}

static void system_times(void *self, uint64_t *times, uint32_t n)
{
	struct p6_system *s = self;

	if (s->led)
		s = s->led->front;
	for (unsigned i = 0; i < s->n; i++)
		p6_times(s->cpu[i], times, n);
}

static void system_add_once(void *self, uint32_t id, uint64_t times, uint64_t *total)
{
	struct p6_system *s = self;

	p6_add_once(s->cpu[s->turns.running], id, times, total);
}

/* What a member does not count itself. */
static void add_front(struct p6 *front, const uint64_t *executions, uint64_t *total)
{
	uint64_t own[WIRE_N] = {0};

	p6_sum_rest(front, own);
	p6_group_sum(executions, own, total);
}

/* All that was counted, with or without what waits. */
static void sum_up(struct p6_system *s, const uint64_t *executions,
		   void sum(struct p6 *m, uint64_t *total))
{
	uint64_t total[WIRE_N];

	memcpy(total + WIRE_P6_FIRST, executions + WIRE_P6_FIRST,
	       (WIRE_P6_END - WIRE_P6_FIRST) * sizeof(*total));
	for (unsigned i = 0; i < s->n; i++)
		sum(s->cpu[i], total);
	if (s->team)
		p6_team_sum(s->team, total, sum);
	if (s->led)
		add_front(s->led->front->cpu[0], executions, total);
	total[WIRE_P6_BUS_DRDY_ANY] = drdy_any(s, total);
	wire_show(s->wires, total, WIRE_P6_FIRST, WIRE_P6_END);
}

static void system_finish_with(void *self, const uint64_t *executions)
{
	sum_up(self, executions, p6_sum_rest);
}

static void system_peek(void *self, const uint64_t *executions)
{
	sum_up(self, executions, p6_sum_ahead);
}

static void system_finish(void *self)
{
	uint64_t total[WIRE_N] = {0};

	system_executions(self, total);
	system_finish_with(self, total);
}

static bool system_has_parts(const void *self)
{
	const struct p6_system *s = self;

	return s->team && p6_team_has_parts(s->team);
}

static int system_part(void *self, uint64_t *part)
{
	struct p6_system *s = self;
	uint64_t total[WIRE_N] = {0};
	int rc;

	system_executions(self, total);
	p6_sum_ahead(s->cpu[0], total);
	rc = p6_team_part(s->team, total, part);
	total[WIRE_P6_BUS_DRDY_ANY] = drdy_any(s, total);
	wire_show(s->wires, total, WIRE_P6_FIRST, WIRE_P6_END);
	return rc;
}

static int system_part_totals(void *self, const uint64_t *part, uint64_t *total, uint64_t *half)
{
	struct p6_system *s = self;

	return p6_team_part_totals(s->team, part, total, half);
}

static int system_part_begin(void *self)
{
	struct p6_system *s = self;

	return p6_team_part_begin(s->team);
}

static void system_begin(void *self)
{
	struct p6_system *s = self;

	for (unsigned i = 0; i < s->n; i++)
		p6_begin(s->cpu[i]);
}

static void forget_front(struct p6_led *l)
{
	uint64_t total[WIRE_N] = {0};

	p6_executions(l->front->cpu[0], total);
	p6_group_add(&l->group, total);
	p6_forget_blocks(l->front->cpu[0]);
}

static void system_forget_blocks(void *self)
{
	struct p6_system *s = self;

	if (s->led && s->led->owner == s)
		forget_front(s->led);
	if (s->team)
		p6_team_forget(s->team);
	for (unsigned i = 0; i < s->n; i++)
		p6_forget_blocks(s->cpu[i]);
}

static void system_cpu_totals(void *self, unsigned cpu, uint64_t *total)
{
	struct p6_system *s = self;

	if (cpu < s->n)
		p6_sum(s->cpu[cpu], total);
	if (cpu < s->n && s->team)
		p6_team_sum(s->team, total, p6_sum_rest);
}

static void system_rest(void *self)
{
	struct p6_system *s = self;

	if (s->team)
		p6_team_rest(s->team);
}

static const char *system_cannot_occur(const void *self, unsigned wire)
{
	const struct p6_system *s = self;

	return p6_cannot_occur(s->cpu[0], wire);
}

static void system_bounds(void *self, const struct x86_block *b, unsigned insn, uint64_t items,
			  struct mdl_bounds *out)
{
	struct p6_system *s = self;

	p6_bounds(s->cpu[s->turns.running], b, insn, items, out);
}

static void system_bounds_of_hits(void *self, const struct x86_block *b, unsigned from, unsigned to,
				  struct mdl_bounds *out)
{
	struct p6_system *s = self;

	p6_bounds_of_hits(s->cpu[s->turns.running], b, from, to, out);
}

static bool system_hits(void *self, const struct x86_block *b, unsigned from, unsigned to,
			const uint8_t *slots)
{
	struct p6_system *s = self;

	return !s->team && p6_hits(s->cpu[s->turns.running], b, from, to, slots);
}

static uint64_t system_backlog(const void *self)
{
	const struct p6_system *s = self;

	if (s->team)
		p6_note_backlog(p6_team_last(s->team)); /* all that it was fed is done */
	return p6_backlog(s->team ? p6_team_last(s->team) : s->cpu[s->turns.running]);
}

static int system_take_ledger(void *self, const struct mdl_visit *visit, size_t n,
			      mdl_take_posting *take, void *ctx)
{
	struct p6_system *s = self;
	int rc = 0;

	for (unsigned i = 0; i < s->n && !rc; i++) {
		p6_host_fold(s->cpu[i]);
		p6_memo_fold(s->cpu[i]);
		rc = s->cpu[i]->ledger ? p6_ledger_take(s->cpu[i], visit, i ? 0 : n, take, ctx)
				       : -SPMU_ENOTSUP;
	}
	return s->team && !rc ? p6_team_take_ledger(s->team, take, ctx) : rc;
}

static void system_set_context(void *self, uint32_t context)
{
	struct p6_system *s = self;

	for (unsigned i = 0; i < s->n; i++)
		if (s->cpu[i]->ledger)
			ledger_set_context(s->cpu[i]->ledger, context);
}

static int system_take_contexts(void *self, const struct mdl_visit *visit, size_t n,
				mdl_take_posting *take, void *ctx)
{
	struct p6_system *s = self;

	return s->cpu[0]->ledger ? p6_ledger_take_contexts(s, visit, n, take, ctx) : -SPMU_ENOTSUP;
}

/* Of the first processor, and of no worker. */
static const char *system_path(const void *self, unsigned i, uint64_t *entered)
{
	const struct p6_system *s = self;
	const struct p6 *m = s->cpu[0];
	const uint64_t n = m->n_insn;
	const struct {
		const char *name;
		uint64_t entered;
	} path[] = {
	    {"plain", m->is_plain ? n : 0},
	    {"loop", m->is_plain ? 0 : n},
	    {"unaligned", m->path.cut},
	    {"host-code", m->host.n_block},
	    {"worked-out", m->path.worked_out},
	    {"usual", m->path.usual},
	    {"kept", m->time.is_on && n > m->path.worked_out ? n - m->path.worked_out : 0},
	    {"host-code-in-time", m->time.host.n_block},
	};

	if (i >= sizeof(path) / sizeof(path[0]))
		return NULL;
	*entered = path[i].entered;
	return path[i].name;
}

const struct mdl_family mdl_p6 = {
    .open = system_open,
    .close = system_close,
    .join = system_join,
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
    .reason = p6_reason,
    .rest = system_rest,
    .peek = system_peek,
    .bounds = system_bounds,
    .bounds_of_hits = system_bounds_of_hits,
    .hits = system_hits,
    .backlog = system_backlog,
    .take_ledger = system_take_ledger,
    .set_context = system_set_context,
    .take_contexts = system_take_contexts,
    .path = system_path,
    .has_parts = system_has_parts,
    .part = system_part,
    .part_totals = system_part_totals,
    .part_begin = system_part_begin,
};
