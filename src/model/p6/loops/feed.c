/* feed.c -- the loop over records: the whole cost of a run.
 *
 * What a block does whenever it runs is counted by one increment. Of the rest, the loop does the
 * common case itself and leaves everything else to the units:
 *   code lines   each is the line of its L1I set, and its page that of its ITLB set, used last; in
 *                the fast shape L1I has them, and its replacement words are brought up to date
 *                here;
 *   references   naturally aligned, line and page used last in their sets, for stores in state M;
 *   transfers    the BTB has the branch where it had it last.
 * Of what was used last the touch changes no state (parts/replace.h), so leaving it out is
 * exact; otherwise the unit's function does the access in full. plain.c does everything in full,
 * and a test compares.
 *
 * The first two are in block_memory.h. A block is compiled when its id is first met (compile.c).
 */
#include "base/error.h"
#include "model/p6/loops/block_memory.h"
#include "model/p6/units/btb.h"
#include "model/p6/units/btb_inline.h"
#include "model/p6/loops/events.h"
#include "model/p6/host/host.h"
#include "model/p6/host/host_ledger.h"
#include "model/p6/loops/time_feed.h"
#include "model/p6/blocks/compile.h"
#include "model/p6/blocks/ledger.h"
#include "model/p6/blocks/plain.h"
#include "model/p6/loops/feed.h"
#include "model/p6/units/mmx.h"
#include "trace/record.h"

/* ---- records --------------------------------------------------------------------------------- */

/* A block with flags: what the fast path must not do. Returns 0 or a negative error. */
static OUT_OF_LINE int execute_flagged(struct p6 *m, struct p6_blk *b, const uint8_t *p)
{
	p6_log_write_at(&m->log, p);
	if (b->flags & P6_B_FPMMX) {
		p6_feed_fpmmx(m, b->fpmmx);
		p6_ledger_fpmmx(m, b);
	}
	if (b->flags & P6_B_ASSIST)
		p6_ledger_assists(m, x86_store_get(m->store, trc_block_id(b->head)), p + 4);
	if (m->group) {
		int rc;

		if (!p6_group_flagged(m, b, p, &rc))
			memory(m, b, p + 4, shape_of_front(m));
		return rc;
	}
	if (b->flags & P6_B_ORDER || (b->flags & P6_B_WC && m->dcu.wc.n))
		return p6_run_plain(m, x86_store_get(m->store, trc_block_id(b->head)), p + 4,
				    b->n_insn, false);
	if (!m->has_mem)
		return 0;
	if (m->is_fast_shape)
		memory(m, b, p + 4, FAST_SHAPE);
	else
		memory(m, b, p + 4, shape_of(m));
	return 0;
}

static inline uint64_t target_of(const struct p6_blk *b)
{
	return p6_blk_fall(b) + (uint64_t)(int64_t)b->target_rel;
}

/* The transfer at the end of b goes to `next`. */
static INLINE void leave(struct p6 *m, struct p6_blk *b, uint64_t next, struct p6_outcomes *o,
			 const bool has_btb)
{
	p6_btb_resolve(m, b->term, target_of(b), p6_blk_fall(b), next, &b->btb, o, has_btb);
}

/* The loop stops after block b: its transfer waits for the next record. */
static void leave_waiting(struct p6 *m, const struct p6_blk *b)
{
	m->pending = (struct p6_pending){target_of(b), p6_blk_fall(b), b->term};
	m->pending_blk = (uint32_t)((size_t)((const uint8_t *)b - m->blocks.arena) / 16);
	if (m->ledger)
		ledger_wait(m->ledger, trc_block_id(b->head));
}

/* Position of the block of `head`, or P6_NO_ENTRY when it was not met. For an event: anything. */
static INLINE uint32_t entry_of(const struct p6 *m, uint32_t head)
{
	return m->blocks.position[trc_block_id(head)];
}

/* Nothing needs to be checked as long as the longest block record and the head after it fit ... */
#define LONGEST_RECORD (4 + 8 * X86_MAX_SLOTS + 4)
/* ... and sums of one turn stay in their fields. */
#define TURN_BYTES (2u << 20)

/* How many records before a block is executed its facts are asked for; a power of two. */
#define PREFETCH_DISTANCE 8u

/* The next records' blocks, found and asked for ahead of time. */
struct ahead {
	const uint8_t *at;		   /* the record after them; stands still at an event */
	uint32_t entry[PREFETCH_DISTANCE]; /* by number of the record */
};

/* Find record number i, and ask the host for the facts of its block. */
static INLINE void look_ahead(const struct p6 *m, struct ahead *a, unsigned i, const uint8_t *limit)
{
	uint32_t head, entry;
	const uint8_t *facts;

	if (UNLIKELY(a->at > limit))
		return;
	head = reader_u32(a->at);
	a->entry[i % PREFETCH_DISTANCE] = entry = entry_of(m, head);
	facts = m->blocks.arena + (size_t)entry * 16;
	__builtin_prefetch(facts);
	__builtin_prefetch(facts + 64);
	if (LIKELY(head < TRC_SPECIAL))
		a->at += trc_block_bytes(head);
}

static INLINE bool stops(const struct p6 *m)
{
	return m->stop_insn != P6_NEVER_STOP;
}

/* Is the record at p left to the caller of p6_feed_known()? */
static INLINE bool stops_at(const struct p6 *m, const uint8_t *p)
{
	const uint32_t head = reader_u32(p), entry = entry_of(m, head);

	if (LIKELY(!stops(m)))
		return false;
	if (m->n_insn >= m->stop_insn || head >= TRC_SPECIAL || entry == P6_NO_ENTRY)
		return true;
	return !p6_blk_at(m, entry)->n_exec;
}

/* Returns a mask of the sums of struct p6_outcomes that are booked, because the caller wants
 * them. */
static INLINE uint64_t booked_outcomes(const struct p6 *m)
{
	return m->ledger->wanted[WIRE_P6_RETIRE_TAKEN] ? UINT64_MAX : UINT64_MAX << P6_O_WRONG;
}

/* Book what *o has, the outcome of b's transfer, and empty it. */
static OUT_OF_LINE void book_outcome(struct p6 *m, const struct p6_blk *b, struct p6_outcomes *o)
{
	p6_btb_add(m, o);
	o->sums = 0;
	ledger_book(m->ledger, trc_block_id(b->head), b->n_insn - 1u);
}

/* One block after the other from *at up to `limit`, until something needs more care: an event, a
 * block that was not met before, a head that is not the block's; with has_hot also a block with
 * host code, and behind one that is to get some. */
static INLINE int feed_turn(struct p6 *m, const uint8_t **at, const uint8_t *limit,
			    struct p6_blk **last_blk, const struct shape s, const bool has_mem,
			    const bool has_btb, const bool has_hot, const bool has_ledger)
{
	struct p6_outcomes o = {0};
	struct p6_blk *last = *last_blk;
	const uint8_t *p = *at;
	struct ahead a = {.at = p};
	const uint64_t left = m->stop_insn - m->n_insn; /* it is not reached yet */
	const bool new_too = !stops(m);
	const uint64_t booked = has_ledger ? booked_outcomes(m) : 0;
	uint64_t n_insn = 0;
	int rc = 0;

	for (unsigned i = 0; i < PREFETCH_DISTANCE; i++)
		look_ahead(m, &a, i, limit);
	for (unsigned n = 0;; n++) {
		const uint32_t head = reader_u32(p), entry = a.entry[n % PREFETCH_DISTANCE];
		struct p6_blk *b = p6_blk_at(m, entry);
		const uint8_t *here = p;

		if (UNLIKELY(entry == P6_NO_ENTRY) || UNLIKELY(b->head != head) ||
		    (has_hot && b->has_code))
			break;
		if (UNLIKELY(!(b->n_exec | new_too)))
			break;
		p += trc_block_bytes(head);
		look_ahead(m, &a, n, limit);
		n_insn += b->n_insn;
		b->n_exec++;
		leave(m, last, b->pc, &o, has_btb);
		if (has_ledger && UNLIKELY(o.sums & booked))
			book_outcome(m, last, &o);
		last = b;
		if (UNLIKELY(b->flags)) {
			rc = execute_flagged(m, b, here);
			if (rc)
				break;
		} else if (has_mem) {
			memory(m, b, here + 4, s);
		}
		if (UNLIKELY(p >= limit) || UNLIKELY(n_insn >= left) ||
		    (has_hot && UNLIKELY(b->n_exec == m->host.min_exec)))
			break;
	}
	m->n_insn += n_insn;
	p6_btb_add(m, &o);
	*at = p;
	*last_blk = last;
	return rc;
}

/* One record with every check. Returns its size in bytes, or a negative error. */
static OUT_OF_LINE int64_t feed_one(struct p6 *m, const uint8_t *p, const uint8_t *end)
{
	uint32_t head = reader_u32(p);
	struct p6_blk *b;
	uint32_t entry;
	int rc;

	p6_log_write_at(&m->log, p);
	if (head >= TRC_SPECIAL) {
		const int64_t n = p6_event(m, p, end);

		rc = n > 0 && m->group ? p6_group_event(m, p, end) : 0;
		return rc ? rc : n;
	}
	entry = p6_meet(m, trc_block_id(head));
	if (entry == P6_NO_ENTRY)
		return -SPMU_EPROTO;
	b = p6_blk_at(m, entry);
	if (b->head != head || end - p < trc_block_bytes(head))
		return -SPMU_EPROTO;
	p6_event_resolve(m, b->pc);
	m->n_insn += b->n_insn;
	b->n_exec++;
	rc = execute_flagged(m, b, p);
	leave_waiting(m, b);
	return rc ? rc : (int64_t)trc_block_bytes(head);
}

/* Records from *at on: one with every check, then a turn of the loop. The last one is where
 * m->pending waits, unless it is an event. */
static INLINE int feed_some(struct p6 *m, const uint8_t **at, const uint8_t *end,
			    const struct shape s, const bool has_mem, const bool has_btb,
			    const bool has_hot, const bool has_ledger)
{
	const uint8_t *p = *at;
	int64_t n = feed_one(m, p, end);
	struct p6_blk *last;
	int rc;

	if (n < 0)
		return (int)n;
	p = *at += n;
	if (end - p < LONGEST_RECORD || m->pending_blk == P6_NO_ENTRY || m->n_insn >= m->stop_insn)
		return 0;
	last = p6_blk_at(m, m->pending_blk);
	if (has_hot && last->n_exec == m->host.min_exec)
		return 0;
	rc = feed_turn(m, at, end - p > TURN_BYTES ? p + TURN_BYTES : end - LONGEST_RECORD, &last,
		       s, has_mem, has_btb, has_hot, has_ledger);
	leave_waiting(m, last);
	return rc;
}

/* From *at up to `end`, or to where stops_at() says. */
static INLINE int feed_up_to(struct p6 *m, const uint8_t **at, const uint8_t *end,
			     const struct shape s, const bool has_mem, const bool has_btb,
			     const bool has_ledger)
{
	while (end - *at >= 4 && !stops_at(m, *at)) {
		const int rc = feed_some(m, at, end, s, has_mem, has_btb, false, has_ledger);

		if (rc)
			return rc;
	}
	return 0;
}

static INLINE int feed_fast(struct p6 *m, const uint8_t *p, const uint8_t *end,
			    const struct shape s, const bool has_mem, const bool has_btb,
			    const bool has_ledger)
{
	const int rc = feed_up_to(m, &p, end, s, has_mem, has_btb, has_ledger);

	return rc ? rc : p == end ? 0 : -SPMU_EPROTO;
}

/* How far host code may go from the record at p on, which it is entered for: it looks at a
 * record's head and no further before it runs it, so behind the last place where the longest one
 * fits, up to an event or a record that is cut. */
static INLINE const uint8_t *host_limit(const uint8_t *p, const uint8_t *end)
{
	if (LIKELY(end - p > LONGEST_RECORD))
		return end - LONGEST_RECORD;
	while (end - p >= 4) {
		const uint32_t head = reader_u32(p);

		if (head >= TRC_SPECIAL || end - p < trc_block_bytes(head))
			break;
		p += trc_block_bytes(head);
	}
	return p;
}

/* As feed_up_to, with host code for the blocks that ran P6_HOST_MIN_EXEC times (host.h). */
static INLINE int feed_hot_with(struct p6 *m, const uint8_t **at, const uint8_t *end,
				const bool has_ledger)
{
	while (end - *at >= 4 && !stops_at(m, *at)) {
		const uint8_t *const p = *at;
		const uint32_t head = reader_u32(p);
		const struct p6_host_target *hot =
		    head < TRC_SPECIAL ? p6_host_find(&m->host, head) : NULL;
		struct p6_blk *last;
		int rc;

		if (hot && hot->code) {
			const uint8_t *limit = host_limit(p, end);

			if (LIKELY(limit > p)) {
				p6_event_resolve(m, hot->pc);
				*at = p6_host_run(m, p, limit);
				continue;
			}
		}
		rc = feed_some(m, at, end, FAST_SHAPE, true, true, true, has_ledger);
		if (rc)
			return rc;
		last = m->pending_blk != P6_NO_ENTRY ? p6_blk_at(m, m->pending_blk) : NULL;
		if (last && last->n_exec == m->host.min_exec)
			p6_host_compile(m, trc_block_id(last->head));
		if (UNLIKELY(m->host.is_full)) {
			p6_host_drop(m);
			return feed_up_to(m, at, end, FAST_SHAPE, true, true, has_ledger);
		}
	}
	return 0;
}

static int feed_hot(struct p6 *m, const uint8_t **at, const uint8_t *end)
{
	return m->ledger ? feed_hot_with(m, at, end, true) : feed_hot_with(m, at, end, false);
}

/* As feed_fast(), with a ledger, where there is no host code. */
static int feed_booked(struct p6 *m, const uint8_t *p, const uint8_t *end)
{
	if (!m->has_mem)
		return m->has_btb ? feed_fast(m, p, end, FAST_SHAPE, false, true, true)
				  : feed_fast(m, p, end, FAST_SHAPE, false, false, true);
	if (!m->has_btb)
		return feed_fast(m, p, end, shape_of(m), true, false, true);
	return m->is_fast_shape ? feed_fast(m, p, end, FAST_SHAPE, true, true, true)
				: feed_fast(m, p, end, shape_of(m), true, true, true);
}

/* Everything in full: the reference. */
static int feed_plain(struct p6 *m, const uint8_t *p, const uint8_t *end)
{
	while (end - p >= 4) {
		uint32_t head = reader_u32(p);
		const struct x86_block *xb;
		int64_t n;
		int rc;

		if (head >= TRC_SPECIAL) {
			n = p6_event(m, p, end);
			if (n < 0)
				return (int)n;
			p += n;
			continue;
		}
		if (trc_block_id(head) >= x86_store_count(m->store))
			return -SPMU_EPROTO;
		xb = x86_store_get(m->store, trc_block_id(head));
		if (end - p < trc_block_bytes(head) ||
		    trc_block_bytes(head) != 4u + 8u * xb->n_slot)
			return -SPMU_EPROTO;
		p6_event_resolve(m, xb->pc);
		p6_count_now(m, xb, 0, xb->n_insn);
		m->n_insn += xb->n_insn;
		rc = p6_run_plain(m, xb, p + 4, xb->n_insn, true);
		if (rc)
			return rc;
		p6_event_wait(m, xb);
		p += trc_block_bytes(head);
	}
	return p == end ? 0 : -SPMU_EPROTO;
}

int p6_feed(struct p6 *m, const uint8_t *bytes, size_t n)
{
	const struct shape fast = FAST_SHAPE;
	const uint8_t *end = bytes + n;
	int rc;

	if (m->time.is_on)
		return p6_time_feed(m, bytes, end);
	if (m->is_plain)
		return feed_plain(m, bytes, end);
	if (m->group)
		return m->has_btb ? feed_fast(m, bytes, end, shape_of_front(m), true, true, false)
				  : feed_fast(m, bytes, end, shape_of_front(m), true, false, false);
	if (m->host.memory && p6_host_serves(m, n)) {
		rc = feed_hot(m, &bytes, end);
		return rc ? rc : bytes == end ? 0 : -SPMU_EPROTO;
	}
	if (m->ledger)
		return feed_booked(m, bytes, end);
	if (!m->has_mem)
		return m->has_btb ? feed_fast(m, bytes, end, fast, false, true, false)
				  : feed_fast(m, bytes, end, fast, false, false, false);
	if (m->is_fast_shape)
		return m->has_btb ? feed_fast(m, bytes, end, fast, true, true, false)
				  : feed_fast(m, bytes, end, fast, true, false, false);
	return feed_fast(m, bytes, end, shape_of(m), true, true, false);
}

int p6_feed_known(struct p6 *m, const uint8_t **at, const uint8_t *end, uint64_t stop_insn)
{
	int rc;

	m->stop_insn = stop_insn;
	rc = m->host.memory && p6_host_serves(m, (size_t)(end - *at)) ? feed_hot(m, at, end)
	     : m->ledger ? feed_up_to(m, at, end, FAST_SHAPE, true, true, true)
			 : feed_up_to(m, at, end, FAST_SHAPE, true, true, false);
	m->stop_insn = P6_NEVER_STOP;
	return rc;
}
