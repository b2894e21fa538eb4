/* bus_uncached.c -- units bus, dcu and ifu: memory that is not cacheable, lines whose replies are
 * deferred, and locked accesses that a line end cuts.
 *
 * COUNTING RULES   an access that begins in such memory is a data reference (43H) that 44H leaves
 *                  out; each piece of it between 8-byte boundaries is a partial read or write on
 *                  the bus (6BH, 6AH). An instruction that begins there is one miss of fetch (81H),
 *                  and its pieces are partial reads. A line read from a range of --defer is a
 *                  transaction and later another one, the reply (6DH). A locked access over two
 *                  lines of cacheable memory goes by the bus as well, one partial read and one
 *                  partial write for each line; it remains a reference of cacheable memory (43H,
 *                  44H).
 * MODELLED         such ranges by linear address, in whole lines (--uncached, --defer); both make
 *                  the machine run without short cuts.
 * NOT MODELLED     accesses that begin in one kind of memory and end in another: their first byte
 *                  decides. Prefetches from memory that is not cacheable do nothing. Other kinds of
 *                  memory (WT, WP, WC).
 * SOURCES          Intel 242816-003 table 7-2; Intel 243192 appendix A; choices in docs/MODELS.md
 *                  "bus".
 */
#include "model/p6/units/bus.h"
#include "model/p6/units/dcu.h"
#include "model/p6/units/ifu.h"
#include "model/p6/units/l2.h"
#include "model/p6/units/retire.h"
#include "model/p6/units/walk.h"
#include "model/p6/units/walk_inline.h"

static void take_ranges(struct p6_ranges *r, const struct mdl_range *from, uint32_t n,
			unsigned line_log2)
{
	for (uint32_t i = 0; i < n && i < MDL_MAX_UNCACHED; i++)
		r->line[r->n++] =
		    (struct mdl_range){from[i].from >> line_log2, (from[i].to - 1) >> line_log2};
}

void p6_ranges_open(struct p6 *m, const struct mdl_config *cfg)
{
	take_ranges(&m->bus.uncached, cfg->uncached, cfg->n_uncached, m->line_log2);
	take_ranges(&m->bus.deferred, cfg->p6.deferred, cfg->p6.n_deferred, m->line_log2);
}

bool p6_ranges_have(const struct p6 *m, const struct p6_ranges *r, uint64_t lin)
{
	const uint64_t line = (lin & P6_LIN_MASK) >> m->line_log2;

	for (unsigned i = 0; i < r->n; i++)
		if (line >= r->line[i].from && line <= r->line[i].to)
			return true;
	return false;
}

/* Pieces of an access between 8-byte boundaries. */
static unsigned pieces_of(uint64_t lin, unsigned bytes)
{
	return bytes ? (unsigned)((lin & 7) + bytes + 7) / 8 : 0;
}

/* The caches give line l up, modified copies to memory. Returns true when L1I had it. */
static bool give_up(struct p6 *m, struct cache_line l)
{
	const enum cache_state l1d = p6_dcu_snoop(m, l, true),
			       l2 = p6_l2_snoop(m, l, true, l1d == CACHE_M);

	if (l1d == CACHE_M || l2 == CACHE_M)
		p6_bus_write_back(m);
	return p6_ifu_store_snoop(m, l);
}

static struct cache_line line_of(const struct p6 *m, struct p6_frame page, uint64_t lin)
{
	return (struct cache_line){page.id, page.colour,
				   (uint32_t)(lin & ((1u << PAGE_LOG2) - 1)) >> m->line_log2};
}

void p6_uncached_ref(struct p6 *m, uint64_t lin, unsigned bytes, unsigned flags)
{
	const bool reads = flags & X86_REF_READ, writes = flags & X86_REF_WRITE;
	const unsigned pieces = pieces_of(lin, bytes),
		       refs = p6_pieces(bytes) * (reads && writes ? 2 : 1);
	const struct p6_frame page = p6_translate(m, &m->dtlb, (lin & P6_LIN_MASK) >> PAGE_LOG2);

	/* it was counted as a reference like others */
	P6_RAISE(m, DCU_REF, -(uint64_t)refs);
	P6_RAISE(m, DCU_REF_UC, refs);
	if (m->time.watch)
		p6_watch_uncached(m, refs);
	if (lin & 7 || bytes > 8) {
		const uint64_t before = m->dyn[WIRE_P6_DCU_REF];

		p6_dcu_count_pieces(m, lin, bytes);
		if (reads && writes)
			p6_dcu_count_pieces(m, lin, bytes);
		P6_RAISE(m, DCU_REF_UC, m->dyn[WIRE_P6_DCU_REF] - before);
		P6_SET(m, DCU_REF, before);
	}
	for (unsigned i = 0; i < pieces && reads; i++)
		p6_bus_read_partial(m);
	if (writes)
		p6_bus_write_partial(m, line_of(m, page, lin), pieces);
}

void p6_uncached_fetch(struct p6 *m, uint64_t pc, unsigned bytes)
{
	p6_translate(m, &m->itlb, (pc & P6_LIN_MASK) >> PAGE_LOG2);
	P6_RAISE(m, IFU_MISS, 1);
	P6_RAISE(m, IFU_MISS_REF, 1);
	for (unsigned i = 0; i < pieces_of(pc, bytes); i++)
		p6_bus_read_partial(m);
}

bool p6_bus_locked_ref(struct p6 *m, uint64_t lin, unsigned bytes)
{
	const uint64_t last = (lin + bytes - 1) & P6_LIN_MASK;
	bool smc = false;

	for (uint64_t at = lin & P6_LIN_MASK;; at = (at + (1u << m->line_log2)) & P6_LIN_MASK) {
		const struct cache_line l =
		    line_of(m, p6_translate(m, &m->dtlb, at >> PAGE_LOG2), at);
		const int buffer = m->dcu.wc.n ? wcbuf_find(&m->dcu.wc, at >> m->line_log2) : -1;

		if (buffer >= 0)
			p6_dcu_flush_buffer(m, buffer, false);
		smc |= give_up(m, l);
		p6_bus_read_partial(m);
		p6_bus_write_partial(m, l, 1);
		if (at >> m->line_log2 == last >> m->line_log2)
			return smc;
	}
}
