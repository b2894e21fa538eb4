/* bounds.c -- the most that one instruction can count, from static facts and the figures of the
 * catalog.
 *
 * COUNTING RULES   as if each instruction went alone through an empty pipe, behind a branch that
 *                  went the wrong way, and each line that it touches were absent everywhere, as
 *                  were the words of its page walks, each behind a line that must be written first.
 *                  What older instructions keep busy (the bus, write buffers, x87) is p5_backlog().
 *                  core and data: what its operations and its references count. lines: those of
 *                  data and code. any: all. With --timer-hz an interrupt in front of it is its own.
 */
#include "model/p5/p5.h"
#include "model/parts/bounds.h"

/* Chosen, with room to spare: no source gives a limit. tests/unit/test_bounds.c holds every
 * instruction to them. */
#define REFILL_CLK  24u
#define LINE_EVENTS 8u /* occurrences of one kind per line */
#define DATA_EVENTS 4u /* ... that concern L1D and DTLB alone */
#define PAGE_EVENTS 6u
#define INSN_EVENTS 16u

/* One bus cycle, behind another one that memory serves: core clocks. */
static uint64_t cycle_clk(const struct p5 *m, unsigned lead, unsigned step)
{
	const unsigned edges = lead + 3 * step + m->par[P5_PAR_BUS_GRANT] + 3;

	return ((uint64_t)edges * m->bus.ratio_x2 + 1) / 2 + 1;
}

/* A cycle may hold up one of another processor, which writes a line back first. */
static uint64_t read_clk(const struct p5 *m)
{
	return cycle_clk(m,
			 m->par[P5_PAR_BUS_MEM_LEAD] + m->par[P5_PAR_BUS_MEM_ROW] +
			     m->par[P5_PAR_BUS_MEM_NEXT],
			 m->par[P5_PAR_BUS_MEM_STEP]);
}

static uint64_t write_clk(const struct p5 *m)
{
	return cycle_clk(m, m->par[P5_PAR_BUS_WRITE_LEAD], m->par[P5_PAR_BUS_WRITE_STEP]);
}

static uint64_t line_clk(const struct p5 *m)
{
	const uint64_t back = m->has_peers ? write_clk(m) : 0;

	return read_clk(m) + 2 * write_clk(m) + 2 * back + m->par[P5_PAR_DCACHE_MISS_RETURN_CLK] +
	       m->par[P5_PAR_ICACHE_MISS_RETURN_CLK] + m->par[P5_PAR_BUS_TO_BUS_CLK] +
	       m->par[P5_PAR_WBUF_TO_BUS_CLK];
}

static void add_lines(const struct p5 *m, uint64_t lines, uint64_t pages, struct mdl_bounds *out)
{
	out->clk += lines * line_clk(m) + pages * (m->par[P5_PAR_DTLB_WALK_CLK] + 2 * line_clk(m));
	out->any += lines * LINE_EVENTS + pages * PAGE_EVENTS;
	out->lines += lines * LINE_EVENTS + pages * PAGE_EVENTS;
	out->data += lines * DATA_EVENTS; /* a line of code, too, may have been changed in L1D */
}

static void add_ref(const struct p5 *m, const struct x86_block *b, const struct x86_ref *r,
		    struct mdl_bounds *out)
{
	const struct bound_pieces of = bound_pieces_of(b, r);
	const unsigned ways = r->flags & X86_REF_READ && r->flags & X86_REF_WRITE ? 2 : 1;
	const uint64_t pieces = of.n * ways * (of.bytes / 8 + 2),
		       pages = of.n * ways * (of.bytes > 1 ? 2 : 1);

	/* a write that misses is a cycle of its own for each 8 bytes */
	add_lines(m, pieces, pages, out);
	out->clk +=
	    pieces * (m->par[P5_PAR_DCACHE_MISALIGNED_CLK] + m->par[P5_PAR_DCACHE_MODIFY_CLK]);
	out->data += pieces + pages;
}

static void add_code(const struct p5 *m, const struct x86_block *b, unsigned insn,
		     struct mdl_bounds *out)
{
	/* the prefetcher asks for the line behind as well */
	add_lines(m, bound_code_units(b, insn, m->icache.cache.line_log2, 2) + 1,
		  bound_code_units(b, insn, PAGE_LOG2, 1) + 1, out);
}

void p5_bounds(struct p5 *m, const struct x86_block *b, unsigned insn, uint64_t items,
	       struct mdl_bounds *out)
{
	const struct x86_insn *n = &b->insn[insn];
	const struct p5_code *code = m->time.is_on ? p5_code_of(m, b) : NULL;
	struct mdl_bounds one = {0};

	if ((n->flags & X86_I_REP && items >= MDL_NO_LIMIT >> 16) || (m->time.is_on && !code))
		return;
	for (unsigned k = 0; k < b->n_ref; k++)
		if (b->ref[k].insn == insn)
			add_ref(m, b, &b->ref[k], &one);
	one.core = INSN_EVENTS;
	if (n->flags & X86_I_REP) {
		one = (struct mdl_bounds){one.clk * items, one.data * items, one.core,
					  one.lines * items, one.any * items};
		one.clk += code ? code->op[insn].per_item * items : 0;
	}
	one.core += one.data; /* some of MMX and of both pipes are references */
	one.any += one.core;
	one.clk += REFILL_CLK + m->par[P5_PAR_FPU_FROM_MMX_CLK] + m->par[P5_PAR_MMX_FROM_X87_CLK] +
		   m->par[P5_PAR_FPU_UNSAFE_CLK];
	one.clk += code ? 2u * code->op[insn].clk + code->op[insn].decode_clk : 0;
	if (m->intr.period_clk) {
		one.clk += m->par[P5_PAR_INT_REFILL_CLK];
		one.any++;
	}
	add_code(m, b, insn, &one);
	*out = one;
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

uint64_t p5_backlog(const struct p5 *m)
{
	const struct p5_time *t = &m->time;
	uint64_t last = t->now_clk;

	if (!t->is_on)
		return 0;
	last = later(last, (m->bus.end_edge[0] * m->bus.ratio_x2 + 1) / 2);
	last = later(last, (m->bus.memory_edge * m->bus.ratio_x2 + 1) / 2);
	last = later(last, t->fpu.done_clk);
	last = later(last, t->fpu.free_clk);
	for (unsigned i = 0; i < 8; i++)
		last = later(last, later(t->fpu.ready_clk[i], t->mmx.ready_clk[i]));
	for (unsigned i = 0; i < P5_MOST_WBUFS; i++)
		last = later(last, m->wbuf.free_clk[i]);
	return last - t->now_clk;
}
