/* block_memory.h -- what a block touches when it is executed: its code lines and its references.
 * Part of feed.c, which alone includes it, so that the loop over records is compiled in one piece.
 *
 * The common case is done here; everything else is left to the units (rules: feed.c). memory() is
 * the way in. It is compiled once for the usual geometry, with constants, and once for any other.
 */
#ifndef SOFTPMU_MODEL_P6_BLOCK_MEMORY_H
#define SOFTPMU_MODEL_P6_BLOCK_MEMORY_H

#include "model/p6/host/host.h"
#include "model/p6/loops/events.h"
#include "model/p6/loops/group.h"
#include "model/p6/blocks/plain.h"
#include "model/p6/units/dcu.h"
#include "model/p6/units/ifu.h"
#include "model/p6/blocks/address.h"
#include "trace/record.h"

#define LIKELY(x)   __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define INLINE	    inline __attribute__((always_inline))
#define OUT_OF_LINE __attribute__((noinline))

/* ---- shapes ---------------------------------------------------------------------------------- */

/* Geometry as the loop sees it: constants in the usual case. */
struct shape {
	unsigned line_log2;
	unsigned d_way_log2, i_way_log2;
	uint32_t d_set_mask, i_set_mask;
	uint32_t dtlb_mask, itlb_mask;
	bool is_fast;
	bool is_front; /* of a group (group.h) */
};

/* Pentium II and III. */
#define FAST_SHAPE                                                                                 \
	(struct shape)                                                                             \
	{                                                                                          \
		P6_FAST_LINE_LOG2, PAGE_LOG2, PAGE_LOG2, (1u << P6_FAST_SET_LOG2) - 1,             \
		    (1u << P6_FAST_SET_LOG2) - 1, P6_FAST_DTLB_SETS - 1, P6_FAST_ITLB_SETS - 1,    \
		    true, false                                                                    \
	}

static inline struct shape shape_of(const struct p6 *m)
{
	return (struct shape){
	    .line_log2 = m->line_log2,
	    .d_way_log2 = cache_way_log2(&m->dcu.cache),
	    .i_way_log2 = cache_way_log2(&m->ifu.cache),
	    .d_set_mask = m->dcu.cache.n_sets - 1,
	    .i_set_mask = m->ifu.cache.n_sets - 1,
	    .dtlb_mask = m->dtlb.tlb.n_sets - 1,
	    .itlb_mask = m->itlb.tlb.n_sets - 1,
	};
}

static inline struct shape shape_of_front(const struct p6 *m)
{
	struct shape s = shape_of(m);

	s.is_front = true;
	return s;
}

/* With a ledger, book what has moved to code line `line` of b. */
static INLINE void book_line(struct p6 *m, const struct p6_blk *b, unsigned line)
{
	if (UNLIKELY(m->ledger != NULL))
		ledger_book_memory(m->ledger, trc_block_id(b->head), p6_blk_line_insns(b)[line]);
}

/* Is the page of code line `line` the one of its set of the ITLB that was used last? */
static INLINE bool is_page_last(const struct p6 *m, uint64_t line)
{
	const uint64_t vpn = line >> (PAGE_LOG2 - P6_FAST_LINE_LOG2);

	return m->fast.itlb[vpn & (P6_FAST_ITLB_SETS - 1)] == vpn;
}

/* ---- references and code lines --------------------------------------------------------------- */

/* Reference r = number k of block b in full, which is not aligned or of unusual size. Returns true
 * when it stored into a line of L1I. */
static OUT_OF_LINE bool reference_odd(struct p6 *m, const struct p6_blk *b, const struct p6_ref *r,
				      const uint8_t *slots, uint64_t lin)
{
	const struct x86_block *xb;
	unsigned k = (unsigned)(r - p6_blk_refs(b));

	if (m->is_fast_shape && r->kind < P6_NEVER && r->access != P6_LOCKED)
		return p6_dcu_ref_unaligned(m, lin & P6_LIN_MASK, r->align_mask + 1u,
					    (enum p6_access)r->access);
	xb = x86_store_get(m->store, trc_block_id(b->head));
	if (r->kind == P6_FAR)
		lin = p6_address(m, xb, k, slots);
	return p6_dcu_ref(m, lin & P6_LIN_MASK, xb->ref[k].bytes, xb->ref[k].flags,
			  r->access == P6_LOCKED);
}

static OUT_OF_LINE void stored_code(struct p6 *m, const struct p6_blk *b, const struct p6_ref *r,
				    const uint8_t *slots)
{
	const struct x86_block *xb = x86_store_get(m->store, trc_block_id(b->head));

	p6_log_write_at(&m->log, slots - 4);
	p6_run_rest(m, xb, slots, (unsigned)(r - p6_blk_refs(b)) + 1);
}

/* Do any reference r of b, aligned or not, and write what it did to the log. Returns true when it
 * stored into code (p6_dcu_ref()). */
static OUT_OF_LINE bool reference_logged(struct p6 *m, const struct p6_blk *b,
					 const struct p6_ref *r, const uint8_t *slots, uint64_t lin)
{
	struct p6_log_counts was;
	bool smc;

	p6_log_write_at(&m->log, slots - 4);
	was = p6_log_write_before(m, false);
	if (lin & r->align_mask || r->kind >= P6_NEVER)
		smc = reference_odd(m, b, r, slots, lin);
	else
		smc = p6_dcu_ref_fast(m, lin & P6_LIN_MASK, (enum p6_access)r->access);
	p6_log_write_behind(m, &was);
	p6_log_write_reference(m, (unsigned)(r - p6_blk_refs(b)));
	return smc;
}

/* The reference with a ledger: in full, and booked unless it counts nothing. */
static OUT_OF_LINE bool reference_booked(struct p6 *m, const struct p6_blk *b,
					 const struct p6_ref *r, const uint8_t *slots, uint64_t lin)
{
	const enum p6_access access = (enum p6_access)r->access;
	bool smc;

	if (lin & r->align_mask || r->kind >= P6_NEVER) {
		smc = reference_odd(m, b, r, slots, lin);
	} else if (m->is_fast_shape) {
		if (p6_dcu_hits(m, lin & P6_LIN_MASK, access))
			return false;
		smc = p6_dcu_ref_fast(m, lin & P6_LIN_MASK, access);
	} else {
		smc = p6_dcu_ref_in_line(m, lin & P6_LIN_MASK, access);
	}
	ledger_book_memory(m->ledger, trc_block_id(b->head), r->insn);
	return smc;
}

static INLINE bool reference_in_full(struct p6 *m, const struct p6_blk *b, const struct p6_ref *r,
				     const uint8_t *slots, uint64_t lin, const bool fast)
{
	if (fast && m->log.is_on)
		return reference_logged(m, b, r, slots, lin);
	if (UNLIKELY(m->ledger != NULL))
		return reference_booked(m, b, r, slots, lin);
	if (UNLIKELY(lin & r->align_mask) || UNLIKELY(r->kind >= P6_NEVER))
		return reference_odd(m, b, r, slots, lin);
	if (fast)
		return p6_dcu_ref_fast(m, lin & P6_LIN_MASK, r->access);
	return p6_dcu_ref_in_line(m, lin & P6_LIN_MASK, r->access);
}

/* References [k, end) of b. Returns false after a store into a line of L1I: the rest of the block
 * has been done in plain order then, because its code may have to be fetched again. */
static INLINE bool references(struct p6 *m, const struct p6_blk *b, const uint8_t *slots,
			      unsigned k, unsigned end, const struct shape s)
{
	const struct p6_ref *r = p6_blk_refs(b) + k, *const last = p6_blk_refs(b) + end;

	for (; r < last; r++) {
		uint64_t lin = (uint64_t)(int64_t)r->disp, vpn, differs;
		size_t set;

		if (LIKELY(r->slot != P6_NO_SLOT))
			lin += reader_slot(slots, r->slot);
		if (r->is_more) {
			if (r->slot2 != P6_NO_SLOT)
				lin += reader_slot(slots, r->slot2)
				       << (r->is_more >> P6_MORE_SHIFT);
			if (UNLIKELY(r->is_more & P6_MORE_FS))
				lin += m->seg.fs_base;
		}
		vpn = lin >> PAGE_LOG2;
		set = lin >> s.line_log2 & s.d_set_mask;
		if (s.is_fast) {
			differs = m->fast.dtlb[vpn & s.dtlb_mask] ^ vpn;
			differs |= m->fast.dcu[P6_KINDS * set + r->kind] ^ vpn;
		} else {
			differs = m->dtlb.filter[vpn & s.dtlb_mask] ^ vpn;
			differs |= m->dcu.filter[P6_KINDS * set + r->kind] ^ lin >> s.d_way_log2;
		}
		differs |= lin & r->align_mask;
		if (s.is_front) {
			if (UNLIKELY(differs))
				p6_group_reference(m, b, r, slots, lin);
			continue;
		}
		if (UNLIKELY(differs) &&
		    UNLIKELY(reference_in_full(m, b, r, slots, lin, s.is_fast))) {
			stored_code(m, b, r, slots);
			return false;
		}
	}
	return true;
}

/* Fetch code line number `line` in the fast shape; with a log, write what that did to it. It is
 * line i of the block whose record's slots are at `slots`. Returns true when L1I did not have it.
 */
static bool line_fast(struct p6 *m, uint64_t line, unsigned i, const uint8_t *slots)
{
	struct p6_log_counts was;
	bool is_miss;

	if (!m->log.is_on)
		return p6_ifu_line_fast(m, line);
	p6_log_write_at(&m->log, slots - 4);
	was = p6_log_write_before(m, true);
	is_miss = p6_ifu_line_fast(m, line);
	p6_log_write_fetched(m, &was, i);
	return is_miss;
}

/* Line l is missing, number i of the block. */
static void line_missing(struct p6 *m, struct cache_line l, unsigned i, const uint8_t *slots)
{
	struct p6_log_counts was;

	if (!m->log.is_on) {
		p6_ifu_miss_fast(m, l);
		return;
	}
	p6_log_write_at(&m->log, slots - 4);
	was = p6_log_write_before(m, true);
	p6_ifu_miss_fast(m, l);
	p6_log_write_fetched(m, &was, i);
}

/* The page of the block's first line. */
static OUT_OF_LINE struct p6_frame page_fast(struct p6 *m, uint64_t vpn, const uint8_t *slots)
{
	struct p6_log_counts was;
	struct p6_frame page;

	if (!m->log.is_on)
		return p6_ifu_page_fast(m, vpn);
	p6_log_write_at(&m->log, slots - 4);
	was = p6_log_write_before(m, true);
	page = p6_ifu_page_fast(m, vpn);
	p6_log_write_fetched(m, &was, 0);
	return page;
}

/* A block of which a code line may be missing: lines and references in order. */
static INLINE void block_in_order(struct p6 *m, const struct p6_blk *b, const uint8_t *slots,
				  const struct shape s)
{
	const uint64_t first = b->pc >> s.line_log2;
	const uint8_t *before = p6_blk_lines(b);
	unsigned k = 0;
	bool was_miss = false;

	for (unsigned i = 0; i < b->n_line; i++) {
		const bool may_walk = !s.is_fast || !is_page_last(m, first + i);
		bool is_miss;

		if (!references(m, b, slots, k, before[i], s))
			return;
		k = before[i];
		if (s.is_front) {
			p6_group_line(m, b, (first + i) & (P6_LIN_MASK >> s.line_log2), i);
			continue;
		}
		is_miss = s.is_fast ? line_fast(m, (first + i) & (P6_LIN_MASK >> P6_FAST_LINE_LOG2),
						i, slots)
				    : p6_ifu_line(m, (first + i) & (P6_LIN_MASK >> s.line_log2));
		/* one instruction over two missing lines is one */
		P6_RAISE(m, IFU_MISS_REF, is_miss && !(i == 1 && was_miss && b->is_cut));
		if (is_miss || may_walk)
			book_line(m, b, i);
		was_miss = is_miss;
	}
	references(m, b, slots, k, b->n_ref, s);
}

static OUT_OF_LINE void block_fast(struct p6 *m, const struct p6_blk *b, const uint8_t *slots)
{
	block_in_order(m, b, slots, FAST_SHAPE);
}

static OUT_OF_LINE void block_of_front(struct p6 *m, const struct p6_blk *b, const uint8_t *slots)
{
	block_in_order(m, b, slots, shape_of_front(m));
}

static OUT_OF_LINE void block_any_shape(struct p6 *m, const struct p6_blk *b, const uint8_t *slots)
{
	block_in_order(m, b, slots, shape_of(m));
}

/* Code lines and references of b, of which a code line is missing; it has two lines at most, in one
 * page, which is the one of its ITLB set used last. hit0, hit1: the ways of its first and last
 * line, 0 = missing. */
static OUT_OF_LINE void missing_fast(struct p6 *m, const struct p6_blk *b, const uint8_t *slots,
				     unsigned hit0, unsigned hit1)
{
	const struct cache c =
	    cache_of_shape(&m->ifu.cache, P6_FAST_WAYS, P6_FAST_SET_LOG2, P6_FAST_LINE_LOG2);
	const struct p6_frame page = m->itlb.last[b->pc >> PAGE_LOG2 & (P6_FAST_ITLB_SETS - 1)];
	const uint32_t first = (uint32_t)(b->pc >> P6_FAST_LINE_LOG2) & (c.n_sets - 1);
	unsigned k = 0;

	if (hit0) {
		cache_meta(&c, first)->order = repl_touch_four(cache_meta(&c, first)->order, hit0);
	} else {
		line_missing(m, (struct cache_line){page.id, page.colour, first}, 0, slots);
		P6_RAISE(m, IFU_MISS_REF, 1);
		book_line(m, b, 0);
	}
	if (b->n_line == 2 && hit1) {
		cache_meta(&c, first + 1)->order =
		    repl_touch_four(cache_meta(&c, first + 1)->order, hit1);
	} else if (b->n_line == 2) {
		k = p6_blk_lines(b)[1];
		if (!references(m, b, slots, 0, k, FAST_SHAPE))
			return;
		line_missing(m, (struct cache_line){page.id, page.colour, first + 1}, 1, slots);
		/* one instruction over two missing lines is one */
		P6_RAISE(m, IFU_MISS_REF, hit0 || !b->is_cut);
		book_line(m, b, 1);
	}
	references(m, b, slots, k, b->n_ref, FAST_SHAPE);
}

/* Code lines and references of b in the fast shape. */
static INLINE void memory_fast(struct p6 *m, const struct p6_blk *b, const uint8_t *slots)
{
	const struct cache c =
	    cache_of_shape(&m->ifu.cache, P6_FAST_WAYS, P6_FAST_SET_LOG2, P6_FAST_LINE_LOG2);
	const uint64_t vpn = b->pc >> PAGE_LOG2, end = p6_blk_fall(b) - 1;
	const uint32_t page_set = (uint32_t)vpn & (P6_FAST_ITLB_SETS - 1);
	const uint32_t first = (uint32_t)(b->pc >> P6_FAST_LINE_LOG2) & (c.n_sets - 1);
	const uint32_t last = (uint32_t)(end >> P6_FAST_LINE_LOG2) & (c.n_sets - 1);
	uint32_t page;
	unsigned hit0, hit1;

	/* most blocks have one line or two, in one page; which way has them cannot be guessed */
	if (UNLIKELY(b->n_line > 2) || UNLIKELY(end >> PAGE_LOG2 != vpn)) {
		block_fast(m, b, slots);
		return;
	}
	page = m->itlb.last[page_set].id;
	if (UNLIKELY(m->fast.itlb[page_set] != vpn)) {
		page = page_fast(m, vpn, slots).id;
		book_line(m, b, 0);
	}
	hit0 = cache_hit_of_four((const uint8_t *)cache_tags(&c, first), page);
	hit1 = cache_hit_of_four((const uint8_t *)cache_tags(&c, last), page);
	if (UNLIKELY(!hit0) || UNLIKELY(!hit1)) {
		missing_fast(m, b, slots, hit0, hit1);
		return;
	}
	cache_meta(&c, first)->order = repl_touch_four(cache_meta(&c, first)->order, hit0);
	cache_meta(&c, last)->order = repl_touch_four(cache_meta(&c, last)->order, hit1);
	references(m, b, slots, 0, b->n_ref, FAST_SHAPE);
}

/* Were all code lines of b the ones last used in their sets, and their pages too? */
static INLINE bool is_code_fast(const struct p6 *m, const struct p6_blk *b, const struct shape s)
{
	const uint64_t first = b->pc >> s.line_log2, last = (p6_blk_fall(b) - 1) >> s.line_log2;
	const uint64_t page0 = b->pc >> PAGE_LOG2, page1 = (p6_blk_fall(b) - 1) >> PAGE_LOG2;
	const uint64_t *const i_filter = m->ifu.filter, *const t_filter = m->itlb.filter;
	const unsigned key_shift = s.i_way_log2 - s.line_log2;
	uint64_t differs;

	/* most blocks have one line or two */
	differs = t_filter[page0 & s.itlb_mask] ^ page0;
	differs |= t_filter[page1 & s.itlb_mask] ^ page1;
	differs |= i_filter[first & s.i_set_mask] ^ first >> key_shift;
	differs |= i_filter[last & s.i_set_mask] ^ last >> key_shift;
	for (uint64_t line = first + 1; line < last; line++)
		differs |= i_filter[line & s.i_set_mask] ^ line >> key_shift;
	return !differs;
}

/* Code lines and references of one execution. */
static INLINE void memory(struct p6 *m, struct p6_blk *b, const uint8_t *slots,
			  const struct shape s)
{
	if (s.is_fast)
		memory_fast(m, b, slots);
	else if (LIKELY(is_code_fast(m, b, s)))
		references(m, b, slots, 0, b->n_ref, s);
	else if (s.is_front)
		block_of_front(m, b, slots);
	else
		block_any_shape(m, b, slots);
	if (s.is_front && UNLIKELY(m->group->is_done))
		p6_group_end_block(m->group);
}

#endif
