/* dcu_weak.c -- unit dcu: what came with the Pentium III: prefetches, weakly ordered
 * stores.
 *
 * COUNTING RULES   PREFETCHNTA fills L1D only, T0 L1D and L2, T1 and T2 L2 only; a miss (4BH) is a
 *                  line in neither. A prefetch that L1D does not satisfy is a load request to L2
 *                  (29H); the one of PREFETCHNTA that L2 misses does not allocate there. A weakly
 *                  ordered store to a line in L1D or L2 is an ordinary store; else it goes to a
 *                  write-combining buffer. A complete buffer is a full-line write (67H), another
 *                  one a partial write per 8-byte piece (6AH).
 * NOT MODELLED     prefetches dropped for lack of buffers; buffers taken by line fills.
 * SOURCES          Intel 245127-001; Intel 243192 appendix A; choices in docs/MODELS.md "dcu".
 */
#include "model/p6/units/bus.h"
#include "model/p6/units/dcu.h"
#include "model/p6/units/ifu.h"
#include "model/p6/units/l2.h"
#include "model/p6/units/line.h"
#include "model/p6/units/walk.h"
#include "model/p6/units/walk_inline.h"

static bool is_in_l1d(const struct p6 *m, struct cache_line l)
{
	const struct cache *c = &m->dcu.cache;

	return cache_find(c, cache_set_of(c, l), cache_tag_of(c, l)) >= 0;
}

/* hint, here and below: as in struct x86_ref: 0 NTA, 1 T0, 2 T1, 3 T2; another one reads the line
 * and is counted nowhere. */
static void count_miss(struct p6 *m, unsigned hint)
{
	switch (hint) {
	case 0: P6_RAISE(m, SSE_PRE_NTA_MISS, 1); break;
	case 1: P6_RAISE(m, SSE_PRE_T0_MISS, 1); break;
	case 2: P6_RAISE(m, SSE_PRE_T1_MISS, 1); break;
	case 3: P6_RAISE(m, SSE_PRE_T2_MISS, 1); break;
	default: break;
	}
}

static void prefetch(struct p6 *m, uint64_t lin, unsigned hint)
{
	struct p6_frame page = p6_translate(m, &m->dtlb, lin >> PAGE_LOG2);
	struct cache_line l = p6_line_at(page, lin, m->line_log2);
	bool smc = false;

	if (is_in_l1d(m, l)) {
		if (hint != 2 && hint != 3)
			p6_dcu_line(m, lin, false, &smc);
		return;
	}
	if (p6_l2_state(m, l) == CACHE_I)
		count_miss(m, hint);
	if (hint == 2 || hint == 3) {
		if (m->l2.is_there)
			p6_l2_request(m, l, P6_REQ_LD);
		return;
	}
	if (hint == 0)
		p6_dcu_fill_only(m, lin);
	else
		p6_dcu_line(m, lin, false, &smc);
}

void p6_dcu_prefetch(struct p6 *m, uint64_t lin, unsigned hint)
{
	if (m->bus.uncached.n && p6_ranges_have(m, &m->bus.uncached, lin))
		return;
	m->bus.is_deferred = m->bus.deferred.n && p6_ranges_have(m, &m->bus.deferred, lin);
	prefetch(m, lin, hint);
	m->bus.is_deferred = false;
}

void p6_dcu_flush_buffer(struct p6 *m, int i, bool is_full)
{
	const uint64_t lin = m->dcu.wc.entry[i].line << m->line_log2;
	const struct page page = p6_page(m, lin >> PAGE_LOG2);
	const struct cache_line l =
	    p6_line_at((struct p6_frame){page.id, page.colour}, lin, m->line_log2);

	if (is_full)
		p6_bus_write_line(m, l);
	else
		p6_bus_write_partial(m, l, wcbuf_pieces(&m->dcu.wc, i));
	wcbuf_remove(&m->dcu.wc, i);
}

void p6_dcu_flush_weak(struct p6 *m)
{
	while (m->dcu.wc.n)
		p6_dcu_flush_buffer(m, 0, false);
}

/* The part of a weak store that lies in one line. Without a free buffer the oldest is emptied,
 * number 0; those behind it move down. Returns true when L1I held the line. A line that L1D or L2
 * has gets no buffer: it is stored to as by any store. An ordinary access that misses L1D on a line
 * with a buffer empties that first (flush_line() in dcu.c), so that L1D and a buffer never hold the
 * same line. */
static bool store_in_line(struct p6 *m, uint64_t lin, unsigned bytes)
{
	const uint64_t line = lin >> m->line_log2;
	struct p6_frame page;
	struct cache_line l;
	bool smc = false;
	int i = wcbuf_find(&m->dcu.wc, line);

	if (i < 0) {
		page = p6_translate(m, &m->dtlb, lin >> PAGE_LOG2);
		l = p6_line_at(page, lin, m->line_log2);
		if (is_in_l1d(m, l) || p6_l2_state(m, l) != CACHE_I) {
			p6_dcu_line(m, lin, true, &smc);
			return smc;
		}
		P6_RAISE(m, SSE_NT_STORE_MISS, 1);
		if (m->dcu.wc.n == m->dcu.wc.size)
			p6_dcu_flush_buffer(
			    m, m->rules.broken == P6_RULE_WC_OLDEST ? m->dcu.wc.n - 1 : 0, false);
		i = m->dcu.wc.n++;
		m->dcu.wc.entry[i] = (struct wcbuf_entry){.line = line};
		smc = p6_ifu_store_snoop(m, l);
	} else {
		p6_translate(m, &m->dtlb, lin >> PAGE_LOG2);
	}
	if (wcbuf_write(&m->dcu.wc, i, (unsigned)(lin & ((1u << m->line_log2) - 1)), bytes))
		p6_dcu_flush_buffer(m, i, true);
	return smc;
}

bool p6_dcu_store_weak(struct p6 *m, uint64_t lin, unsigned bytes)
{
	bool smc = false;

	if (m->bus.uncached.n && p6_ranges_have(m, &m->bus.uncached, lin)) {
		p6_uncached_ref(m, lin, bytes, X86_REF_WRITE);
		return false;
	}
	p6_dcu_count_pieces(m, lin, bytes);
	while (bytes) {
		unsigned room = (1u << m->line_log2) - (unsigned)(lin & ((1u << m->line_log2) - 1));
		unsigned n = bytes < room ? bytes : room;

		if (store_in_line(m, lin, n))
			smc = true;
		lin = (lin + n) & P6_LIN_MASK;
		bytes -= n;
	}
	return smc;
}
