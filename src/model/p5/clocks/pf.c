/* pf.c -- the prefetch buffers (part of unit icache): which code is asked for, and when D1 can have
 * it.
 *
 * COUNTING RULES   every buffer that is filled is one request (0CH): of an aligned line on the
 *                  Pentium, of an aligned half of one with MMX.
 * CLOCKS           those of EX: what is asked for in clock t and is in L1I can be in EX from t + 1
 *                  on. A stream whose first slot may enter EX in clock t is asked for in t - 1.
 * MODELLED         one request per clock while a buffer is free: behind the last one, or where a
 *                  branch that is predicted taken goes (2 buffers of 32 bytes per stream, with MMX
 *                  4 of 16). A buffer is free in the clock after D1 has had its last byte. Pentium:
 *                  a target in the upper half of a line comes together with the lower half of the
 *                  next (split-line access). Prefetch stops at the end of a page until D1 needs the
 *                  next one.
 * NOT MODELLED     streams that are kept while another one is fetched: what a branch leaves is
 *                  asked for again; so at most 2 * 32 bytes are in flight, where hardware may run
 *                  about 100 bytes ahead.
 * SOURCES          Intel 241428 (1997) 2.1.1, 2.2, 2.5.2; Intel 242816 (1997) 2.1.3, 3.4.1. Sizes:
 *                  params.tsv; that the buffers of one stream are one pair, with MMX all four, is
 *                  chosen.
 */
#include "model/p5/p5.h"

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

void p5_pf_empty(struct p5 *m)
{
	struct p5_pf *f = &m->time.pf;
	unsigned bytes = m->par[P5_PAR_PF_UNIT_BYTES];

	f->n = 0;
	f->first = P5_NO_KEY >> 1;
	f->unit_log2 = 3;
	while (bytes > 8 && f->unit_log2 < 5 && f->unit_log2 < m->icache.cache.line_log2) {
		bytes /= 2;
		f->unit_log2++;
	}
	f->n_buffers = (uint8_t)(8 * P5_PF_CHUNKS >> f->unit_log2);
	if (m->par[P5_PAR_PF_BUFFERS] && m->par[P5_PAR_PF_BUFFERS] < f->n_buffers)
		f->n_buffers = (uint8_t)m->par[P5_PAR_PF_BUFFERS];
	if (f->n_buffers < 2)
		f->n_buffers = 2;
	m->time.code_fill.line = P5_NO_KEY;
}

/* Ask for the unit behind the last one; `want` in it is needed first. */
static void request(struct p5 *m, uint64_t want, uint64_t clk)
{
	struct p5_pf *f = &m->time.pf;
	const uint64_t unit = (f->first + f->n) << f->unit_log2;

	f->settled_clk = later(
	    f->settled_clk, p5_icache_fetch(m, unit, 1u << f->unit_log2, later(want, unit), clk));
	f->n++;
	f->next_clk = clk + 1;
}

/* Is the unit behind the last one the first of a page? */
static bool is_at_page(const struct p5_pf *f)
{
	return !((f->first + f->n) << f->unit_log2 & ((1u << PAGE_LOG2) - 1));
}

/* What the prefetcher does by itself up to clock `until`. */
static void run_ahead(struct p5 *m, uint64_t until)
{
	const struct p5_pf *f = &m->time.pf;

	while (f->n && f->n < f->n_buffers && f->next_clk <= until && !is_at_page(f))
		request(m, 0, f->next_clk);
}

void p5_pf_redirect(struct p5 *m, uint64_t pc, uint64_t clk, bool is_flush)
{
	struct p5_pf *f = &m->time.pf;
	const unsigned half = 1u << f->unit_log2 >> 1;

	(void)is_flush;
	clk -= clk > 0;
	if (clk)
		run_ahead(m, clk - 1);
	f->first = pc >> f->unit_log2;
	f->n = 0;
	f->settled_clk = 0;
	request(m, pc, clk);
	if (m->par[P5_PAR_PF_IS_SPLIT] && pc & half && !is_at_page(f))
		request(m, 0, clk);
}

/* D1 has gone on to unit `lo`: buffers before it are free from the clock after at_clk on. */
static void leave_units(struct p5_pf *f, uint64_t lo, uint64_t at_clk)
{
	if (f->n == f->n_buffers)
		f->next_clk = later(f->next_clk, at_clk + 1);
	f->n -= (uint32_t)(lo - f->first);
	f->first = lo;
}

static __attribute__((noinline)) uint64_t ready_in_full(struct p5 *m, uint64_t pc, unsigned bytes,
							uint64_t at_clk)
{
	struct p5_pf *f = &m->time.pf;
	const uint64_t lo = pc >> f->unit_log2, hi = (pc + bytes - 1) >> f->unit_log2;
	uint64_t clk = at_clk;

	run_ahead(m, at_clk);
	if (lo - f->first >
	    f->n) /* nobody said that execution goes on here: the first instruction */
		p5_pf_redirect(m, pc, at_clk + 1, true);
	else if (lo != f->first)
		leave_units(f, lo, at_clk);
	while (f->first + f->n <= hi)
		request(m, pc, later(f->next_clk, at_clk));
	for (uint64_t chunk = pc >> 3; chunk <= (pc + bytes - 1) >> 3; chunk++)
		clk = later(clk, f->ready[chunk & (P5_PF_CHUNKS - 1)]);
	return clk;
}

uint64_t p5_pf_ready(struct p5 *m, uint64_t pc, unsigned bytes, uint64_t at_clk)
{
	const struct p5_pf *f = &m->time.pf;

	/* all buffers full, of the unit that is being used: nothing to do */
	if (pc >> f->unit_log2 == f->first && (pc + bytes - 1) >> f->unit_log2 == f->first &&
	    f->n == f->n_buffers && f->settled_clk <= at_clk)
		return at_clk;
	return ready_in_full(m, pc, bytes, at_clk);
}
