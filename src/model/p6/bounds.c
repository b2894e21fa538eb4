/* bounds.c -- the most that one instruction can count, from static facts and the figures of the
 * catalog.
 *
 * COUNTING RULES   as if each instruction waited for the one before it, found an empty front end
 *                  behind a mispredicted branch, and each line that it touches were absent
 *                  everywhere, as were the words of its page walks, each behind a line that must be
 *                  written first. What older instructions keep busy beyond their retirement is
 *                  p6_backlog(). An instruction hands the same on: what it makes the bus do later
 *                  is its own. core: micro-ops and what follows from them. data: pieces and lines.
 *                  lines: these, and those of its code. any: these, its code, and what is fetched
 *                  and decoded behind it on a wrong path. With --timer-hz an interrupt in front of
 *                  it is its own. Of hits: no lines and no pages; the front end is empty in front
 *                  of a block and behind a branch alone. A store is a hit where its line is
 *                  modified already: else it asks for the line, or takes it out of L1I. Hits leave
 *                  everything where it is, so that several looks in a row need nothing executed
 *                  between them.
 */
#include "model/p6/clocks/fill.h"
#include "model/p6/blocks/plain.h"
#include "model/p6/units/bus.h"
#include "model/p6/units/ifu.h"
#include "model/p6/units/retire.h"
#include "model/p6/blocks/address.h"
#include "model/p6/units/bus_clocks.h"
#include "model/parts/bounds.h"

/* Chosen, with room to spare: no source gives a limit. tests/unit/test_bounds.c and
 * test_bounds_hits.c hold every instruction to them. */
/* from an empty front end to retirement, and what taking part in another group shifts */
#define REFILL_CLK     64u
#define UOP_CLK	       4u   /* each behind the one before */
#define HIT_REFILL_CLK 48u  /* the same of hits */
#define SYSTEM_CLK     512u /* RDTSC, CPUID ... beside their micro-ops (params.tsv) */
/* occurrences of one kind per line: asked for, brought in, cast out, written back ... */
#define LINE_EVENTS  8u
#define LINE_TRAFFIC 4u /* ... of them behind L1 */
#define DATA_EVENTS  2u /* ... that concern L1D alone */
#define PAGE_EVENTS  6u
#define INSN_EVENTS  8u
/* instructions and chunks behind a branch: what the machine has room for, and as much again */
#define WRONG_EVENTS 256u
#define REP_UOPS     256u /* begins the fast form */
#define WRONG_LOADS  64u

static uint64_t core_clocks(const struct p6 *m, uint64_t bus_clocks)
{
	return p6_bus_to_core_clocks(m, bus_clocks) + 1;
}

/* A line from memory whose place must be written back in L1 and L2. */
static uint64_t line_clk(const struct p6 *m)
{
	const struct p6_params *p = &m->time.par;
	const unsigned n = p6_bus_line_clocks(m);
	const unsigned busy = p->mem_line_bus_clk > n * p->mem_step_bus_clk + 1u
				  ? p->mem_line_bus_clk
				  : n * p->mem_step_bus_clk + 1u;
	const unsigned write = p->mem_line_bus_clk > n ? p->mem_line_bus_clk : n;

	return core_clocks(m, 1u + p->mem_lead_bus_clk +
				  (m->bus.deferred.n ? p->defer_bus_clk : 0u) + busy) +
	       2 * core_clocks(m, 1u + write) + p->l2_clk + 3u * p->l2_line_clk + 2u;
}

static uint64_t page_clk(const struct p6 *m)
{
	return m->time.par.walk_clk + 2 * (line_clk(m) + m->time.par.l2_word_clk);
}

/* Partial writes that empty a write-combining buffer. */
static unsigned written_parts(const struct p6 *m)
{
	return m->dcu.wc.line_bytes / 8u;
}

/* Does it empty all of them? */
static bool is_order(struct p6 *m, const struct x86_insn *n)
{
	const struct p6_mnemonic *mn = p6_mnemonic(m, n->mnemonic);

	return n->flags & (X86_I_LOCK | X86_I_SERIALIZE) || (mn && mn->kinds & P6_K_FENCE);
}

static void add_lines(const struct p6 *m, uint64_t lines, uint64_t pages, struct mdl_bounds *out)
{
	out->clk += lines * line_clk(m) + pages * page_clk(m);
	out->any += lines * LINE_EVENTS + pages * PAGE_EVENTS;
	out->lines += lines * (LINE_TRAFFIC + written_parts(m)) + pages * PAGE_EVENTS;
	out->data += lines * DATA_EVENTS; /* a line of code, too, may drive one out of L1D */
}

/* Lines that it touches. */
static uint64_t lines_of(const struct p6 *m, const struct bound_pieces *of)
{
	const uint64_t least = m->bus.uncached.n ? 8 : 1u << m->line_log2;

	return of->n * (of->bytes > 1 ? (of->bytes - 2) / least + 2 : 1);
}

/* Its accesses alone. */
static void add_pieces(const struct p6 *m, const struct bound_pieces *of, struct mdl_bounds *out)
{
	const struct p6_params *p = &m->time.par;
	const uint64_t pieces = of->n * (p6_pieces((unsigned)of->bytes) + (of->bytes > 1));

	out->clk += of->n * (2u * p->split_clk + p->load_again_clk + p->blocked_store_clk +
			     p->forward_clk + 2u * p->load_clk) +
		    pieces;
	out->data += 2 * pieces;
	out->any += 2 * pieces;
}

static void add_ref(const struct p6 *m, const struct x86_block *b, const struct x86_ref *r,
		    struct mdl_bounds *out)
{
	const struct p6_params *p = &m->time.par;
	const struct bound_pieces of = bound_pieces_of(b, r);
	const uint64_t n = of.n;

	add_lines(m, lines_of(m, &of), n * (of.bytes > 1 ? 2 : 1), out);
	add_pieces(m, &of, out);
	if (r->flags & X86_REF_WRITE)
		out->clk += n * (core_clocks(m, 1u + p->mem_lead_bus_clk + 1u) +
				 p->smc_clk); /* the line is shared; it is code */
}

static void add_code(const struct p6 *m, const struct x86_block *b, unsigned insn,
		     struct mdl_bounds *out)
{
	add_lines(m, bound_code_units(b, insn, m->line_log2, 1),
		  bound_code_units(b, insn, PAGE_LOG2, 1), out);
}

void p6_bounds(struct p6 *m, const struct x86_block *b, unsigned insn, uint64_t items,
	       struct mdl_bounds *out)
{
	const struct x86_insn *n = &b->insn[insn];
	const struct p6_params *p = &m->time.par;
	struct mdl_bounds one = {0};
	struct cat_p6_timing timing;
	struct p6_split split;
	uint64_t uops;

	if (n->flags & X86_I_REP && items >= MDL_NO_LIMIT >> 16)
		return;
	p6_uops_split(m, n, &split, &timing);
	for (unsigned k = 0; k < b->n_ref; k++)
		if (b->ref[k].insn == insn)
			add_ref(m, b, &b->ref[k], &one);
	uops = split.uops + 1u;
	if (n->flags & X86_I_REP) {
		one = (struct mdl_bounds){one.clk * items, one.data * items, 0, one.lines * items,
					  one.any * items};
		uops = REP_UOPS + 16 * items;
	}
	one.core = INSN_EVENTS + 2 * uops;
	one.data += DATA_EVENTS; /* its line of code may have been lost meanwhile */
	one.lines += LINE_TRAFFIC + (is_order(m, n) ? m->dcu.wc.size * written_parts(m) : 0);
	one.any += one.core;
	one.clk += REFILL_CLK + UOP_CLK * uops + 2u * timing.latency +
		   (uint64_t)n->bytes * p->lcp_clk + p->mispredict_clk + p->baclear_clk +
		   p->taken_clk + p->partial_clk;
	if (n->flags & X86_I_LOCK)
		one.clk += p->lock_clk + 2 * p6_fill_lock_clk(m, 8);
	if (timing.unit == CAT_P6_SYSTEM || n->flags & X86_I_SERIALIZE || b->emulate)
		one.clk += SYSTEM_CLK;
	if (n->flags & X86_I_BRANCH)
		one.any += WRONG_EVENTS;
	if (m->time.wrong_mode == MDL_WRONG_LOADS && n->flags & X86_I_BRANCH)
		add_lines(m, WRONG_LOADS, WRONG_LOADS, &one);
	if (m->time.timer_period_clk) {
		one.clk += REFILL_CLK + p->partial_clk;
		one.any++;
	}
	add_code(m, b, insn, &one);
	*out = one;
}

/* Does it touch nothing but its code and its operands, in the plain way? */
static bool may_hit(struct p6 *m, const struct x86_block *b, unsigned insn)
{
	const struct x86_insn *n = &b->insn[insn];

	if (n->flags & (X86_I_REP | X86_I_LOCK | X86_I_SERIALIZE) || is_order(m, n))
		return false;
	for (unsigned k = 0; k < b->n_ref; k++)
		if (b->ref[k].insn == insn && b->ref[k].flags & (X86_REF_PARTS | X86_REF_PREFETCH |
								 X86_REF_NONTEMPORAL | X86_REF_REP))
			return false;
	return true;
}

static void add_hits(struct p6 *m, const struct x86_block *b, unsigned insn, struct mdl_bounds *out)
{
	const struct x86_insn *n = &b->insn[insn];
	const struct p6_params *p = &m->time.par;
	struct cat_p6_timing timing;
	struct p6_split split;
	uint64_t uops;

	p6_uops_split(m, n, &split, &timing);
	uops = split.uops + 1u;
	for (unsigned k = 0; k < b->n_ref; k++) {
		const struct bound_pieces of = bound_pieces_of(b, &b->ref[k]);

		if (b->ref[k].insn != insn)
			continue;
		add_pieces(m, &of, out);
		out->data += 2 * lines_of(m, &of); /* a piece over the end of one is two */
		out->any += 2 * lines_of(m, &of);
	}
	out->core += INSN_EVENTS + 2 * uops;
	out->any += INSN_EVENTS + 2 * uops;
	out->clk += UOP_CLK * uops + 2u * timing.latency + n->bytes + p->lcp_clk + p->partial_clk;
	if (timing.unit == CAT_P6_SYSTEM || b->emulate)
		out->clk += SYSTEM_CLK;
	if (!(n->flags & X86_I_BRANCH))
		return;
	out->clk += p->mispredict_clk + p->baclear_clk + p->taken_clk;
	out->any += WRONG_EVENTS;
}

void p6_bounds_of_hits(struct p6 *m, const struct x86_block *b, unsigned from, unsigned to,
		       struct mdl_bounds *out)
{
	struct mdl_bounds sum = {0};

	if (m->bus.uncached.n || m->bus.deferred.n || m->time.wrong_mode == MDL_WRONG_LOADS ||
	    m->time.timer_period_clk)
		return;
	for (unsigned i = from; i < to; i++) {
		if (!may_hit(m, b, i))
			return;
		add_hits(m, b, i, &sum);
	}
	if (!from) /* behind it the machine has instructions */
		sum.clk += HIT_REFILL_CLK;
	*out = sum;
}

/* ---- will they hit --------------------------------------------------------------------------- */

static bool has_code(const struct p6 *m, const struct x86_block *b, unsigned from, unsigned to)
{
	const uint64_t first = b->pc + b->insn[from].pc_off,
		       last = b->pc + b->insn[to - 1].pc_off + b->insn[to - 1].bytes - 1u;

	for (uint64_t line = first >> m->line_log2; line <= last >> m->line_log2; line++)
		if (!p6_ifu_has(m, line << m->line_log2))
			return false;
	return true;
}

/* Line number `line` of linear addresses. */
static bool has_line(const struct p6 *m, uint64_t line, bool is_write)
{
	const struct cache *c = &m->dcu.cache;
	const struct page *page = tlb_peek(&m->dtlb.tlb, line << m->line_log2 >> PAGE_LOG2);
	struct cache_line l;
	uint32_t set;
	int way;

	if (!page)
		return false;
	l = (struct cache_line){page->id, page->colour,
				(uint32_t)(line & ((1u << (PAGE_LOG2 - m->line_log2)) - 1))};
	set = cache_set_of(c, l);
	way = cache_find(c, set, cache_tag_of(c, l));
	return way >= 0 && (!is_write || cache_state_of(c, set, (unsigned)way) == CACHE_M);
}

static bool has_operand(const struct p6 *m, const struct x86_block *b, unsigned k,
			const uint8_t *slots)
{
	const struct x86_ref *r = &b->ref[k];
	const uint64_t lin = p6_address(m, b, k, slots), mask = P6_LIN_MASK >> m->line_log2;
	const uint64_t last = ((lin + (r->bytes ? r->bytes - 1u : 0)) >> m->line_log2) & mask;
	uint64_t line = (lin >> m->line_log2) & mask;

	while (has_line(m, line, r->flags & X86_REF_WRITE)) {
		if (line == last)
			return true;
		line = (line + 1) & mask;
	}
	return false;
}

bool p6_hits(const struct p6 *m, const struct x86_block *b, unsigned from, unsigned to,
	     const uint8_t *slots)
{
	if (!m->has_mem || !has_code(m, b, from, to))
		return false;
	for (unsigned k = 0; k < b->n_ref && b->ref[k].insn < to; k++)
		if (b->ref[k].insn >= from && !has_operand(m, b, k, slots))
			return false;
	return true;
}

/* ---- behind what was executed ---------------------------------------------------------------- */

static void note_clk(uint64_t *last, uint64_t clk)
{
	*last = p6_later(*last, clk);
}

void p6_note_backlog(struct p6 *m)
{
	struct p6_time *t = &m->time;
	uint64_t last = t->retire_clk;

	note_clk(&last, t->bus_clk);
	note_clk(&last, t->memory_clk);
	note_clk(&last, t->l2_clk);
	note_clk(&last, t->commit_clk);
	note_clk(&last, t->fills_clk);
	note_clk(&last, t->rs_last);
	note_clk(&last, t->front.clk);
	note_clk(&last, t->front.fetch_clk);
	note_clk(&last, t->ren.next_clk);
	note_clk(&last, t->ren.recovered_clk);
	for (unsigned i = 0; i < CAT_P6_N_UNITS; i++)
		note_clk(&last, t->unit_clk[i]);
	t->backlog =
	    last - t->retire_clk + (uint64_t)m->dcu.wc.n * core_clocks(m, m->dcu.wc.line_bytes);
}

uint64_t p6_backlog(const struct p6 *m)
{
	return m->time.is_on ? m->time.backlog : 0;
}
