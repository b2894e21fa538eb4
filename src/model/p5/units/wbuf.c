/* wbuf.c -- unit wbuf: write buffers.
 *
 * COUNTING RULES   19H: core clocks in which a store that goes to the bus waits because no buffer
 *                  that it may use is free. 1BH: core clocks in which a store to an E or M line
 *                  waits for writes before it. Both apart for stores of MMX instructions (3BH).
 * MODELLED         P5: one buffer of 8 bytes per pipe; Pentium with MMX: four for both. They go to
 *                  the bus in program order, one cycle each; in the last clock of the cycle the
 *                  next store may move in. A store that hits E or M waits for the last clock of all
 *                  writes before it. Reads never pass them: the bus works in order. Errata
 *                  (--errata): 1BH and its like for MMX count only waits for EWBE#: none.
 * NOT MODELLED     EWBE# (always active), writes to ports; a locked write is buffered like any
 *                  other (chosen).
 * SOURCES          Intel 241428 (1997) 2.6, 6.4.
 */
#include "model/p5/p5.h"
#include "model/p5/units/wait.h"

/* The buffers that a store may use. */
static void share_of(const struct p5 *m, unsigned *from, unsigned *to)
{
	unsigned n = m->par[P5_PAR_WBUF_ENTRIES];

	n = n < 1 ? 1 : n > P5_MOST_WBUFS ? P5_MOST_WBUFS : n;
	*from = 0;
	*to = n;
	if (!m->par[P5_PAR_WBUF_IS_PER_PIPE] || n < 2)
		return;
	if (m->time.is_in_v)
		*from = n / 2;
	else
		*to = n / 2;
}

void p5_wbuf_put(struct p5 *m, enum p5_bus_kind kind, unsigned seen, bool is_mmx)
{
	struct p5_wbuf *w = &m->wbuf;
	struct p5_transfer t;
	unsigned from, to, best;
	uint64_t waited;

	share_of(m, &from, &to);
	best = from;
	for (unsigned i = from + 1; i < to; i++)
		if (w->free_clk[i] < w->free_clk[best])
			best = i;
	waited =
	    w->free_clk[best] ? p5_wait_until(m, w->free_clk[best] - 1, P5_WHY_WRITE_BUFFER) : 0;
	P5_RAISE(m, WBUF_FULL_STALL, waited);
	P5_RAISE(m, WBUF_FULL_STALL_TIMES, waited != 0);
	P5_RAISE(m, WBUF_FULL_STALL_MMX, is_mmx ? waited : 0);
	P5_RAISE(m, WBUF_FULL_STALL_MMX_TIMES, is_mmx && waited);
	p5_bus_cycle(m, kind, seen, m->time.data_clk + m->par[P5_PAR_WBUF_TO_BUS_CLK], &t);
	w->free_clk[best] = t.clk[0];
	w->last_clk = t.clk[0];
}

void p5_wbuf_hit(struct p5 *m, bool is_mmx)
{
	const uint64_t last = m->wbuf.last_clk;
	const uint64_t waited = last ? p5_wait_until(m, last - 1, P5_WHY_WRITE_BUFFER) : 0;

	if (m->has_errata)
		return;
	P5_RAISE(m, WBUF_HIT_STALL, waited);
	P5_RAISE(m, WBUF_HIT_STALL_TIMES, waited != 0);
	P5_RAISE(m, WBUF_HIT_STALL_MMX, is_mmx ? waited : 0);
	P5_RAISE(m, WBUF_HIT_STALL_MMX_TIMES, is_mmx && waited);
}
