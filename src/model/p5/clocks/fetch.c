/* fetch.c -- clocks of code reads: lines that come into L1I, and code that is not cacheable.
 *
 * COUNTING RULES   as in units/icache.c, which says what is seen of a read.
 * SOURCES          as units/icache.c. Clocks: catalog/p5/params.tsv.
 */
#include "model/p5/p5.h"

#define PAGE_MASK ((1u << PAGE_LOG2) - 1)

/* The line of `want` comes in from clk on. */
static void fill(struct p5 *m, uint64_t want, unsigned seen, uint64_t clk)
{
	struct p5_icache_fill *f = &m->time.code_fill;
	const unsigned back = m->par[P5_PAR_ICACHE_MISS_RETURN_CLK], first = want >> 3 & 3;
	struct p5_transfer t;

	clk += m->par[P5_PAR_BUS_TO_BUS_CLK];
	if (clk < f->end_clk)
		clk = f->end_clk;
	if (seen & P5_SEEN_BACK)
		p5_dcache_write_back(m, clk);
	p5_bus_cycle(m, P5_BUS_FILL, p5_bus_of_seen(seen), clk, &t);
	for (unsigned k = 0; k < 4; k++) {
		const unsigned i = k && m->par[P5_PAR_DCACHE_FILL_IS_WHOLE] ? 3 : k;

		f->clk[k ^ first] = t.clk[i] + back;
	}
	f->line = want >> m->icache.cache.line_log2;
	f->end_clk = t.clk[3] + back;
}

/* Code that is not cacheable: 8 bytes at a time, from those that are wanted on. Returns as
 * p5_icache_fetch(). */
static uint64_t fetch_uncached(struct p5 *m, uint64_t unit, unsigned bytes, uint64_t want,
			       uint64_t clk)
{
	unsigned seen = 0;
	const struct p5_frame page = p5_itlb_translate(m, unit >> PAGE_LOG2, &seen);
	uint64_t latest = 0;

	if (seen & P5_SEEN_WALK)
		clk = p5_dtlb_walk(m, &seen, clk);
	for (uint64_t at = unit; at < unit + bytes; at += 8) {
		const uint32_t offset = (uint32_t)at & PAGE_MASK;
		struct p5_transfer t;
		uint64_t r;

		m->time.pf.ready[at >> 3 & (P5_PF_CHUNKS - 1)] = 0;
		if (at + 8 <= want)
			continue;
		P5_RAISE(m, ICACHE_READ, 1);
		P5_SEE(m, ICACHE_MISS, 1);
		p5_bus_cycle(m, P5_BUS_READ_UC, p5_bus_see(m, P5_BUS_READ_UC, page, offset),
			     clk + m->par[P5_PAR_BUS_TO_BUS_CLK], &t);
		r = t.clk[0] + m->par[P5_PAR_ICACHE_MISS_RETURN_CLK];
		m->time.pf.ready[at >> 3 & (P5_PF_CHUNKS - 1)] = r;
		latest = r > latest ? r : latest;
	}
	return latest;
}

uint64_t p5_icache_fetch(struct p5 *m, uint64_t unit, unsigned bytes, uint64_t want, uint64_t clk)
{
	const struct p5_icache_fill *f = &m->time.code_fill;
	uint64_t *ready = m->time.pf.ready;
	uint64_t latest;
	unsigned seen;
	bool is_coming;

	if (m->dcache.n_uncached && p5_dcache_is_uncached(m, unit))
		return fetch_uncached(m, unit, bytes, want, clk);
	P5_RAISE(m, ICACHE_READ, 1);
	seen = p5_look_code(m, unit, want);
	if (seen & P5_SEEN_WALK)
		clk = p5_dtlb_walk(m, &seen, clk);
	if ((seen & P5_SEEN_KIND) == P5_SEEN_MISS)
		fill(m, want, seen, clk);
	is_coming = f->line == unit >> m->icache.cache.line_log2 && f->end_clk > clk;
	latest = clk + 1;
	for (uint64_t at = unit; at < unit + bytes; at += 8)
		ready[at >> 3 & (P5_PF_CHUNKS - 1)] = latest;
	for (uint64_t at = unit; is_coming && at < unit + bytes; at += 8) {
		const uint64_t r = f->clk[at >> 3 & 3];

		if (r <= clk + 1)
			continue;
		ready[at >> 3 & (P5_PF_CHUNKS - 1)] = r;
		latest = r > latest ? r : latest;
	}
	return latest;
}
