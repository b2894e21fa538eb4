/* watch.c -- part of unit core: counts by what happens in single clocks (counter mask, inverted,
 * edge).
 *
 * COUNTING RULES   an event's value in a clock is the sum of its wires in it. A comparison counts
 *                  the clocks in which it is at least the counter mask, inverted those in which it
 *                  is below; as edges, how often such a stretch begins.
 * MODELLED         decoding, renaming, retirement of micro-ops and instructions, loads and stores,
 *                  stalls, lines on their way, the divider and the buses in their own clocks; what
 *                  is counted by execution in the clock in which the instruction's last micro-op is
 *                  dispatched, MMX micro-ops each in its own (clocks of the bus: at the core clock
 *                  that begins one). Misses, lines and transactions lie where their access puts
 *                  them (watch_stages.c). Whatever else an instruction raises, what became of a
 *                  branch with it, lies in the clock in which the instruction before it retires
 *                  (chosen).
 * NOT MODELLED     clocks behind the last retirement.
 * SOURCES          Intel 243192, PerfEvtSel (what the bits do).
 */

#include "model/p6/units/bus.h"
#include "model/p6/units/retire.h"
#include "model/p6/units/bus_clocks.h"
#include <stdlib.h>

#include "base/error.h"

/* clocks between the oldest that can still be raised and the youngest; beyond it they share one */
#define WINDOW 65536u
#define SLACK  128u
#define WAYS   16u /* micro-ops of an MMX instruction: EMMS has 11 */

struct series {
	uint8_t cmask;
	bool is_inverted, is_edge, has_clk, was;
	bool is_of_bus; /* it has a value in clocks of the bus only: edges lie between them */
	uint64_t count;
	uint16_t value[WINDOW];
};

/* A value that p6_watch_aside() will put back. */
struct was {
	uint16_t *at, value;
};

struct p6_watch {
	uint32_t of[WIRE_N];   /* series that the wire is of, a bit each */
	uint64_t seen[WIRE_N]; /* of the wire's total: has a clock */
	uint16_t wire[WIRE_N];
	unsigned n_wire;
	uint64_t base; /* the oldest clock that is not counted yet */
	unsigned n;
	uint32_t has; /* series that somebody wants */
	/* of the present instruction's micro-ops, stored data aside: when they were dispatched */
	uint64_t at[WAYS];
	unsigned n_at;
	uint64_t exec_clk;     /* when its last micro-op that computes or loads was */
	uint64_t chunk_clk;    /* the last chunk of code was asked for */
	uint64_t bus_ratio2;   /* core clocks of two bus clocks */
	uint64_t held[WIRE_N]; /* raised without a clock when p6_watch_hold() came */
	bool is_aside;	       /* what changes is noted: */
	struct was *was;
	size_t n_was, room_was;
	struct p6_watch *kept; /* what lies before s[] */
	struct series s[];
};

static bool is_of_bus(unsigned wire)
{
	return wire == WIRE_P6_BUS_REQ_OUTSTANDING || wire == WIRE_P6_BUS_DATA_RCV ||
	       wire == WIRE_P6_BUS_DRDY_SELF;
}

int p6_watch_open(struct p6 *m, const struct mdl_config *cfg)
{
	struct p6_watch *w;

	if (!m->time.is_watching)
		return 0;
	w = calloc(1, sizeof(*w) + cfg->p6.n_watch * sizeof(struct series));
	if (!w)
		return -SPMU_ENOMEM;
	m->time.watch = w;
	w->n = cfg->p6.n_watch;
	for (unsigned k = 0; k < w->n; k++) {
		const struct mdl_watch *c = &cfg->p6.watch[k];
		struct series *s = &w->s[k];

		if (!cfg->wanted[WIRE_P6_CORE_WATCH0 + k])
			continue;
		w->has |= 1u << k;
		s->cmask = c->cmask ? c->cmask : 1;
		s->is_inverted = c->cmask && c->is_inverted;
		s->is_edge = c->is_edge;
		s->was = s->is_inverted; /* nothing begins in the first clock */
		s->is_of_bus = c->n_wire && is_of_bus(c->wire[0]);
		for (unsigned i = 0; i < c->n_wire && i < MDL_WATCH_WIRES; i++) {
			const unsigned wire = c->wire[i];

			s->has_clk |= wire == WIRE_P6_CORE_CLK;
			if (!w->of[wire])
				w->wire[w->n_wire++] = (uint16_t)wire;
			w->of[wire] |= 1u << k;
		}
	}
	w->base = 1;
	w->bus_ratio2 = p6_bus_to_core_clocks(m, 2);
	return p6_stages_open(m);
}

void p6_watch_close(struct p6 *m)
{
	p6_stages_close(m);
	if (m->time.watch) {
		free(m->time.watch->was);
		free(m->time.watch->kept);
	}
	free(m->time.watch);
	m->time.watch = NULL;
}

/* The first clock from clk on in which a bus clock begins. */
static uint64_t bus_clock(const struct p6_watch *w, uint64_t clk)
{
	return (clk * 2 + w->bus_ratio2 - 1) / w->bus_ratio2 * w->bus_ratio2 / 2;
}

/* One clock of s. Returns what it adds. */
static inline unsigned judge(const struct p6_watch *w, const struct series *s, uint64_t clk,
			     bool *was)
{
	const unsigned value = s->value[clk % WINDOW] + s->has_clk;
	const bool is_met = (value >= s->cmask) != s->is_inverted;
	const unsigned n = is_met && !(s->is_edge && *was);

	if (s->is_edge && s->is_of_bus && bus_clock(w, clk) != clk)
		return 0;
	*was = is_met;
	return n;
}

/* Nothing before clk is raised any more. */
static void settle(struct p6_watch *w, uint64_t clk)
{
	for (unsigned k = 0; k < w->n; k++) {
		struct series *s = &w->s[k];

		if (!(w->has >> k & 1))
			continue;
		for (uint64_t c = w->base; c < clk; c++) {
			s->count += judge(w, s, c, &s->was);
			s->value[c % WINDOW] = 0;
		}
	}
	w->base = p6_later(w->base, clk);
}

static uint64_t in_window(const struct p6_watch *w, uint64_t clk)
{
	if (clk < w->base)
		return w->base;
	return clk - w->base < WINDOW ? clk : w->base + WINDOW - 1;
}

/* *v is about to change. Returns false, and it must not, when memory is out. */
static bool note(struct p6_watch *w, uint16_t *v)
{
	if (w->n_was == w->room_was) {
		const size_t room = w->room_was ? 2 * w->room_was : 1024;
		struct was *more = realloc(w->was, room * sizeof(*more));

		if (!more)
			return false;
		w->was = more;
		w->room_was = room;
	}
	w->was[w->n_was++] = (struct was){v, *v};
	return true;
}

static void put(struct p6_watch *w, uint32_t series, uint64_t clk, uint64_t k)
{
	clk = in_window(w, clk) % WINDOW;
	for (; series; series &= series - 1) {
		uint16_t *v = &w->s[__builtin_ctz(series)].value[clk];

		if (w->is_aside && !note(w, v))
			continue;
		*v = (uint16_t)(k < (uint64_t)(UINT16_MAX - *v) ? *v + k : UINT16_MAX - 1u);
	}
}

void p6_watch_put(struct p6 *m, unsigned wire, uint64_t clk, uint64_t k)
{
	struct p6_watch *w = m->time.watch;

	if (w->of[wire] && k)
		put(w, w->of[wire], is_of_bus(wire) ? bus_clock(w, clk) : clk, k);
}

unsigned p6_watch_take(struct p6 *m, uint16_t *wire, uint32_t *k, unsigned max)
{
	struct p6_watch *w = m->time.watch;
	unsigned n = 0;

	for (unsigned i = 0; i < w->n_wire && n < max; i++) {
		const unsigned at = w->wire[i];
		const uint64_t raised = m->dyn[at] - w->seen[at];

		if (!raised || at == WIRE_P6_CORE_CLK)
			continue;
		wire[n] = (uint16_t)at;
		k[n++] = (uint32_t)raised;
		w->seen[at] = m->dyn[at];
	}
	return n;
}

void p6_watch_at(struct p6 *m, unsigned wire, uint64_t clk, uint64_t k)
{
	struct p6_watch *w = m->time.watch;

	w->seen[wire] += k;
	if (wire == WIRE_P6_IFU_CHUNK && k) /* an instruction over two: one after the other */
		w->chunk_clk = clk = p6_later(clk, w->chunk_clk + 1);
	p6_watch_put(m, wire, clk, k);
}

void p6_watch_for(struct p6 *m, unsigned wire, uint64_t clk, uint64_t n)
{
	struct p6_watch *w = m->time.watch;

	w->seen[wire] += n;
	for (uint64_t i = 0; i < n && w->of[wire]; i++)
		put(w, w->of[wire], clk + i, 1);
}

/* MMX micro-ops, each in the clock in which it is dispatched. */
static void put_mmx(struct p6_watch *w, uint32_t n)
{
	for (unsigned k = 0; k < w->n_at && k < n; k++)
		put(w, w->of[WIRE_P6_MMX_UOP], w->at[k], 1);
	if (n > w->n_at)
		put(w, w->of[WIRE_P6_MMX_UOP], w->exec_clk, n - w->n_at);
}

/* What instruction i of b counts whenever it retires, at clk, or is executed, but for references
 * and micro-ops. */
static void put_static(struct p6 *m, const struct x86_block *b, unsigned i, uint64_t clk)
{
	struct p6_watch *w = m->time.watch;
	struct tally *t = &m->blocks.tally;

	p6_retire_count(m, b, i, t);
	for (unsigned k = 0; k < t->n_touched; k++) {
		const unsigned wire = t->touched[k];

		if (wire == WIRE_P6_MMX_UOP)
			put_mmx(w, (uint32_t)t->n[wire]);
		else if (w->of[wire] && wire != WIRE_P6_DCU_REF && wire != WIRE_P6_RETIRE_UOP)
			put(w, w->of[wire], p6_is_of_execution(wire) ? w->exec_clk : clk,
			    t->n[wire]);
		t->n[wire] = 0;
	}
	t->n_touched = 0;
}

/* Micro-op u of the present instruction is dispatched at clk. */
static void executed(struct p6_watch *w, const struct p6_uop *u, uint64_t clk)
{
	if (u->flags & P6_U_FIRST) {
		w->n_at = 0;
		w->exec_clk = clk;
	}
	if (u->kind == P6_U_EXEC || u->kind == P6_U_LOAD)
		w->exec_clk = p6_later(w->exec_clk, clk);
	if (u->kind != P6_U_STD && w->n_at < WAYS)
		w->at[w->n_at++] = clk;
}

void p6_watch_uop(struct p6 *m, const struct p6_pend *p, uint64_t dispatch_clk, uint64_t retire_clk)
{
	struct p6_watch *w = m->time.watch;

	put(w, w->of[WIRE_P6_RETIRE_UOP], retire_clk, 1);
	if (p->uop->kind == P6_U_LOAD || p->uop->kind == P6_U_STD)
		put(w,
		    w->of[p->effect && p->effect->uc_reads | p->effect->uc_writes
			      ? WIRE_P6_DCU_REF_UC
			      : WIRE_P6_DCU_REF],
		    dispatch_clk, 1);
	executed(w, p->uop, dispatch_clk);
	if (!(p->uop->flags & P6_U_LAST) || !p->block)
		return;
	put_static(m, p->block, p->insn, retire_clk);
	if (p->is_taken && p->block->insn[p->insn].flags & X86_I_COND)
		put(w, w->of[WIRE_P6_RETIRE_TAKEN], retire_clk, 1);
}

void p6_watch_rep(struct p6 *m, const struct x86_block *b, unsigned i, uint64_t uops, uint64_t clk)
{
	struct p6_watch *w = m->time.watch;
	const uint64_t width = m->time.par.retire_uops, n = (uops + width - 1) / width;

	w->seen[WIRE_P6_RETIRE_UOP_REP] += uops;
	for (uint64_t k = 0; w->of[WIRE_P6_RETIRE_UOP_REP] && k < n; k++)
		put(w, w->of[WIRE_P6_RETIRE_UOP_REP], clk - n + 1 + k,
		    k + 1 < n || uops % width == 0 ? width : uops % width);
	put_static(m, b, i, clk);
}

void p6_watch_insn(struct p6 *m)
{
	struct p6_watch *w = m->time.watch;
	const struct p6_time *t = &m->time;
	const uint64_t low = t->front.clk < t->ren.next_clk ? t->front.clk : t->ren.next_clk;

	for (unsigned i = 0; i < w->n_wire; i++) {
		const unsigned wire = w->wire[i];
		const uint64_t n = m->dyn[wire] - w->seen[wire];

		if (n && wire != WIRE_P6_CORE_CLK)
			put(w, w->of[wire], t->retire_clk, n);
		w->seen[wire] = m->dyn[wire];
	}
	p6_stages_age(m);
	if (low > w->base + 4096)
		settle(w, low - SLACK);
}

void p6_watch_uncached(struct p6 *m, unsigned n)
{
	struct p6_watch *w = m->time.watch;

	w->seen[WIRE_P6_DCU_REF] -= n;
	w->seen[WIRE_P6_DCU_REF_UC] += n;
}

void p6_watch_hold(struct p6 *m)
{
	struct p6_watch *w = m->time.watch;

	for (unsigned i = 0; i < w->n_wire; i++)
		w->held[w->wire[i]] = m->dyn[w->wire[i]] - w->seen[w->wire[i]];
}

void p6_watch_pass(struct p6 *m)
{
	struct p6_watch *w = m->time.watch;

	for (unsigned i = 0; i < w->n_wire; i++)
		w->seen[w->wire[i]] = m->dyn[w->wire[i]];
}

void p6_watch_release(struct p6 *m)
{
	struct p6_watch *w = m->time.watch;

	for (unsigned i = 0; i < w->n_wire; i++)
		w->seen[w->wire[i]] -= w->held[w->wire[i]];
}

void p6_watch_skip(struct p6 *m)
{
	struct p6_watch *w = m->time.watch;

	for (unsigned i = 0; i < w->n_wire; i++)
		w->seen[w->wire[i]] = m->dyn[w->wire[i]] - w->held[w->wire[i]];
}

bool p6_watch_aside(struct p6 *m)
{
	struct p6_watch *w = m->time.watch;

	if (!w->kept)
		w->kept = malloc(sizeof(*w));
	if (!w->kept)
		return false;
	p6_stages_aside(m);
	*w->kept = *w;
	w->is_aside = true;
	return true;
}

void p6_watch_back(struct p6 *m)
{
	struct p6_watch *w = m->time.watch;
	struct p6_watch *const kept = w->kept;
	struct was *const was = w->was;
	const size_t room = w->room_was;

	while (w->n_was) {
		const struct was *last = &w->was[--w->n_was];

		*last->at = last->value;
	}
	*w = *kept;
	w->was = was;
	w->room_was = room;
	p6_stages_back(m);
}

void p6_watch_sum(const struct p6 *m, uint64_t *total)
{
	const struct p6_watch *w = m->time.watch;

	for (unsigned k = 0; k < w->n; k++) {
		const struct series *s = &w->s[k];
		bool was = s->was;

		if (!(w->has >> k & 1))
			continue;
		total[WIRE_P6_CORE_WATCH0 + k] += s->count;
		for (uint64_t c = w->base; c <= m->time.retire_clk && c < w->base + WINDOW; c++)
			total[WIRE_P6_CORE_WATCH0 + k] += judge(w, s, c, &was);
	}
}
