/* dcache_time.c -- unit dcache: what an operand waits for, and the accesses that it is cut into.
 *
 * COUNTING RULES   as dcache.c, which sees the structures: 1AH, and what errata count again.
 */
#include "model/p5/units/memory.h"
#include "model/p5/units/wait.h"

/* ---- time ------------------------------------------------------------------------------------ */

/* When transfer i of the line that is being filled can be used. */
static uint64_t usable_clk(const struct p5 *m, unsigned i)
{
	const struct p5_fill *f = &m->dcache.fill;

	if (m->par[P5_PAR_DCACHE_FILL_IS_WHOLE])
		i = f->transfer.n - 1;
	return f->transfer.clk[i] + m->par[P5_PAR_DCACHE_MISS_RETURN_CLK] - 1;
}

void p5_dcache_write_back(struct p5 *m, uint64_t clk)
{
	struct p5_transfer t;

	p5_bus_cycle(m, P5_BUS_WRITE_LINE, P5_BUS_BY_L2, clk, &t);
	m->dcache.fill.back_clk = t.clk[t.n - 1];
}

/* The line of an access comes in. There is one buffer for a line that comes and one for a line that
 * leaves. The fill goes to the bus before the line that leaves for it: in the other order the
 * access would wait for the write, too. */
static void fill_line(struct p5 *m, unsigned seen)
{
	struct p5_fill *f = &m->dcache.fill;
	uint64_t clk = m->time.data_clk + m->par[P5_PAR_BUS_TO_BUS_CLK];

	clk = clk < f->end_clk ? f->end_clk : clk;
	if (seen & P5_SEEN_BACK && clk < f->back_clk)
		clk = f->back_clk;
	p5_bus_cycle(m, P5_BUS_FILL, p5_bus_of_seen(seen), clk, &f->transfer);
	f->end_clk = f->transfer.clk[f->transfer.n - 1] + m->par[P5_PAR_DCACHE_MISS_RETURN_CLK];
	if (seen & P5_SEEN_BACK)
		p5_dcache_write_back(m, clk);
	p5_wait_until(m, f->transfer.clk[0] + m->par[P5_PAR_DCACHE_MISS_RETURN_CLK] - 1,
		      P5_WHY_DATA_MISS);
}

/* A read that fills nothing. */
static void read_past(struct p5 *m, enum p5_bus_kind kind, unsigned seen)
{
	const uint64_t clk = m->time.data_clk + m->par[P5_PAR_BUS_TO_BUS_CLK];
	struct p5_transfer t;

	if (seen & P5_SEEN_BACK)
		p5_dcache_write_back(m, clk);
	p5_bus_cycle(m, kind, p5_bus_of_seen(seen), clk, &t);
	p5_wait_until(m, t.clk[0] + m->par[P5_PAR_DCACHE_MISS_RETURN_CLK] - 1, P5_WHY_DATA_MISS);
}

static void pass_write(struct p5 *m, unsigned seen, bool is_mmx)
{
	const unsigned by = p5_bus_of_seen(seen);

	switch (seen & P5_SEEN_KIND) {
	case P5_SEEN_MISS:
	case P5_SEEN_SHARED: p5_wbuf_put(m, P5_BUS_WRITE, by, is_mmx); break;
	case P5_SEEN_UNCACHED: p5_wbuf_put(m, P5_BUS_WRITE_UC, by, is_mmx); break;
	default: p5_wbuf_hit(m, is_mmx);
	}
}

static void pass_read(struct p5 *m, unsigned seen)
{
	switch (seen & P5_SEEN_KIND) {
	case P5_SEEN_MISS: fill_line(m, seen); break;
	case P5_SEEN_LOCKED: read_past(m, P5_BUS_READ, seen); break;
	case P5_SEEN_UNCACHED: read_past(m, P5_BUS_READ_UC, seen); break;
	default: break;
	}
}

/* What an access that was seen so waits for. */
static void pass(struct p5 *m, unsigned seen, bool is_write, bool is_mmx)
{
	const unsigned chunk = seen >> P5_SEEN_CHUNK_SHIFT & 3, kind = seen & P5_SEEN_KIND;

	if (kind == P5_SEEN_MISS || kind == P5_SEEN_UNCACHED)
		m->time.missed |= is_write ? P5_MISSED_WRITE | P5_NO_HIT : P5_MISSED_READ;
	if (kind == P5_SEEN_SHARED)
		m->time.missed |= P5_NO_HIT;
	if (seen & P5_SEEN_CUT)
		m->time.missed |= P5_WAS_CUT;
	if (seen & P5_SEEN_WALK)
		P5_RAISE(
		    m, DTLB_STALL,
		    p5_wait_until(m, p5_dtlb_walk(m, &seen, m->time.data_clk), P5_WHY_DATA_TLB));
	if ((seen & P5_SEEN_KIND) == P5_SEEN_FILLING && m->dcache.fill.end_clk > m->time.data_clk)
		p5_wait_until(m, usable_clk(m, chunk), P5_WHY_DATA_MISS);
	if (is_write)
		pass_write(m, seen, is_mmx);
	else
		pass_read(m, seen);
}

/* ---- operands -------------------------------------------------------------------------------- */

/* What the structures count of misses. Only differences are used. */
struct misses {
	uint64_t read, write;
};

static struct misses misses(const struct p5 *m)
{
	return (struct misses){m->seen[WIRE_P5_DCACHE_READ_MISS],
			       m->seen[WIRE_P5_DCACHE_WRITE_MISS]};
}

/* Errata: a cut access that misses is counted again. */
static void miss_again(struct p5 *m, struct misses before, bool is_mmx)
{
	const struct misses now = misses(m);
	const bool is_read_miss = now.read != before.read,
		   is_write_miss = now.write != before.write;

	P5_SEE(m, DCACHE_READ_MISS, is_read_miss);
	P5_SEE(m, MMX_READ_MISS, is_read_miss && is_mmx);
	P5_SEE(m, DCACHE_WRITE_MISS, is_write_miss);
	P5_SEE(m, MMX_WRITE_MISS, is_write_miss && is_mmx);
	m->dcache.n_write_miss_again += is_write_miss;
}

/* All accesses of an operand in one direction. Returns true when one was cut. */
static bool run(struct p5 *m, uint64_t lin, const struct p5_operand *op, bool is_write)
{
	struct p5_look k = {.is_write = is_write};
	bool is_cut = false;

	for (k.part = 0; k.part < p5_parts(op->bytes); k.part++) {
		const struct misses before = misses(m);
		unsigned seen = p5_look_data(m, lin, op, &k);

		if (m->time.is_on)
			pass(m, seen, is_write, op->is_mmx);
		if (!(seen & P5_SEEN_CUT))
			continue;
		is_cut = k.is_second_half = true;
		if (m->time.is_on)
			p5_wait_until(m, m->time.data_clk + m->par[P5_PAR_DCACHE_MISALIGNED_CLK],
				      P5_WHY_MISALIGNED);
		seen = p5_look_data(m, lin, op, &k);
		if (m->time.is_on)
			pass(m, seen, is_write, op->is_mmx);
		if (m->has_errata)
			miss_again(m, before, op->is_mmx);
		k.is_second_half = false;
	}
	return is_cut;
}

/* 1AH, of what was lost since: a write is held by the look-up of its page only. */
static void count_read_stall(struct p5 *m, const struct p5_operand *op, uint64_t lost,
			     uint64_t walked, bool is_write, bool is_cut)
{
	uint64_t clocks = is_write ? m->dyn[WIRE_P5_DTLB_STALL] - walked : m->time.lost - lost;

	if (m->has_errata && is_cut && !is_write && clocks && m->dyn[WIRE_P5_DTLB_STALL] == walked)
		clocks--;
	P5_RAISE(m, DCACHE_READ_STALL, clocks);
	P5_RAISE(m, DCACHE_READ_STALL_TIMES, clocks != 0);
	P5_RAISE(m, MMX_READ_STALL, op->is_mmx ? clocks : 0);
	P5_RAISE(m, MMX_READ_STALL_TIMES, op->is_mmx && clocks);
}

/* run(), with what the read stall counts. */
static bool run_in_time(struct p5 *m, uint64_t lin, const struct p5_operand *op, bool is_write)
{
	const uint64_t lost = m->time.lost, walked = m->dyn[WIRE_P5_DTLB_STALL];
	const bool is_cut = run(m, lin, op, is_write);

	if (m->time.lost != lost)
		count_read_stall(m, op, lost, walked, is_write, is_cut);
	return is_cut;
}

void p5_dcache_ref(struct p5 *m, uint64_t lin, const struct p5_operand *op)
{
	const uint64_t modify_clk =
	    op->access == (P5_READ | P5_WRITE) ? m->par[P5_PAR_DCACHE_MODIFY_CLK] : 0;
	bool is_cut = false;

	if (m->debug.has_data)
		p5_debug_data(m, lin, op);
	if (op->access & P5_READ)
		is_cut = m->time.is_on ? run_in_time(m, lin, op, false) : run(m, lin, op, false);
	if (op->is_locked)
		p5_bus_locked(m, is_cut);
	if (!(op->access & P5_WRITE))
		return;
	if (!m->time.is_on) {
		run(m, lin, op, true);
		return;
	}
	m->time.data_clk += modify_clk; /* part of what the instruction takes */
	run_in_time(m, lin, op, true);
	m->time.data_clk -= modify_clk;
}
