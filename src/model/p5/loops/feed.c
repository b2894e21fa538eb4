/* feed.c -- the loop over records.
 *
 * What a block does whenever it runs is counted by one increment. Of the rest, the loop does the
 * common case itself: a reference that is aligned, whose page was used last in its set of the TLB
 * and whose line was used last in its set of L1D, for writes in state M. Such a touch changes
 * nothing (parts/replace.h), so leaving it out is exact; everything else goes to the units. plain.c
 * leaves nothing out, and a test compares.
 */
#include "model/p5/host/host.h"
#include "model/p5/blocks/plain.h"
#include "model/p5/blocks/ledger.h"
#include "model/p5/loops/feed.h"

#include "base/error.h"
#include "trace/record.h"

#define LIKELY(x)   __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

static __attribute__((noinline)) void reference_in_full(struct p5 *m, const struct p5_blk *b,
							const struct p5_ref *r, uint64_t lin)
{
	const struct p5_operand op = {r->bytes, r->access, r->is_locked, r->is_mmx, r->is_fst};

	if (r->is_fast && !(lin & r->align_mask))
		p5_dcache_ref_in_line(m, lin, &op);
	else
		p5_dcache_ref(m, lin, &op);
	if (m->ledger)
		p5_ledger_reference(m, b, r);
}

/* Is the page of `vpn` known, and its use noted or in no need of it? */
static inline bool is_page_fast(struct p5 *m, uint64_t vpn, const bool is_full)
{
	if (is_full)
		return fulltlb_find_again(&m->dtlb.full, vpn);
	return m->dtlb.filter[vpn & m->dtlb.set_mask] == vpn;
}

static inline __attribute__((always_inline)) void
references_of(struct p5 *m, const struct p5_blk *b, const uint8_t *slots, const bool is_full)
{
	const struct p5_dcache *d = &m->dcache;
	const unsigned line_log2 = d->cache.line_log2, way_log2 = cache_way_log2(&d->cache);

	for (const struct p5_ref *r = b->ref, *end = b->ref + b->n_ref; r < end; r++) {
		uint64_t lin = r->disp, differs;
		size_t set;

		if (LIKELY(r->slot != P5_NO_SLOT))
			lin += reader_slot(slots, r->slot);
		if (r->slot2 != P5_NO_SLOT)
			lin += reader_slot(slots, r->slot2) << r->shift;
		if (UNLIKELY(r->has_fs))
			lin += m->seg.fs_base;
		lin &= P5_LIN_MASK;
		set = lin >> line_log2 & (d->cache.n_sets - 1);
		differs = (r->access & P5_WRITE ? d->write_filter : d->read_filter)[set] ^
			  lin >> way_log2;
		differs |= lin & r->align_mask;
		if (UNLIKELY(differs) || UNLIKELY(!r->is_fast) ||
		    UNLIKELY(!is_page_fast(m, lin >> PAGE_LOG2, is_full)))
			reference_in_full(m, b, r, lin);
	}
}

static inline void references(struct p5 *m, const struct p5_blk *b, const uint8_t *slots)
{
	if (m->dtlb.is_full)
		references_of(m, b, slots, true);
	else
		references_of(m, b, slots, false);
}

/* A block with flags: what the fast path must not do. */
static __attribute__((noinline)) int execute_flagged(struct p5 *m, const struct p5_blk *b,
						     const uint8_t *slots)
{
	if (b->flags & P5_B_FPMMX) {
		P5_RAISE(m, MMX_SWITCH, (b->fpmmx & 15) != m->mmx.last);
		m->mmx.last = (uint8_t)(b->fpmmx >> 4);
		p5_ledger_fpmmx(m, b);
	}
	if (b->flags & P5_B_CLIP)
		p5_clip(m, x86_store_get(m->store, trc_block_id(b->head)), slots, 0, b->n_insn);
	if (b->flags & P5_B_ORDER) {
		const struct x86_block *xb = x86_store_get(m->store, trc_block_id(b->head));

		return p5_run_plain(m, xb, slots, xb->n_insn, false);
	}
	if (m->has_mem)
		references(m, b, slots);
	return 0;
}

static int feed_fast(struct p5 *m, const uint8_t *p, const uint8_t *end)
{
	while (end - p >= 4) {
		const uint32_t head = reader_u32(p);
		struct p5_blk *b;
		int rc;

		if (UNLIKELY(head >= TRC_SPECIAL)) {
			const int64_t n = p5_event(m, p, end);

			if (n < 0)
				return (int)n;
			p += n;
			continue;
		}
		b = m->blk[trc_block_id(head)];
		if (UNLIKELY(!b)) {
			b = p5_meet(m, trc_block_id(head));
			if (!b)
				return -SPMU_EPROTO;
		}
		if (UNLIKELY(b->head != head) || UNLIKELY(end - p < trc_block_bytes(head)))
			return -SPMU_EPROTO;
		m->n_taken += m->waits && !m->is_to_next && b->pc == m->waits_for;
		if (UNLIKELY(m->ledger != NULL)) {
			ledger_resolve(m->ledger, m->ledger->wanted[WIRE_P5_CORE_TAKEN]);
			ledger_wait(m->ledger, trc_block_id(head));
		}
		m->waits = b->is_jcc;
		m->is_to_next = b->target == P5_NOWHERE;
		m->waits_for = b->target;
		b->n_exec++;
		m->n_insn += b->n_insn;
		if (UNLIKELY(b->flags)) {
			rc = execute_flagged(m, b, p + 4);
			if (rc)
				return rc;
		} else if (m->has_mem) {
			references(m, b, p + 4);
		}
		p += trc_block_bytes(head);
	}
	return p == end ? 0 : -SPMU_EPROTO;
}

/* Everything in full: the reference. */
static int feed_plain(struct p5 *m, const uint8_t *p, const uint8_t *end)
{
	while (end - p >= 4) {
		const uint32_t head = reader_u32(p);
		const struct x86_block *xb;
		int64_t n;
		int rc;

		if (head >= TRC_SPECIAL) {
			n = p5_event(m, p, end);
			if (n < 0)
				return (int)n;
			p += n;
			continue;
		}
		if (!p5_meet(m, trc_block_id(head)))
			return -SPMU_EPROTO;
		xb = x86_store_get(m->store, trc_block_id(head));
		if (head != trc_block_head(xb->id, xb->n_slot) || end - p < trc_block_bytes(head))
			return -SPMU_EPROTO;
		rc = m->time.is_on ? p5_time_hold(m, xb, p + 4, 0, xb->n_insn) : 0;
		if (rc)
			return rc;
		p5_resolve(m, xb->pc);
		p5_count_now(m, xb, 0, xb->n_insn);
		p5_clip(m, xb, p + 4, 0, xb->n_insn);
		m->n_insn += xb->n_insn;
		rc = m->time.is_on ? 0 : p5_run_plain(m, xb, p + 4, xb->n_insn, true);
		if (rc)
			return rc;
		p5_wait(m, xb);
		p += trc_block_bytes(head);
	}
	return p == end ? 0 : -SPMU_EPROTO;
}

/* In time: blocks are done one record late; what they always count is counted by executions, but
 * for the changes between x87 and MMX, which the pipes count. */
static int feed_timed(struct p5 *m, const uint8_t *p, const uint8_t *end)
{
	while (end - p >= 4) {
		const uint32_t head = reader_u32(p);
		const struct x86_block *xb;
		struct p5_blk *b;
		int rc;

		if (UNLIKELY(head >= TRC_SPECIAL)) {
			const int64_t n = p5_event(m, p, end);

			if (n < 0)
				return (int)n;
			p += n;
			continue;
		}
		b = m->blk[trc_block_id(head)];
		if (UNLIKELY(!b))
			b = p5_meet(m, trc_block_id(head));
		if (UNLIKELY(!b) || UNLIKELY(b->head != head) ||
		    UNLIKELY(end - p < trc_block_bytes(head)))
			return -SPMU_EPROTO;
		xb = x86_store_get(m->store, trc_block_id(head));
		rc = p5_time_go(m, b->pc, p5_is_taken(m, b->pc));
		if (UNLIKELY(rc))
			return rc;
		p5_resolve(m, b->pc);
		if (m->host.memory) {
			const uint8_t *q = p;

			rc = p5_host_run(m, &q, end);
			if (UNLIKELY(rc))
				return rc;
			if (q != p) {
				p = q;
				continue;
			}
		}
		p5_time_hold_all(m, xb, p + 4);
		b->n_exec++;
		if (UNLIKELY(b->flags & P5_B_CLIP))
			p5_clip(m, xb, p + 4, 0, b->n_insn);
		m->n_insn += b->n_insn;
		p5_wait(m, xb);
		p += trc_block_bytes(head);
	}
	return p == end ? 0 : -SPMU_EPROTO;
}

int p5_feed(struct p5 *m, const uint8_t *bytes, size_t n)
{
	int rc;

	if (m->is_plain)
		return feed_plain(m, bytes, bytes + n);
	if (!m->time.is_on)
		return feed_fast(m, bytes, bytes + n);
	bytes = p5_host_stream(m, bytes, n);
	rc = feed_timed(m, bytes, bytes + n);
	p5_time_settle(m);
	return rc;
}
