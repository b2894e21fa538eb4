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
	bool is_usual;
};

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

/* Reference k of block `id` in full. Returns true when it stored into a line of L1I. */
static inline bool reference_in_full(struct p6 *m, const struct p6_ref *r, uint32_t id, unsigned k,
                                     const uint8_t *slots, uint64_t lin, const bool usual)
{
	const struct x86_block *xb;

	lin &= P6_LIN_MASK;
	if (LIKELY(!(lin & r->align_mask) && r->kind < P6_NEVER))
		return usual ? p6_dcu_ref_usual(m, lin, r->access) : p6_dcu_ref_in_line(m, lin, r->access);
	xb = x86_store_get(m->store, id);
	if (r->kind == P6_FAR)
		lin = p6_address(m, xb, k, slots);
	return p6_dcu_ref(m, lin, xb->ref[k].bytes, xb->ref[k].flags, r->access == P6_LOCKED);
}

static inline uint64_t slot_value(const uint8_t *slots, unsigned slot)
{
	return load_u64(slots + 8 * slot);
}

/* References [k, end) of a block. Returns end; or, after a store into a line of L1I, when code lines of
 * this block may have to be fetched again, the number of the first one not done + STORED_CODE. */
#define STORED_CODE 0x1000u

static inline __attribute__((always_inline)) unsigned references(struct p6 *m, const struct p6_blk *b, uint32_t id,
	const uint8_t *slots, unsigned k, unsigned end, const struct shape s)
{
	const struct p6_ref *r = p6_blk_refs(b) + k;
	const uint64_t *const d_filter = s.is_usual ? m->quick.dcu : m->dcu.filter;
	const uint64_t *const t_filter = s.is_usual ? m->quick.dtlb : m->dtlb.filter;

	for (; k < end; k++, r++) {
		uint64_t lin = (uint64_t)(int64_t)r->disp, vpn, differs;

		if (LIKELY(r->slot != P6_NO_SLOT))
			lin += slot_value(slots, r->slot);
		if (r->is_more) {
			if (r->slot2 != P6_NO_SLOT)
				lin += slot_value(slots, r->slot2) << r->shift;
			if (r->is_fs)
				lin += m->fs_base;
		}
		vpn = lin >> PAGE_LOG2;
		differs = t_filter[vpn & s.dtlb_mask] ^ vpn;
		differs |= d_filter[r->kind * (s.d_set_mask + 1) + (lin >> s.line_log2 & s.d_set_mask)] ^
		           lin >> s.d_way_log2;
		differs |= lin & r->align_mask;
		if (UNLIKELY(differs) && UNLIKELY(reference_in_full(m, r, id, k, slots, lin, s.is_usual)))
			return k + 1 + STORED_CODE;
	}
	return end;
}

/* A block of which a code line may be missing: lines and references in order.
 * from_ref: references below it, and the lines before them, are done. */
static inline __attribute__((always_inline)) void block_in_order(struct p6 *m, const struct p6_blk *b, uint32_t id,
	const uint8_t *slots, unsigned from_ref, const struct shape s)
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
			k = references(m, b, id, slots, k, before[i], s) & ~STORED_CODE;
		is_miss = p6_ifu_line(m, (first + i) & (P6_LIN_MASK >> m->line_log2));
		/* one instruction over two missing lines is one */
		P6_RAISE(m, IFU_MISS_REF, is_miss && !(i == 1 && was_miss && b->flags & P6_B_CUT0));
		was_miss = is_miss;
		end = i + 1u < b->n_line ? before[i + 1] : b->n_ref;
		while (k < end)
			k = references(m, b, id, slots, k, end, s) & ~STORED_CODE;
	}
	while (k < b->n_ref)
		k = references(m, b, id, slots, k, b->n_ref, s) & ~STORED_CODE;
}

/* Pentium II and III. */
#define USUAL_SHAPE                                                                                        \
	(struct shape)                                                                                         \
	{                                                                                                      \
		P6_USUAL_LINE_LOG2, PAGE_LOG2, PAGE_LOG2, (1u << P6_USUAL_SET_LOG2) - 1,                           \
		(1u << P6_USUAL_SET_LOG2) - 1, P6_USUAL_DTLB_SETS - 1, P6_USUAL_ITLB_SETS - 1, true                \
	}

static __attribute__((noinline)) void block_usual(struct p6 *m, const struct p6_blk *b, uint32_t id,
                                                  const uint8_t *slots, unsigned from_ref)
{
	block_in_order(m, b, id, slots, from_ref, USUAL_SHAPE);
}

static __attribute__((noinline)) void block_any_shape(struct p6 *m, const struct p6_blk *b, uint32_t id,
                                                      const uint8_t *slots, unsigned from_ref)
{
	block_in_order(m, b, id, slots, from_ref, shape_of(m));
}

/* Are all code lines of b, and their pages, there, so that fetching them in advance changes nothing else? */
static inline __attribute__((always_inline)) bool is_code_quick(struct p6 *m, struct p6_blk *b, const struct shape s)
{
	const uint64_t first = b->pc >> s.line_log2, last = (p6_blk_fall(b) - 1) >> s.line_log2;
	const uint64_t page0 = b->pc >> PAGE_LOG2, page1 = (p6_blk_fall(b) - 1) >> PAGE_LOG2;
	const uint64_t *const i_filter = s.is_usual ? m->quick.ifu : m->ifu.filter;
	const uint64_t *const t_filter = s.is_usual ? m->quick.itlb : m->itlb.filter;
	uint64_t differs;

	differs = t_filter[page0 & s.itlb_mask] ^ page0;
	differs |= t_filter[page1 & s.itlb_mask] ^ page1;
	for (uint64_t line = first; line <= last; line++)
		differs |= i_filter[line & s.i_set_mask] ^ line >> (s.i_way_log2 - s.line_log2);
	if (differs && !(s.is_usual && p6_ifu_hits_usual(m, first, last)))
		return false;
	b->code_epoch = m->code_epoch;
	return true;
}

/* Code lines and references of one execution. */
static inline __attribute__((always_inline)) void memory(struct p6 *m, struct p6_blk *b, uint32_t id,
	const uint8_t *slots, const struct shape s)
{
	unsigned k = 0;

	if (LIKELY(b->code_epoch == m->code_epoch || is_code_quick(m, b, s))) {
		if (!b->n_ref)
			return;
		k = references(m, b, id, slots, 0, b->n_ref, s);
		if (LIKELY(k == b->n_ref))
			return;
		k &= ~STORED_CODE;
	}
	if (s.is_usual)
		block_usual(m, b, id, slots, k);
	else
		block_any_shape(m, b, id, slots, k);
}

static inline uint64_t target_of(const struct p6_blk *b)
{
	return p6_blk_fall(b) + (uint64_t)(int64_t)b->target_rel;
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

static void wait_for_next(struct p6 *m, const struct x86_block *xb)
{
	m->pending = (struct p6_pending){ xb->target & P6_LIN_MASK, xb->fall & P6_LIN_MASK, xb->term };
	m->pending_blk = P6_NONE;
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
		wait_for_next(m, xb);
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
		m->fs_base = load_u64(p);
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

/* The loop stops after block b: its transfer waits for the next record. */
static void leave_waiting(struct p6 *m, const struct p6_blk *b, uint64_t at)
{
	m->pending = (struct p6_pending){ target_of(b), p6_blk_fall(b), b->term };
	m->pending_blk = at;
}

/* One block record at p, in full or quickly. at: its arena offset; last: the block before it, or NULL. */
static inline __attribute__((always_inline)) int block(struct p6 *m, struct p6_blk *b, struct p6_blk *last,
	uint32_t id, const uint8_t *p, const struct shape s, const bool has_mem, const bool has_btb)
{
	if (LIKELY(last != NULL))
		p6_btb_resolve(m, last->term, target_of(last), p6_blk_fall(last), b->pc, &last->btb, has_btb);
	else
		resolve(m, b->pc);
	b->n_exec++;
	if (UNLIKELY(b->flags & (P6_B_ORDER | P6_B_WC)) && (b->flags & P6_B_ORDER || m->wc.n))
		return p6_run_plain(m, x86_store_get(m->store, id), p + 4, b->n_insn);
	if (has_mem)
		memory(m, b, id, p + 4, s);
	if (UNLIKELY(b->flags & P6_B_FPMMX))
		fpmmx(m, b->fpmmx);
	return 0;
}

/* Entry of `id`, or P6_NO_ENTRY for an event or a block that was not met. */
static inline uint64_t entry_of(const struct p6 *m, uint32_t id)
{
	return LIKELY(id < m->n_position) ? m->position[id] : P6_NO_ENTRY;
}

/* The longest block record, and the id after it: so far from the end nothing needs to be checked. */
#define LONGEST_RECORD (4 + 8 * X86_MAX_SLOTS + 4)

static inline __attribute__((always_inline)) int feed_quick(struct p6 *m, const uint8_t *p, const uint8_t *end,
	const struct shape s, const bool has_mem, const bool has_btb)
{
	uint64_t last_at = P6_NONE, n_insn = 0; /* block whose transfer waits; P6_NONE: m->pending says */
	struct p6_blk *last = NULL;
	int rc = 0;

	while (end - p >= 4) {
		uint32_t id = load_u32(p), next_id = 0;
		uint64_t entry = entry_of(m, id), next;
		struct p6_blk *b;

		/* far from the end: one block after the other, each found while the one before is done */
		while (end - p >= LONGEST_RECORD && entry != P6_NO_ENTRY) {
			b = p6_blk_at(m, p6_entry_offset(entry));
			next_id = load_u32(p + p6_entry_bytes(entry));
			next = entry_of(m, next_id);
			__builtin_prefetch(m->arena + p6_entry_offset(next));
			__builtin_prefetch(m->arena + p6_entry_offset(next) + 64);
			n_insn += b->n_insn;
			rc = block(m, b, last, id, p, s, has_mem, has_btb);
			if (UNLIKELY(rc))
				goto done;
			last = b;
			p += p6_entry_bytes(entry);
			id = next_id;
			entry = next;
		}
		if (last)
			last_at = (uint64_t)((const uint8_t *)last - m->arena);
		if (end - p < 4)
			break;
		if (id >= TRC_SPECIAL) {
			int64_t n;

			if (last)
				leave_waiting(m, last, last_at);
			last = NULL;
			m->n_insn += n_insn;
			n_insn = 0;
			n = feed_event(m, p, end);
			if (n < 0)
				return (int)n;
			p += n;
			continue;
		}
		entry = p6_meet(m, id);
		rc = -SPMU_EPROTO;
		if (last)
			last = p6_blk_at(m, last_at);
		if (entry == P6_NO_ENTRY || end - p < p6_entry_bytes(entry))
			goto done;
		b = p6_blk_at(m, p6_entry_offset(entry));
		n_insn += b->n_insn;
		rc = block(m, b, last, id, p, s, has_mem, has_btb);
		if (rc)
			goto done;
		last = b;
		p += p6_entry_bytes(entry);
	}
	if (p != end)
		rc = -SPMU_EPROTO;
done:
	m->n_insn += n_insn;
	if (last)
		leave_waiting(m, last, (uint64_t)((const uint8_t *)last - m->arena));
	return rc;
}

/* Everything in full: the reference. */
static int feed_plain(struct p6 *m, const uint8_t *p, const uint8_t *end)
{
	while (p < end) {
		const struct x86_block *xb;
		uint32_t id;
		int rc;

		if (end - p < 4)
			return -SPMU_EPROTO;
		id = load_u32(p);
		if (id >= TRC_SPECIAL) {
			int64_t n = feed_event(m, p, end);

			if (n < 0)
				return (int)n;
			p += n;
			continue;
		}
		if (id >= x86_store_count(m->store))
			return -SPMU_EPROTO;
		xb = x86_store_get(m->store, id);
		if (end - p < 4 + 8 * xb->n_slot)
			return -SPMU_EPROTO;
		resolve(m, xb->pc);
		p6_count_now(m, xb, xb->n_insn);
		m->n_insn += xb->n_insn;
		rc = p6_run_plain(m, xb, p + 4, xb->n_insn);
		if (rc)
			return rc;
		wait_for_next(m, xb);
		p += 4 + 8 * xb->n_slot;
	}
	return 0;
}

static int feed_any_shape(struct p6 *m, const uint8_t *p, const uint8_t *end)
{
	return feed_quick(m, p, end, shape_of(m), true, true);
}

int p6_feed(void *self, const uint8_t *bytes, size_t n)
{
	const struct shape usual = USUAL_SHAPE;
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
