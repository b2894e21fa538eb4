/* bus.c -- unit bus: locked sequences, port cycles, and bus cycles in time.
 *
 * COUNTING RULES   1CH: one per locked read-modify-write (LOCK, XCHG with memory), two when its
 *                  operand is cut by misalignment. 1DH: one per port instruction. 2EH (counter 1):
 *                  writes to ports and to memory that is not cacheable (dcache.c). 18H and 2EH
 *                  (counter 0): core clocks from the address strobe to the last transfer, both
 *                  included; clocks that two overlapped cycles share once. 1EH: reads that fill no
 *                  line: of page walks, of memory that is not cacheable, locked ones.
 * MODELLED         cycles in the order in which they are asked for, on edges of the bus clock (core
 *                  / bus in halves). A cycle takes the bus clocks to its first transfer and those
 *                  to each further one; two may overlap (NA#): the next address 2 bus clocks after
 *                  the last, data in order. A second-level cache of the board, direct mapped,
 *                  write-back: reads bring lines in, writes change what is there. Memory keeps one
 *                  row of 4 KB open. The board takes writes into its own buffers. Several
 *                  processors: each sees the others' cycles but their write-backs, and keeps lines
 *                  shared, loses them or writes them back; two are a pair, which hands the bus over
 *                  (2AH). From outside (0 with one processor): an inquiry (07H, 08H) takes a line
 *                  to S, or out, and writes it back when it was M; asked by the other processor of
 *                  a pair it is sharing (2CH). Grants of the bus to this one of a pair (2AH). Hold:
 *                  the bus is busy (18H), not because of this processor. Errata (--errata): 1EH
 *                  counts port reads, too.
 * NOT MODELLED     port operands over a 4-byte boundary and repeated port instructions, which count
 *                  more than once (in user mode no port instruction completes); accessed and dirty
 *                  bits (the operating system sets both when it installs a page); refresh, bus
 *                  masters, hold and back-off; cycles of several processors at the same time; idle
 *                  bus clocks between reads and writes; buffers of the board that are full.
 * SOURCES          Intel 241428 (1997) chapter 6 and 16.4.6; figures in catalog/p5/params.tsv.
 */
#include "model/p5/p5.h"

#define NO_ROW UINT32_MAX

void p5_bus_count(const struct p5 *m, uint32_t kinds, struct tally *t)
{
	tally_add(t, WIRE_P5_BUS_IO, (kinds & P5_K_IO) != 0);
	tally_add(t, WIRE_P5_BUS_UNCACHED_WRITE, (kinds & P5_K_OUT) != 0);
	tally_add(t, WIRE_P5_BUS_UNCACHED_READ,
		  m->has_errata && kinds & P5_K_IO && !(kinds & P5_K_OUT));
}

void p5_bus_locked(struct p5 *m, bool is_cut)
{
	P5_RAISE(m, BUS_LOCKED, 1u + is_cut);
}

int p5_bus_open(struct p5 *m)
{
	struct p5_bus *b = &m->bus;
	const uint32_t l2_kb = m->par[P5_PAR_BUS_L2_KB];

	b->ratio_x2 = m->par[P5_PAR_BUS_RATIO_X2];
	if (!b->ratio_x2)
		b->ratio_x2 = (uint32_t)((2000ull * m->cpu->core_mhz + m->cpu->bus_khz / 2) /
					 m->cpu->bus_khz);
	b->ratio_x2 = b->ratio_x2 < 2 ? 2 : b->ratio_x2;
	if (m->board->l2.tag)
		return 0;
	m->board->row = NO_ROW;
	return l2_kb ? direct_open(&m->board->l2, l2_kb << 10, P5_BUS_LINE_BYTES) : 0;
}

unsigned p5_bus_page_log2(const struct p5 *m)
{
	return m->board->l2.tag ? cache_way_log2(&m->board->l2.shape) : 0;
}

/* First core clock at or behind an edge. */
static uint64_t clk_of(const struct p5_bus *b, uint64_t edge)
{
	return (edge * b->ratio_x2 + 1) / 2;
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Does the board's second-level cache serve the read? What it holds follows. */
static bool is_in_l2(struct p5 *m, enum p5_bus_kind kind, struct p5_frame page, uint32_t offset)
{
	struct direct *l2 = &m->board->l2;

	if (!l2->tag || kind == P5_BUS_READ_UC)
		return false;
	return direct_see(
	    l2, (struct cache_line){page.id, page.colour, offset >> l2->shape.line_log2}, true);
}

/* Core clocks of so many bus clocks. */
static uint64_t clocks_of(const struct p5 *m, unsigned bus_clocks)
{
	return clk_of(&m->bus, bus_clocks);
}

/* The bus goes from whoever had it to m. Returns P5_BUS_GRANTED when that was the other one of a
 * pair. */
static unsigned take_bus(struct p5 *m)
{
	struct p5_system *s = m->system;

	if (s->owner == m || s->turns.n != 2)
		return 0;
	s->owner = m;
	p5_bus_grant(m, clocks_of(m, m->par[P5_PAR_BUS_GRANT]));
	return P5_BUS_GRANTED;
}

/* The other processors see a cycle of m, which writes. A modified line is written back first, for
 * which the other one of a pair takes the bus. */
static unsigned inquire(struct p5 *m, struct p5_frame page, uint32_t offset, bool is_write)
{
	struct p5_system *s = m->system;
	unsigned seen = 0;

	for (unsigned i = 0; i < s->turns.n; i++) {
		struct p5 *o = s->cpu[i];
		enum cache_state state;
		bool has_code;

		if (o == m)
			continue;
		state = p5_bus_snoop(o, page, offset, is_write, s->turns.n == 2);
		has_code = o->time.is_on && p5_icache_inquire(o, page, offset, is_write);
		if (!is_write && (state != CACHE_I || has_code))
			seen |= P5_BUS_IS_SHARED;
		if (state == CACHE_M) {
			seen |= P5_BUS_WAITS_FOR_BACK;
			take_bus(o);
		}
	}
	return seen;
}

unsigned p5_bus_see(struct p5 *m, enum p5_bus_kind kind, struct p5_frame page, uint32_t offset)
{
	unsigned seen = P5_BUS_BY_L2;

	if (m->has_peers) {
		seen |= take_bus(m);
		if (kind != P5_BUS_WRITE_LINE)
			seen |= inquire(m, page, offset, kind >= P5_BUS_WRITE);
		seen |= take_bus(m);
	}
	if (kind >= P5_BUS_WRITE || is_in_l2(m, kind, page, offset)) /* writes change no tag */
		return seen;
	seen |= m->board->row != page.id && m->board->row != NO_ROW ? P5_BUS_BY_NEW_ROW
								    : P5_BUS_BY_MEMORY;
	m->board->row = page.id;
	return seen;
}

/* Bus clocks of a cycle that nothing delays. */
struct pace {
	uint64_t lead, step;
	bool is_memory;
};

static struct pace pace_of(const struct p5 *m, enum p5_bus_kind kind, unsigned seen)
{
	const uint16_t *par = m->par;
	struct pace p;

	if (kind >= P5_BUS_WRITE)
		return (struct pace){par[P5_PAR_BUS_WRITE_LEAD], par[P5_PAR_BUS_WRITE_STEP], false};
	if ((seen & P5_BUS_BY) == P5_BUS_BY_L2)
		return (struct pace){par[P5_PAR_BUS_L2_LEAD], par[P5_PAR_BUS_L2_STEP], false};
	p = (struct pace){par[P5_PAR_BUS_MEM_LEAD], par[P5_PAR_BUS_MEM_STEP], true};
	if ((seen & P5_BUS_BY) == P5_BUS_BY_NEW_ROW)
		p.lead += par[P5_PAR_BUS_MEM_ROW];
	return p;
}

/* The bus is busy from one edge to another. */
static void count_busy(struct p5 *m, uint64_t from, uint64_t to, bool is_self)
{
	struct p5_bus *b = &m->bus;
	uint64_t clocks;

	if (from > b->busy_edge)
		P5_RAISE(m, BUS_BUSY_TIMES, 1);
	from = later(from, b->busy_edge);
	if (to <= from)
		return;
	clocks = clk_of(b, to) - clk_of(b, from);
	P5_RAISE(m, BUS_BUSY, clocks);
	P5_RAISE(m, BUS_BUSY_SELF, is_self ? clocks : 0);
	b->busy_edge = to;
}

void p5_bus_cycle(struct p5 *m, enum p5_bus_kind kind, unsigned seen, uint64_t clk,
		  struct p5_transfer *out)
{
	struct p5_bus *b = &m->bus;
	const struct pace p = pace_of(m, kind, seen);
	const bool is_line = kind == P5_BUS_FILL || kind == P5_BUS_WRITE_LINE;
	uint64_t start, first;

	if (seen & P5_BUS_WAITS_FOR_BACK)
		p5_bus_hold(m, clk,
			    m->par[P5_PAR_BUS_WRITE_LEAD] + 3u * m->par[P5_PAR_BUS_WRITE_STEP]);
	start = p5_bus_edge(b, clk) + (seen & P5_BUS_GRANTED ? m->par[P5_PAR_BUS_GRANT] : 0);
	start = later(start, b->address_edge);
	start = later(start, b->end_edge[m->par[P5_PAR_BUS_IS_PIPELINED] ? 1 : 0]);
	first = start + p.lead;
	if (p.is_memory && start < b->memory_edge)
		first = later(first, b->memory_edge + p.lead - m->par[P5_PAR_BUS_MEM_LEAD] +
					 m->par[P5_PAR_BUS_MEM_NEXT]);
	first = later(first, b->end_edge[0] + 1);
	out->n = is_line ? P5_BUS_LINE_BYTES / 8 : 1;
	for (unsigned i = 0; i < out->n; i++)
		out->clk[i] = clk_of(b, first + i * p.step);
	b->address_edge = start + 2;
	b->end_edge[1] = b->end_edge[0];
	b->end_edge[0] = first + (out->n - 1) * p.step;
	if (p.is_memory)
		b->memory_edge = b->end_edge[0];
	count_busy(m, start, b->end_edge[0], true);
	if (kind == P5_BUS_READ || kind == P5_BUS_READ_UC)
		P5_RAISE(m, BUS_UNCACHED_READ, 1);
}

/* ---- what comes from outside: no user program causes it on one processor --------------------- */

void p5_bus_hold(struct p5 *m, uint64_t clk, unsigned bus_clocks)
{
	struct p5_bus *b = &m->bus;
	const uint64_t start = later(p5_bus_edge(b, clk), b->end_edge[0]);

	b->end_edge[1] = b->end_edge[0] = b->address_edge = start + bus_clocks;
	count_busy(m, start, start + bus_clocks, false);
}

void p5_bus_grant(struct p5 *m, uint64_t clocks)
{
	P5_SEE(m, BUS_OWNER_WAIT, clocks);
	P5_SEE(m, BUS_OWNER_CHANGE, 1);
}

enum cache_state p5_bus_snoop(struct p5 *m, struct p5_frame page, uint32_t offset, bool is_write,
			      bool is_twin)
{
	const struct cache *c = &m->dcache.cache;
	const struct cache_line l = {page.id, page.colour, offset >> c->line_log2};
	const uint32_t set = cache_set_of(c, l);
	const int way = cache_find(c, set, cache_tag_of(c, l));
	enum cache_state state = CACHE_I;

	P5_SEE(m, BUS_SNOOP, 1);
	if (way < 0)
		return CACHE_I;
	state = cache_state_of(c, set, (unsigned)way);
	P5_SEE(m, BUS_SNOOP_HIT, 1);
	P5_SEE(m, BUS_SHARE, is_twin);
	P5_SEE(m, BUS_SHARE_M, is_twin && state == CACHE_M);
	P5_SEE(m, DCACHE_WRITE_BACK, state == CACHE_M);
	if (is_write)
		cache_drop(c, set, (unsigned)way);
	else
		cache_set_state(c, set, (unsigned)way, CACHE_S);
	p5_dcache_forget(m, set);
	return state;
}
