/* feed.c -- the loop over records: the whole cost of a run.
 *
 * What a block does whenever it runs is counted by one increment. Of the rest, the loop does the
 * common case itself and leaves everything else to the units:
 *   code lines   each is the line of its L1I set, and its page that of its ITLB set, used last;
 *   references   naturally aligned, line and page used last in their sets, for stores in state M;
 *   transfers    the BTB has the branch where it had it last.
 * In these cases the touch changes no state (parts/replace.h), so leaving it out is exact; otherwise
 * the unit's function does the access in full. plain.c does everything in full, and a test compares.
 *
 * Block records are told apart by id; a block is compiled when its id is first met.
 */
#include "model/p6/p6.h"

#include <string.h>

#include "base/error.h"
#include "model/p6/btb.h"
#include "trace/record.h"

#define LIKELY(x)   __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

static inline uint32_t load_u32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, 4);
	return v;
}

static inline uint64_t load_u64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, 8);
	return v;
}

/* Geometry as the loop sees it: constants in the usual case. */
struct shape {
	unsigned line_log2;
	unsigned d_way_log2, i_way_log2;
	uint32_t d_set_mask, i_set_mask;
	uint32_t dtlb_mask, itlb_mask;
};

/* Reference k of block `id` in full. Returns true when it stored into a line of L1I. */
static __attribute__((noinline)) bool reference_in_full(struct p6 *m, uint32_t id, unsigned k, uint64_t lin)
{
	const struct x86_block *xb = x86_store_get(m->store, id);
	const struct x86_ref *r = &xb->ref[k];

	return p6_dcu_ref(m, lin, r->bytes, r->flags, xb->insn[r->insn].flags & X86_I_LOCK);
}

/* References [k, end) of a block. Returns the number of the first one not done: end, or less after a
 * store into a line of L1I, when code lines of this block may have to be fetched again. */
static inline __attribute__((always_inline)) unsigned references(struct p6 *m, const struct p6_blk *b, uint32_t id,
	const uint8_t *slots, unsigned k, unsigned end, const struct shape s)
{
	const struct p6_ref *r = p6_blk_refs(b) + k;
	const uint8_t *const from[2] = { slots, (const uint8_t *)m->constant };
	const uint64_t *const d_filter = m->dcu.filter;
	const uint64_t *const t_filter = m->dtlb.filter;

	for (; k < end; k++, r++) {
		uint64_t lin = r->disp + load_u64(from[r->sel & 1] + 8 * r->slot) +
		               (load_u64(from[r->sel >> 1] + 8 * r->slot2) << r->shift);
		uint64_t vpn, differs;

		lin &= P6_LIN_MASK;
		vpn = lin >> PAGE_LOG2;
		differs = t_filter[vpn & s.dtlb_mask] ^ vpn;
		differs |= d_filter[r->filter * (s.d_set_mask + 1) + (lin >> s.line_log2 & s.d_set_mask)] ^
		           lin >> s.d_way_log2;
		differs |= lin & r->align_mask;
		if (UNLIKELY(differs) && UNLIKELY(reference_in_full(m, id, k, lin)))
			return k + 1;
	}
	return end;
}

/* A block in which a code line or its page was not the one used last: lines and references in order.
 * from_ref: references below it, and the lines before them, are done. */
static __attribute__((noinline)) void block_in_order(struct p6 *m, const struct p6_blk *b, uint32_t id,
                                                     const uint8_t *slots, unsigned from_ref,
                                                     const struct shape *shape)
{
	const uint64_t first = b->pc >> m->line_log2;
	const uint8_t *before = p6_blk_lines(b);
	unsigned k = from_ref;
	bool was_miss = false;

	for (unsigned i = 0; i < b->n_line; i++) {
		unsigned end;
		bool is_miss;

		if (from_ref && before[i] < from_ref)
			continue;
		while (k < before[i])
			k = references(m, b, id, slots, k, before[i], *shape);
		is_miss = p6_ifu_line(m, (first + i) & (P6_LIN_MASK >> m->line_log2));
		/* one instruction over two missing lines is one */
		P6_RAISE(m, IFU_MISS_REF, is_miss && !(i == 1 && was_miss && b->flags & P6_B_CUT0));
		was_miss = is_miss;
		end = i + 1u < b->n_line ? before[i + 1] : b->n_ref;
		while (k < end)
			k = references(m, b, id, slots, k, end, *shape);
	}
	while (k < b->n_ref)
		k = references(m, b, id, slots, k, b->n_ref, *shape);
}

/* Code lines and references of one execution. */
static inline __attribute__((always_inline)) void memory(struct p6 *m, const struct p6_blk *b, uint32_t id,
	const uint8_t *slots, const struct shape s)
{
	const uint64_t *const i_filter = m->ifu.filter;
	const uint64_t first = b->pc >> s.line_log2, last = (b->fall - 1) >> s.line_log2;
	const uint64_t page0 = b->pc >> PAGE_LOG2, page1 = (b->fall - 1) >> PAGE_LOG2;
	uint64_t differs;
	unsigned k;

	differs = m->itlb.filter[page0 & s.itlb_mask] ^ page0;
	differs |= m->itlb.filter[page1 & s.itlb_mask] ^ page1;
	for (uint64_t line = first; line <= last; line++)
		differs |= i_filter[line & s.i_set_mask] ^ line >> (s.i_way_log2 - s.line_log2);
	if (UNLIKELY(differs)) {
		block_in_order(m, b, id, slots, 0, &s);
		return;
	}
	if (!b->n_ref)
		return;
	k = references(m, b, id, slots, 0, b->n_ref, s);
	if (UNLIKELY(k < b->n_ref))
		block_in_order(m, b, id, slots, k, &s);
}

/* The transfer that ended the last block goes to `next`. */
static void resolve(struct p6 *m, uint64_t next)
{
	const struct p6_pending *p = &m->pending;
	uint16_t none = 0;
	uint16_t *hint = &none;

	if (p->term == X86_TERM_FALL)
		return;
	if (m->pending_blk != P6_NONE)
		hint = &p6_blk_at(m, m->pending_blk)->btb;
	p6_btb_resolve(m, p->term, p->target, p->fall, next & P6_LIN_MASK, hint, m->has_btb);
	m->pending.term = X86_TERM_FALL;
}

static void wait_for_next(struct p6 *m, const struct x86_block *xb, uint32_t blk)
{
	m->pending = (struct p6_pending){ xb->target & P6_LIN_MASK, xb->fall & P6_LIN_MASK, xb->term };
	m->pending_blk = blk;
}

static int partial(struct p6 *m, const uint8_t *p, uint32_t size)
{
	const struct x86_block *xb;
	uint32_t n;
	int rc;

	if (size < 8 || load_u32(p) >= x86_store_count(m->store))
		return -SPMU_EPROTO;
	xb = x86_store_get(m->store, load_u32(p));
	n = load_u32(p + 4);
	if (n > xb->n_insn || size - 8 < 8u * xb->n_slot)
		return -SPMU_EPROTO;
	resolve(m, xb->pc);
	p6_count_now(m, xb, n);
	m->n_insn += n;
	rc = p6_run_plain(m, xb, p + 8, n);
	if (n == xb->n_insn)
		wait_for_next(m, xb, P6_NONE);
	return rc;
}

/* An instruction that the decoder does not know: one micro-op, its code lines. */
static void unknown_insn(struct p6 *m, uint64_t pc, uint32_t bytes)
{
	uint64_t line = (pc & P6_LIN_MASK) >> m->line_log2;

	resolve(m, pc);
	P6_RAISE(m, RETIRE_INST, 1);
	P6_RAISE(m, RETIRE_UOP, 1);
	P6_RAISE(m, RETIRE_FOREIGN, 1);
	m->n_insn++;
	if (!m->has_mem)
		return;
	P6_RAISE(m, IFU_MISS_REF, p6_ifu_line(m, line));
	if (bytes && ((pc + bytes - 1) & P6_LIN_MASK) >> m->line_log2 != line)
		p6_ifu_line(m, (line + 1) & (P6_LIN_MASK >> m->line_log2));
}

static int event(struct p6 *m, uint32_t kind, const uint8_t *p, uint32_t size)
{
	switch (kind) {
	case TRC_PARTIAL:
		return partial(m, p, size);
	case TRC_GO:
		if (size < 8)
			return -SPMU_EPROTO;
		resolve(m, load_u64(p));
		return 0;
	case TRC_FS_BASE:
		if (size < 8)
			return -SPMU_EPROTO;
		m->constant[1] = load_u64(p);
		return 0;
	case TRC_UNKNOWN_INSN:
		if (size < 12 || load_u32(p + 8) > 15)
			return -SPMU_EPROTO;
		unknown_insn(m, load_u64(p), load_u32(p + 8));
		return 0;
	case TRC_DF:
		if (size < 4)
			return -SPMU_EPROTO;
		m->df = load_u32(p) != 0;
		return 0;
	case TRC_EXIT:
		p6_dcu_flush_weak(m);
		return 0;
	default:
		return kind < TRC_N_KINDS ? 0 : -SPMU_EPROTO;
	}
}

/* Arena position of block `id`, compiled now when it is new. */
static __attribute__((noinline)) uint32_t meet(struct p6 *m, uint32_t id)
{
	if (id >= x86_store_count(m->store) || p6_grow_positions(m, id))
		return P6_NONE;
	if (m->position[id] == P6_NONE)
		m->position[id] = p6_compile(m, id);
	return m->position[id];
}

static __attribute__((noinline)) void fpmmx(struct p6 *m, unsigned ends)
{
	if ((ends & 15) != m->fpmmx) {
		P6_RAISE(m, MMX_TO_FP, (ends & 15) == P6_FPMMX_X87);
		P6_RAISE(m, MMX_FROM_FP, (ends & 15) == P6_FPMMX_MMX);
	}
	m->fpmmx = (uint8_t)(ends >> 4);
}

/* One event record at p. Returns its size in bytes, or a negative error. */
static __attribute__((noinline)) int64_t feed_event(struct p6 *m, const uint8_t *p, const uint8_t *end)
{
	uint32_t size;
	int rc;

	if (end - p < 8)
		return -SPMU_EPROTO;
	size = load_u32(p + 4);
	if (size & 3 || size > (uint64_t)(end - p - 8))
		return -SPMU_EPROTO;
	rc = event(m, load_u32(p) - TRC_SPECIAL, p + 8, size);
	return rc ? rc : 8 + (int64_t)size;
}

static inline __attribute__((always_inline)) int feed_quick(struct p6 *m, const uint8_t *p, const uint8_t *end,
	const struct shape s, const bool has_mem, const bool has_btb)
{
	while (p < end) {
		struct p6_blk *b;
		uint32_t head, id, at;
		uint8_t wait_flags;

		if (UNLIKELY(end - p < 4))
			return -SPMU_EPROTO;
		head = load_u32(p);
		id = trc_block_id(head);
		at = LIKELY(id < m->n_position) && LIKELY(head < TRC_SPECIAL) ? m->position[id] : P6_NONE;
		if (UNLIKELY(at == P6_NONE)) {
			if (head >= TRC_SPECIAL) {
				int64_t n = feed_event(m, p, end);

				if (n < 0)
					return (int)n;
				p += n;
				continue;
			}
			at = meet(m, id);
			if (at == P6_NONE)
				return -SPMU_EPROTO;
		}
		b = p6_blk_at(m, at);
		if (UNLIKELY(end - p < trc_block_bytes(head)) || UNLIKELY(trc_block_bytes(head) != b->record_bytes))
			return -SPMU_EPROTO;
		if (LIKELY(end - p >= trc_block_bytes(head) + 4)) {
			uint32_t next = trc_block_id(load_u32(p + trc_block_bytes(head)));

			if (LIKELY(next < m->n_position) && LIKELY(m->position[next] != P6_NONE)) {
				const uint8_t *ahead = (const uint8_t *)p6_blk_at(m, m->position[next]);

				__builtin_prefetch(ahead);
				__builtin_prefetch(ahead + 64);
			}
		}
		if (m->pending.term != X86_TERM_FALL) {
			uint16_t none = 0;
			uint16_t *hint = m->pending_blk != P6_NONE ? &p6_blk_at(m, m->pending_blk)->btb : &none;

			p6_btb_resolve(m, m->pending.term, m->pending.target, m->pending.fall, b->pc, hint,
			               has_btb);
		}
		b->n_exec++;
		m->n_insn += b->n_insn;
		wait_flags = P6_B_ORDER | (m->wc.n ? P6_B_WC : 0);
		if (UNLIKELY(b->flags & wait_flags)) {
			int rc = p6_run_plain(m, x86_store_get(m->store, id), p + 4, b->n_insn);

			if (rc)
				return rc;
		} else {
			if (has_mem)
				memory(m, b, id, p + 4, s);
			if (UNLIKELY(b->flags & P6_B_FPMMX))
				fpmmx(m, b->fpmmx);
		}
		m->pending = (struct p6_pending){ b->target, b->fall, b->term };
		m->pending_blk = at;
		p += trc_block_bytes(head);
	}
	return 0;
}

/* Everything in full: the reference. */
static int feed_plain(struct p6 *m, const uint8_t *p, const uint8_t *end)
{
	while (p < end) {
		const struct x86_block *xb;
		uint32_t head, id;
		int rc;

		if (end - p < 4)
			return -SPMU_EPROTO;
		head = load_u32(p);
		id = trc_block_id(head);
		if (head >= TRC_SPECIAL) {
			int64_t n = feed_event(m, p, end);

			if (n < 0)
				return (int)n;
			p += n;
			continue;
		}
		if (id >= x86_store_count(m->store))
			return -SPMU_EPROTO;
		xb = x86_store_get(m->store, id);
		if (end - p < trc_block_bytes(head) || trc_block_bytes(head) != 4u + 8u * xb->n_slot)
			return -SPMU_EPROTO;
		resolve(m, xb->pc);
		p6_count_now(m, xb, xb->n_insn);
		m->n_insn += xb->n_insn;
		rc = p6_run_plain(m, xb, p + 4, xb->n_insn);
		if (rc)
			return rc;
		wait_for_next(m, xb, P6_NONE);
		p += 4 + 8 * xb->n_slot;
	}
	return 0;
}

static int feed_any_shape(struct p6 *m, const uint8_t *p, const uint8_t *end)
{
	const struct shape s = {
		.line_log2 = m->line_log2,
		.d_way_log2 = cache_way_log2(&m->dcu.cache),
		.i_way_log2 = cache_way_log2(&m->ifu.cache),
		.d_set_mask = m->dcu.cache.n_sets - 1,
		.i_set_mask = m->ifu.cache.n_sets - 1,
		.dtlb_mask = m->dtlb.tlb.n_sets - 1,
		.itlb_mask = m->itlb.tlb.n_sets - 1,
	};

	return feed_quick(m, p, end, s, true, true);
}

int p6_feed(void *self, const uint8_t *bytes, size_t n)
{
	/* Pentium II and III, without Coppermine's L2 size mattering here */
	const struct shape usual = { 5, 12, 12, 127, 127, 15, 7 };
	struct p6 *m = self;
	const uint8_t *end = bytes + n;

	if (m->is_plain)
		return feed_plain(m, bytes, end);
	if (!m->has_mem)
		return m->has_btb ? feed_quick(m, bytes, end, usual, false, true)
		                  : feed_quick(m, bytes, end, usual, false, false);
	if (m->is_usual_shape)
		return m->has_btb ? feed_quick(m, bytes, end, usual, true, true)
		                  : feed_quick(m, bytes, end, usual, true, false);
	return feed_any_shape(m, bytes, end);
}
