/* feed.c -- the loop over records: the whole cost of a run.
 *
 * What a block does whenever it runs is counted by one increment. Of the rest, the loop does the
 * common case itself and leaves everything else to the units:
 *   code lines   each is the line of its L1I set, and its page that of its ITLB set, used last; in the
 *                usual shape L1I has them, and its replacement words are brought up to date here;
 *   references   naturally aligned, line and page used last in their sets, for stores in state M;
 *   transfers    the BTB has the branch where it had it last.
 * Of what was used last the touch changes no state (parts/replace.h), so leaving it out is exact;
 * otherwise the unit's function does the access in full. plain.c does everything in full, and a
 * test compares.
 *
 * A block is compiled when its id is first met (compile.c).
 */
#include "model/p6/units/memory.h"

#include "base/error.h"
#include "model/p6/units/btb.h"
#include "model/p6/loops/events.h"
#include "model/p6/host/jit.h"
#include "model/p6/loops/time_feed.h"
#include "trace/record.h"

#define LIKELY(x)   __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define INLINE	    inline __attribute__((always_inline))
#define OUT_OF_LINE __attribute__((noinline))

/* ---- shapes -----------------------------------------------------------------------------------
 */

/* Geometry as the loop sees it: constants in the usual case. */
struct shape {
	unsigned line_log2;
	unsigned d_way_log2, i_way_log2;
	uint32_t d_set_mask, i_set_mask;
	uint32_t dtlb_mask, itlb_mask;
	bool is_usual;
};

/* Pentium II and III. */
#define USUAL_SHAPE                                                                                \
	(struct shape)                                                                             \
	{                                                                                          \
		P6_USUAL_LINE_LOG2, PAGE_LOG2, PAGE_LOG2, (1u << P6_USUAL_SET_LOG2) - 1,           \
		    (1u << P6_USUAL_SET_LOG2) - 1, P6_USUAL_DTLB_SETS - 1, P6_USUAL_ITLB_SETS - 1, \
		    true                                                                           \
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

/* ---- references and code lines ------------------------------------------------------------------
 */

/* Reference r = number k of block b in full, which is not aligned or of unusual size. Returns true when it stored
 * into a line of L1I. */
static OUT_OF_LINE bool reference_odd(struct p6 *m, const struct p6_blk *b, const struct p6_ref *r,
				      const uint8_t *slots, uint64_t lin)
{
	const struct x86_block *xb;
	unsigned k = (unsigned)(r - p6_blk_refs(b));

	if (m->is_usual_shape && r->kind < P6_NEVER && r->access != P6_LOCKED)
		return p6_dcu_ref_unaligned(m, lin & P6_LIN_MASK, r->align_mask + 1u, (enum p6_access)r->access);
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

	p6_tell_at(&m->tell, slots - 4);
	p6_run_rest(m, xb, slots, (unsigned)(r - p6_blk_refs(b)) + 1);
}

/* The same for any reference that is not all usual, told. */
static OUT_OF_LINE bool reference_told(struct p6 *m, const struct p6_blk *b, const struct p6_ref *r,
				       const uint8_t *slots, uint64_t lin)
{
	struct p6_told_counts was;
	bool smc;

	p6_tell_at(&m->tell, slots - 4);
	was = p6_tell_before(m, false);
	if (lin & r->align_mask || r->kind >= P6_NEVER)
		smc = reference_odd(m, b, r, slots, lin);
	else
		smc = p6_dcu_ref_usual(m, lin & P6_LIN_MASK, (enum p6_access)r->access);
	p6_tell_behind(m, &was);
	p6_tell_reference(m, (unsigned)(r - p6_blk_refs(b)));
	return smc;
}

/* The same with a ledger. */
static OUT_OF_LINE bool reference_booked(struct p6 *m, const struct p6_blk *b,
					 const struct p6_ref *r, const uint8_t *slots, uint64_t lin)
{
	bool smc;

	if (lin & r->align_mask || r->kind >= P6_NEVER)
		smc = reference_odd(m, b, r, slots, lin);
	else if (m->is_usual_shape)
		smc = p6_dcu_ref_usual(m, lin & P6_LIN_MASK, (enum p6_access)r->access);
	else
		smc = p6_dcu_ref_in_line(m, lin & P6_LIN_MASK, r->access);
	p6_book_reference(m, b, (unsigned)(r - p6_blk_refs(b)));
	return smc;
}

static INLINE bool reference_in_full(struct p6 *m, const struct p6_blk *b, const struct p6_ref *r,
				     const uint8_t *slots, uint64_t lin, const bool usual)
{
	if (usual && m->tell.is_on)
		return reference_told(m, b, r, slots, lin);
	if (UNLIKELY(m->ledger != NULL))
		return reference_booked(m, b, r, slots, lin);
	if (UNLIKELY(lin & r->align_mask) || UNLIKELY(r->kind >= P6_NEVER))
		return reference_odd(m, b, r, slots, lin);
	if (usual)
		return p6_dcu_ref_usual(m, lin & P6_LIN_MASK, r->access);
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
				lin += reader_slot(slots, r->slot2) << (r->is_more >> P6_MORE_SHIFT);
			if (UNLIKELY(r->is_more & P6_MORE_FS))
				lin += m->fs_base;
		}
		vpn = lin >> PAGE_LOG2;
		set = lin >> s.line_log2 & s.d_set_mask;
		if (s.is_usual) {
			differs = m->quick.dtlb[vpn & s.dtlb_mask] ^ vpn;
			differs |= m->quick.dcu[P6_KINDS * set + r->kind] ^ vpn;
		} else {
			differs = m->dtlb.filter[vpn & s.dtlb_mask] ^ vpn;
			differs |= m->dcu.filter[P6_KINDS * set + r->kind] ^ lin >> s.d_way_log2;
		}
		differs |= lin & r->align_mask;
		if (UNLIKELY(differs) &&
		    UNLIKELY(reference_in_full(m, b, r, slots, lin, s.is_usual))) {
			stored_code(m, b, r, slots);
			return false;
		}
	}
	return true;
}

/* Code in the usual shape, told: line number `line`, number i of the block whose record's slots are at `slots`. Returns true when it was
 * missing. */
static bool line_usual(struct p6 *m, uint64_t line, unsigned i, const uint8_t *slots)
{
	struct p6_told_counts was;
	bool is_miss;

	if (!m->tell.is_on)
		return p6_ifu_line_usual(m, line);
	p6_tell_at(&m->tell, slots - 4);
	was = p6_tell_before(m, true);
	is_miss = p6_ifu_line_usual(m, line);
	p6_tell_fetched(m, &was, i);
	return is_miss;
}

/* Line l is missing, number i of the block. */
static void line_missing(struct p6 *m, struct cache_line l, unsigned i, const uint8_t *slots)
{
	struct p6_told_counts was;

	if (!m->tell.is_on) {
		p6_ifu_miss_usual(m, l);
		return;
	}
	p6_tell_at(&m->tell, slots - 4);
	was = p6_tell_before(m, true);
	p6_ifu_miss_usual(m, l);
	p6_tell_fetched(m, &was, i);
}

/* The page of the block's first line. */
static OUT_OF_LINE struct p6_frame page_usual(struct p6 *m, uint64_t vpn, const uint8_t *slots)
{
	struct p6_told_counts was;
	struct p6_frame page;

	if (!m->tell.is_on)
		return p6_ifu_page_usual(m, vpn);
	p6_tell_at(&m->tell, slots - 4);
	was = p6_tell_before(m, true);
	page = p6_ifu_page_usual(m, vpn);
	p6_tell_fetched(m, &was, 0);
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
		bool is_miss;

		if (!references(m, b, slots, k, before[i], s))
			return;
		k = before[i];
		is_miss = s.is_usual ? line_usual(m, (first + i) & (P6_LIN_MASK >> P6_USUAL_LINE_LOG2), i, slots)
				     : p6_ifu_line(m, (first + i) & (P6_LIN_MASK >> s.line_log2));
		/* one instruction over two missing lines is one */
		P6_RAISE(m, IFU_MISS_REF, is_miss && !(i == 1 && was_miss && b->is_cut));
		p6_book_line(m, b, i);
		was_miss = is_miss;
	}
	references(m, b, slots, k, b->n_ref, s);
}

static OUT_OF_LINE void block_usual(struct p6 *m, const struct p6_blk *b, const uint8_t *slots)
{
	block_in_order(m, b, slots, USUAL_SHAPE);
}

static OUT_OF_LINE void block_any_shape(struct p6 *m, const struct p6_blk *b, const uint8_t *slots)
{
	block_in_order(m, b, slots, shape_of(m));
}

/* Code lines and references of b, of which a code line is missing; it has two lines at most, in one page, which is the one of
 * its ITLB set used last. hit0, hit1: the ways of its first and last line, 0 = missing. */
static OUT_OF_LINE void missing_usual(struct p6 *m, const struct p6_blk *b, const uint8_t *slots, unsigned hit0,
				      unsigned hit1)
{
	const struct cache c = cache_of_shape(&m->ifu.cache, P6_USUAL_WAYS, P6_USUAL_SET_LOG2, P6_USUAL_LINE_LOG2);
	const struct p6_frame page = m->itlb.last[b->pc >> PAGE_LOG2 & (P6_USUAL_ITLB_SETS - 1)];
	const uint32_t first = (uint32_t)(b->pc >> P6_USUAL_LINE_LOG2) & (c.n_sets - 1);
	unsigned k = 0;

	if (hit0) {
		cache_meta(&c, first)->order = repl_touch_four(cache_meta(&c, first)->order, hit0);
	} else {
		line_missing(m, (struct cache_line){page.id, page.colour, first}, 0, slots);
		P6_RAISE(m, IFU_MISS_REF, 1);
		p6_book_line(m, b, 0);
	}
	if (b->n_line == 2 && hit1) {
		cache_meta(&c, first + 1)->order = repl_touch_four(cache_meta(&c, first + 1)->order, hit1);
	} else if (b->n_line == 2) {
		k = p6_blk_lines(b)[1];
		if (!references(m, b, slots, 0, k, USUAL_SHAPE))
			return;
		line_missing(m, (struct cache_line){page.id, page.colour, first + 1}, 1, slots);
		/* one instruction over two missing lines is one */
		P6_RAISE(m, IFU_MISS_REF, hit0 || !b->is_cut);
		p6_book_line(m, b, 1);
	}
	references(m, b, slots, k, b->n_ref, USUAL_SHAPE);
}

/* Code lines and references of b in the usual shape. */
static INLINE void memory_usual(struct p6 *m, const struct p6_blk *b, const uint8_t *slots)
{
	const struct cache c = cache_of_shape(&m->ifu.cache, P6_USUAL_WAYS, P6_USUAL_SET_LOG2, P6_USUAL_LINE_LOG2);
	const uint64_t vpn = b->pc >> PAGE_LOG2, end = p6_blk_fall(b) - 1;
	const uint32_t page_set = (uint32_t)vpn & (P6_USUAL_ITLB_SETS - 1);
	const uint32_t first = (uint32_t)(b->pc >> P6_USUAL_LINE_LOG2) & (c.n_sets - 1);
	const uint32_t last = (uint32_t)(end >> P6_USUAL_LINE_LOG2) & (c.n_sets - 1);
	uint32_t page;
	unsigned hit0, hit1;

	/* most blocks have one line or two, in one page; which way has them cannot be guessed */
	if (UNLIKELY(b->n_line > 2) || UNLIKELY(end >> PAGE_LOG2 != vpn)) {
		block_usual(m, b, slots);
		return;
	}
	page = m->itlb.last[page_set].id;
	if (UNLIKELY(m->quick.itlb[page_set] != vpn)) {
		page = page_usual(m, vpn, slots).id;
		p6_book_line(m, b, 0);
	}
	hit0 = cache_hit_of_four((const uint8_t *)cache_tags(&c, first), page);
	hit1 = cache_hit_of_four((const uint8_t *)cache_tags(&c, last), page);
	if (UNLIKELY(!hit0) || UNLIKELY(!hit1)) {
		missing_usual(m, b, slots, hit0, hit1);
		return;
	}
	cache_meta(&c, first)->order = repl_touch_four(cache_meta(&c, first)->order, hit0);
	cache_meta(&c, last)->order = repl_touch_four(cache_meta(&c, last)->order, hit1);
	references(m, b, slots, 0, b->n_ref, USUAL_SHAPE);
}

/* Were all code lines of b the ones last used in their sets, and their pages too? */
static INLINE bool is_code_quick(const struct p6 *m, const struct p6_blk *b, const struct shape s)
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
	if (s.is_usual)
		memory_usual(m, b, slots);
	else if (LIKELY(is_code_quick(m, b, s)))
		references(m, b, slots, 0, b->n_ref, s);
	else
		block_any_shape(m, b, slots);
}

/* ---- records ------------------------------------------------------------------------------------
 */

/* The assists of one execution of xb. */
static void assists(struct p6 *m, const struct x86_block *xb, const uint8_t *slots)
{
	if (!m->ledger) {
		p6_assist_count(m, xb, slots, 0, xb->n_insn);
		return;
	}
	for (unsigned i = 0; i < xb->n_insn; i++) {
		p6_assist_count(m, xb, slots, i, i + 1);
		p6_book(m, xb, i);
	}
}

/* A block with flags: what the quick path must not do. Returns 0 or a negative error. */
static OUT_OF_LINE int execute_flagged(struct p6 *m, struct p6_blk *b, const uint8_t *p)
{
	p6_tell_at(&m->tell, p);
	if (b->flags & P6_B_FPMMX) {
		p6_feed_fpmmx(m, b->fpmmx);
		p6_book_fpmmx(m, b);
	}
	if (b->flags & P6_B_ASSIST)
		assists(m, x86_store_get(m->store, trc_block_id(b->head)), p + 4);
	if (b->flags & P6_B_ORDER || (b->flags & P6_B_WC && m->wc.n))
		return p6_run_plain(m, x86_store_get(m->store, trc_block_id(b->head)), p + 4,
				    b->n_insn, false);
	if (!m->has_mem)
		return 0;
	if (m->is_usual_shape)
		memory(m, b, p + 4, USUAL_SHAPE);
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
	m->pending_blk = (uint32_t)((size_t)((const uint8_t *)b - m->arena) / 16);
	if (m->ledger)
		ledger_wait(m->ledger, trc_block_id(b->head));
}

/* Position of the block of `head`, or P6_NO_ENTRY when it was not met. For an event: anything. */
static INLINE uint32_t entry_of(const struct p6 *m, uint32_t head)
{
	return m->position[trc_block_id(head)];
}

/* Nothing needs to be checked as long as the longest block record and the head after it fit ... */
#define LONGEST_RECORD (4 + 8 * X86_MAX_SLOTS + 4)
/* ... and sums of one turn stay in their fields. */
#define TURN_BYTES (2u << 20)

/* How many records before a block is executed its facts are asked for; a power of two. */
#define PREFETCH_DISTANCE 8u

/* The next records' blocks, found and asked for ahead of time. */
struct ahead {
	const uint8_t *at; /* the record after them; stands still at an event */
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
	facts = m->arena + (size_t)entry * 16;
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

/* Which of the sums of struct p6_outcomes are booked, because somebody wants them. */
static INLINE uint64_t booked_outcomes(const struct p6 *m)
{
	return m->ledger->wanted[WIRE_P6_RETIRE_TAKEN] ? UINT64_MAX : UINT64_MAX << P6_O_WRONG;
}

/* What *o has is the outcome of b's transfer. */
static OUT_OF_LINE void book_outcome(struct p6 *m, const struct p6_blk *b, struct p6_outcomes *o)
{
	p6_btb_add(m, o);
	o->sums = 0;
	ledger_book(m->ledger, trc_block_id(b->head), b->n_insn - 1u);
}

/* One block after the other from *at up to `limit`, until something needs more care: an event, a
 * block that was not met before, a head that is not the block's; with has_hot also a block with host code, and
 * behind one that is to get some. */
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

		if (UNLIKELY(entry == P6_NO_ENTRY) || UNLIKELY(b->head != head) || (has_hot && b->has_code))
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
		if (UNLIKELY(p >= limit) || UNLIKELY(n_insn >= left) || (has_hot && UNLIKELY(b->n_exec == m->jit.min_exec)))
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

	p6_tell_at(&m->tell, p);
	if (head >= TRC_SPECIAL)
		return p6_event(m, p, end);
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

/* Records from *at on: one with every check, then a turn of the loop. The last one is where m->pending waits, unless
 * it is an event. */
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
	if (has_hot && last->n_exec == m->jit.min_exec)
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

static INLINE int feed_quick(struct p6 *m, const uint8_t *p, const uint8_t *end,
			     const struct shape s, const bool has_mem, const bool has_btb,
			     const bool has_ledger)
{
	const int rc = feed_up_to(m, &p, end, s, has_mem, has_btb, has_ledger);

	return rc ? rc : p == end ? 0 : -SPMU_EPROTO;
}

/* How far host code may go from the record at p on, which it is entered for: it looks at a record's head and no further before it
 * runs it, so behind the last place where the longest one fits, up to an event or a record that is cut. */
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

/* As feed_up_to, with host code for the blocks that ran P6_JIT_MIN_EXEC times (jit.h). */
static int feed_hot(struct p6 *m, const uint8_t **at, const uint8_t *end)
{
	while (end - *at >= 4 && !stops_at(m, *at)) {
		const uint8_t *const p = *at;
		const uint32_t head = reader_u32(p);
		const struct p6_jit_target *hot = head < TRC_SPECIAL ? p6_jit_find(&m->jit, head) : NULL;
		struct p6_blk *last;
		int rc;

		if (hot && hot->code) {
			const uint8_t *limit = host_limit(p, end);

			if (LIKELY(limit > p)) {
				p6_event_resolve(m, hot->pc);
				*at = p6_jit_run(m, p, limit);
				continue;
			}
		}
		rc = feed_some(m, at, end, USUAL_SHAPE, true, true, true, false);
		if (rc)
			return rc;
		last = m->pending_blk != P6_NO_ENTRY ? p6_blk_at(m, m->pending_blk) : NULL;
		if (last && last->n_exec == m->jit.min_exec)
			p6_jit_compile(m, trc_block_id(last->head));
		if (UNLIKELY(m->jit.is_full)) {
			p6_jit_drop(m);
			return feed_up_to(m, at, end, USUAL_SHAPE, true, true, false);
		}
	}
	return 0;
}

/* With a ledger. */
static int feed_booked(struct p6 *m, const uint8_t *p, const uint8_t *end)
{
	if (!m->has_mem)
		return m->has_btb ? feed_quick(m, p, end, USUAL_SHAPE, false, true, true)
				  : feed_quick(m, p, end, USUAL_SHAPE, false, false, true);
	if (!m->has_btb)
		return feed_quick(m, p, end, shape_of(m), true, false, true);
	return m->is_usual_shape ? feed_quick(m, p, end, USUAL_SHAPE, true, true, true)
				 : feed_quick(m, p, end, shape_of(m), true, true, true);
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
	const struct shape usual = USUAL_SHAPE;
	const uint8_t *end = bytes + n;
	int rc;

	if (m->time.is_on)
		return p6_time_feed(m, bytes, end);
	if (m->is_plain)
		return feed_plain(m, bytes, end);
	if (m->ledger)
		return feed_booked(m, bytes, end);
	if (m->jit.memory) {
		rc = feed_hot(m, &bytes, end);
		return rc ? rc : bytes == end ? 0 : -SPMU_EPROTO;
	}
	if (!m->has_mem)
		return m->has_btb ? feed_quick(m, bytes, end, usual, false, true, false)
				  : feed_quick(m, bytes, end, usual, false, false, false);
	if (m->is_usual_shape)
		return m->has_btb ? feed_quick(m, bytes, end, usual, true, true, false)
				  : feed_quick(m, bytes, end, usual, true, false, false);
	return feed_quick(m, bytes, end, shape_of(m), true, true, false);
}

int p6_feed_known(struct p6 *m, const uint8_t **at, const uint8_t *end, uint64_t stop_insn)
{
	int rc;

	m->stop_insn = stop_insn;
	rc = m->jit.memory ? feed_hot(m, at, end)
			   : feed_up_to(m, at, end, USUAL_SHAPE, true, true, false);
	m->stop_insn = P6_NEVER_STOP;
	return rc;
}
