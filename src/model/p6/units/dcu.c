/* dcu.c -- unit dcu: the P6's L1D, its first-level data cache.
 *
 * A load or store comes as a linear address. Its page is looked up in the DTLB, its line in the set
 * that the address names. A hit notes the use for replacement and, for the first store to a line,
 * makes the line M. A miss asks L2 for the line, chooses a way of the set, writes the line that was
 * there to L2 when it is modified, and puts the new one in. Accesses over a line end do this for
 * each line.
 *
 * The file goes bottom up: what is counted; one line, by any geometry and then in the fast shape;
 * one operand, again by both. The fast forms do what the general ones do, for four ways of 128 sets
 * of 32 bytes, and only the common case of it: they return false or go to the general form where
 * more is to be done. They count a miss that L2 or memory serves as one number (p6_l2.served,
 * absent, n_cast_out), as host code does (host_serve.c); p6_dcu_add_served() makes wires of it with
 * the same functions that count for the general form.
 *
 * COUNTING RULES   a reference is one load or store micro-op: 8 bytes at most, an m80 operand is
 *                  two, an XMM operand two; one more for each piece that a line end cuts (43H). A
 *                  piece over an 8-byte boundary is misaligned, over a line end twice (05H).
 *                  dcu.miss_ref_* count operands of which a line was missing, read-modify-write as
 *                  a load; an operand of which both lines are missing counts one miss.
 * MODELLED         write-back, write-allocate, MESI: a store to E is silent, to S asks L2 for
 *                  ownership, to an absent line reads it with ownership; a locked read asks for
 *                  ownership at once. M victims are cast out to L2.
 * NOT MODELLED     fill buffers and merging in time, store forwarding, banks; load and store pieces
 *                  of one clock are both counted in 05H.
 * SOURCES          Intel 242816-003 table 7-2; choices in docs/MODELS.md "dcu".
 */
#include "model/p6/units/dcu.h"
#include "model/p6/units/dcu_inline.h"
#include "model/p6/units/bus.h"
#include "model/p6/units/ifu.h"
#include "model/p6/units/l2.h"
#include "model/p6/units/l2_inline.h"
#include "model/p6/units/line.h"
#include "model/p6/units/walk.h"
#include "model/p6/units/walk_inline.h"

#define INLINE	    inline __attribute__((always_inline))
#define OUT_OF_LINE __attribute__((noinline))

/* ---- what is counted: each fact once ------------------------------------------------------------
 *
 * counts: p6.dyn for what happens now, or the totals that p6_dcu_add_served() adds to.
 */

/* Operands of which a line was missing; absent: of these, the ones that L2 did not have either. */
static INLINE void count_missed(uint64_t *counts, uint64_t loads, uint64_t stores, uint64_t absent)
{
	counts[WIRE_P6_DCU_MISS_REF_LD] += loads;
	counts[WIRE_P6_DCU_MISS_REF_ST] += stores;
	counts[WIRE_P6_L2_MISS_REF] += absent;
}

/* Lines that come into L1D; in_m: of these, the ones that come in state M. */
static INLINE void count_in(uint64_t *counts, uint64_t lines, uint64_t in_m)
{
	counts[WIRE_P6_DCU_LINE_IN] += lines;
	counts[WIRE_P6_DCU_M_LINE_IN] += in_m;
}

/* The pieces of `times` references of `bytes` at `lin`: a piece is 8 bytes, the last one what is
 * left. When one is off its 8-byte boundary all are, so each line end lies inside a piece. */
static INLINE void count_pieces(struct p6 *m, uint64_t lin, unsigned bytes, unsigned line_log2,
				unsigned times)
{
	const unsigned off = lin & 7, in_line = (unsigned)lin & ((1u << line_log2) - 1);
	unsigned cuts;

	if (!off || off + bytes <= 8)
		return;
	cuts = (in_line + bytes - 1) >> line_log2;
	P6_RAISE(m, DCU_MISALIGN, times * (bytes / 8 + (off + bytes % 8 > 8) + cuts));
	P6_RAISE(m, DCU_REF, times * cuts);
}

void p6_dcu_count_pieces(struct p6 *m, uint64_t lin, unsigned bytes)
{
	count_pieces(m, lin, bytes, m->line_log2, 1);
}

static uint64_t sum_of_found(const uint64_t *n)
{
	return n[P6_L2_M] + n[P6_L2_E] + n[P6_L2_S];
}

void p6_dcu_add_served(const struct p6 *m, uint64_t *total)
{
	const uint64_t *const read = m->l2.absent[P6_ABSENT_READ];
	const uint64_t *const store = m->l2.absent[P6_ABSENT_STORE];
	const uint64_t absent_reads = read[0] + read[1], absent_stores = store[0] + store[1];
	const uint64_t reads = sum_of_found(m->l2.served[P6_SERVED_READ]) + absent_reads;
	const uint64_t stores = sum_of_found(m->l2.served[P6_SERVED_STORE]) + absent_stores;

	count_missed(total, reads, stores, absent_reads + absent_stores);
	count_in(total, reads + stores, stores);
	p6_dcu_count_out(total, m->dcu.n_cast_out);
}

/* ---- one line, by any geometry --------------------------------------------------------------- */

/* L1D, with constants in the fast shape. */
static INLINE struct cache l1d(const struct p6 *m, const bool fast)
{
	return fast ? p6_fast_l1(&m->dcu.cache) : m->dcu.cache;
}

/* The line of `lin` is the one of `set` that was used last: see p6_dcu_note_fast(). */
static INLINE void note(struct p6 *m, const struct cache *c, uint32_t set, uint64_t lin, bool is_m,
			const bool fast)
{
	const uint64_t key = lin >> cache_way_log2(c);

	if (fast) {
		p6_dcu_note_fast(m, set, lin, is_m);
	} else if (m->dcu.has_filter) {
		m->dcu.filter[P6_KINDS * set + P6_FAST_READ] = key;
		m->dcu.filter[P6_KINDS * set + P6_FAST_WRITE] = key | (is_m ? 0 : P6_NO_KEY);
	}
}

/* The DTLB of the fast shape has the page of `vpn`: its use is noted, and *page is the page.
 * Returns false else, and nothing is done. */
static INLINE bool page_in_tlb(struct p6 *m, uint64_t vpn, struct p6_frame *page)
{
	const uint32_t set = (uint32_t)vpn & (P6_FAST_DTLB_SETS - 1);
	const struct page *e = m->dtlb.tlb.entry + (size_t)set * P6_FAST_WAYS;
	uint64_t *order = &m->dtlb.tlb.order[set];
	unsigned way;

	if (m->fast.dtlb[set] == vpn) {
		*page = m->dtlb.last[set];
		return true;
	}
	/* no chain of branches: which way it is cannot be guessed */
	way = (unsigned)(e[1].key == vpn) + 2 * (unsigned)(e[2].key == vpn) +
	      3 * (unsigned)(e[3].key == vpn);
	if (__builtin_expect(e[way].key != vpn, 0))
		return false;
	*page = (struct p6_frame){e[way].id, e[way].colour};
	*order = repl_touch_four(*order, 1u << way);
	p6_dtlb_note(m, set, vpn, *page);
	return true;
}

/* The page of data `vpn`; walks on a miss. */
static INLINE struct p6_frame translate(struct p6 *m, uint64_t vpn, const bool fast)
{
	struct p6_frame page;

	if (!fast)
		return p6_translate(m, &m->dtlb, vpn);
	return page_in_tlb(m, vpn, &page) ? page : p6_walk_data_fast(m, vpn);
}

/* Write the modified line in `way` to L2, and empty the way. The filter of the set still names the
 * line: the caller notes the line that comes in instead. */
static void cast_out(struct p6 *m, uint32_t set, unsigned way)
{
	const struct cache *c = &m->dcu.cache;
	uint32_t tag = cache_tags(c, set)[way], page = cache_page_of(c, tag);
	struct cache_line l = {page, m->walker.colour[page], cache_in_page_of(c, set, tag)};

	p6_dcu_count_out(m->dyn, 1);
	cache_drop(c, set, way); /* L2 may take another line of the set while it makes room */
	p6_l2_cast_out(m, l);
}

/* Bring a line in that is not there, in place of an empty way or of the victim. After L2 was asked
 * for the line, because the cast-out of the victim changes L2; the caller calls note() next. */
static INLINE void fill(struct p6 *m, const struct cache *c, uint32_t set, uint32_t tag,
			enum cache_state state)
{
	unsigned way = cache_choose(c, set);

	if (cache_meta(c, set)->m >> way & 1)
		cast_out(m, set, way);
	count_in(m->dyn, 1, state == CACHE_M);
	cache_place(c, set, way, tag, state);
	if (state == CACHE_I) /* only when a test breaks the rules (--mutate) */
		cache_drop(c, set, way);
}

/* An ordinary access misses L1D: the write-combining buffer of the line, if any, is emptied
 * first. */
static void flush_line(struct p6 *m, uint64_t line)
{
	int i = wcbuf_find(&m->dcu.wc, line);

	if (i < 0)
		return;
	p6_dcu_flush_buffer(m, i, false);
}

void p6_dcu_fill_only(struct p6 *m, uint64_t lin)
{
	struct cache *c = &m->dcu.cache;
	struct p6_frame page = p6_translate(m, &m->dtlb, lin >> PAGE_LOG2);
	struct cache_line l = p6_line_at(page, lin, m->line_log2);
	uint32_t set = cache_set_of(c, l);

	if (m->dcu.wc.n)
		flush_line(m, lin >> m->line_log2);
	fill(m, c, set, cache_tag_of(c, l), p6_l2_request(m, l, P6_REQ_LD_NO_FILL));
	note(m, c, set, lin, false, false);
}

/* p6_dcu_line(), compiled for any geometry and, with `fast`, for the fast shape: there rules that
 * tests break and deferred replies do not occur. */
static INLINE bool access_line(struct p6 *m, uint64_t lin, bool is_write, bool *smc,
			       const bool fast)
{
	const struct cache c = l1d(m, fast);
	struct p6_frame page = translate(m, lin >> PAGE_LOG2, fast);
	struct cache_line l = p6_line_at(page, lin, c.line_log2);
	uint32_t set = cache_set_of(&c, l), tag = cache_tag_of(&c, l);
	int way = p6_find_way(m, &c, set, tag, fast);
	enum cache_state state;

	if (way < 0) {
		if (m->dcu.wc.n)
			flush_line(m, lin >> c.line_log2);
		if (!fast && m->bus.deferred.n)
			m->bus.is_deferred = p6_ranges_have(m, &m->bus.deferred, lin);
		state = p6_l2_request(m, l, is_write ? P6_REQ_ST : P6_REQ_LD);
		m->bus.is_deferred = false;
		fill(m, &c, set, tag, state);
		if (is_write && p6_ifu_store_snoop(m, l))
			*smc = true;
		note(m, &c, set, lin, is_write, fast);
		return true;
	}
	cache_touch(&c, set, (unsigned)way);
	state = cache_state_of(&c, set, (unsigned)way);
	if (is_write && state != CACHE_M) {
		/* making room in L2 leaves a clean copy alone, so the line stays here */
		if (state == CACHE_S)
			p6_l2_request(m, l, P6_REQ_UPGRADE);
		cache_set_state(&c, set, (unsigned)way, CACHE_M);
		if (p6_ifu_store_snoop(m, l))
			*smc = true;
	}
	if (!fast)
		cache_turn(&c, set, (unsigned)way,
			   p6_next(m, is_write ? P6_MOVE_DCU_WRITE : P6_MOVE_DCU_READ, state));
	if (is_write)
		state = CACHE_M;
	note(m, &c, set, lin, state == CACHE_M, fast);
	return false;
}

bool p6_dcu_line(struct p6 *m, uint64_t lin, bool is_write, bool *smc)
{
	if (m->is_fast_shape && !m->is_plain)
		return access_line(m, lin, is_write, smc, true);
	return access_line(m, lin, is_write, smc, false);
}

/* L2, which has the line, gives it up to L1D for a store, or lets it be read: it is counted in
 * p6_l2.served. *state: that in L1D. Returns false when L2 does not have it, or shares it. */
static INLINE bool served(struct p6 *m, struct cache_line l, bool is_read, enum cache_state *state)
{
	struct p6_cast_out to;
	int found;

	if (is_read) {
		found = p6_l2_serve(m, l, P6_SERVED_READ);
		*state = found == P6_L2_S ? CACHE_S : CACHE_E;
		return found >= 0;
	}
	to = p6_l2_copy_of(m, l.page, l.in_page);
	if (!to.hit || to.set->meta.s & to.hit)
		return false;
	m->l2.served[P6_SERVED_STORE][to.set->meta.m & to.hit ? P6_L2_M : P6_L2_E]++;
	p6_l2_make_m(to);
	*state = CACHE_M;
	return true;
}

enum p6_dcu_try p6_dcu_try(struct p6 *m, uint64_t lin, enum p6_access access)
{
	const struct cache *const c = &m->dcu.cache;
	const struct p6_frame page = p6_translate(m, &m->dtlb, lin >> PAGE_LOG2);
	const struct cache_line l = p6_line_at(page, lin, c->line_log2);
	const uint32_t set = cache_set_of(c, l), tag = cache_tag_of(c, l);
	struct cache_meta *const meta = cache_meta(c, set);
	const int hit = cache_find(c, set, tag);
	const bool is_read = access == P6_READ;
	enum cache_state state = CACHE_E;
	bool is_first;
	unsigned way;

	if (hit >= 0) {
		const unsigned bit = 1u << hit;

		if (!is_read && meta->s & bit)
			return P6_DCU_NOT_DONE;
		cache_touch(c, set, (unsigned)hit);
		is_first = !is_read && !(meta->m & bit);
		meta->m |= (uint16_t)(is_read ? 0 : bit);
		note(m, c, set, lin, meta->m & bit, false);
		return is_first && p6_ifu_store_snoop(m, l) ? P6_DCU_STORED_CODE : P6_DCU_HIT;
	}
	if ((!is_read && access != P6_WRITE) || !m->is_served || m->dcu.wc.n ||
	    !served(m, l, is_read, &state))
		return P6_DCU_NOT_DONE;
	way = cache_choose(c, set);
	if (meta->m >> way & 1)
		cast_out(m, set, way);
	cache_place(c, set, way, tag, state);
	note(m, c, set, lin, !is_read, false);
	return !is_read && p6_ifu_store_snoop(m, l) ? P6_DCU_STORED_CODE : P6_DCU_SERVED;
}

/* ---- one line in the fast shape: a miss that L2 or memory serves --------------------------------
 *
 * These do what access_line() does on a miss when nothing but the caches changes: L2 has the line
 * (p6.is_served), or gets it from memory without putting out one that L1D modified
 * (p6.is_fast_miss, see p6_l2_take()). Each looks at all that could be in its way first and then
 * acts: a caller that is told false finds everything as it was, and does the access in full. If
 * one acted before it looked, L2 would be asked twice for a line, and count both.
 */

/* What a full set gives up for a new line: `way`. When that is modified, `copy` is where L2 has
 * it. */
struct room {
	unsigned way;
	struct p6_cast_out copy; /* copy.hit is 0 when the line that goes is clean */
};

/* Find room in `set`. Returns false when a way is empty, a write-combining buffer is in use, or the
 * victim is modified and L2 does not have it: fill() must do it then. Changes nothing. */
static INLINE bool find_room(const struct p6 *m, const struct cache *c, uint32_t set,
			     struct room *room)
{
	const struct cache_meta *meta = cache_meta(c, set);

	room->way = repl_victim_four(meta->order);
	room->copy.hit = 0;
	if (__builtin_expect(meta->n_empty || m->dcu.wc.n || !m->is_served, 0))
		return false;
	if (!(meta->m >> room->way & 1))
		return true;
	if (!m->is_fast_miss)
		return false;
	room->copy = p6_l2_copy_of(m, cache_tags(c, set)[room->way], set);
	return room->copy.hit;
}

/* The line of `lin` and `page` comes into `room` of `set`, in state M, S or (neither) E: as
 * fill(). */
static INLINE void put_in(struct p6 *m, const struct cache *c, uint32_t set,
			  const struct room *room, uint64_t lin, uint32_t page, bool is_m,
			  bool is_s)
{
	struct cache_meta *meta = cache_meta(c, set);
	const unsigned bit = 1u << room->way;

	if (room->copy.hit) {
		p6_l2_make_m(room->copy);
		m->dcu.n_cast_out++;
	}
	cache_tags(c, set)[room->way] = page;
	meta->m = (uint16_t)((meta->m & ~bit) | (is_m ? bit : 0));
	meta->s = (uint16_t)((meta->s & ~bit) | (is_s ? bit : 0));
	meta->order = repl_touch_four(meta->order, bit);
	p6_dcu_note_fast(m, set, lin, is_m);
}

/* A read of line l, of `lin`, that L1D does not have. Returns false when that needs
 * access_line(). */
static INLINE bool serve_read(struct p6 *m, uint64_t lin, struct cache_line l)
{
	const struct cache c = l1d(m, true);
	struct room room;
	int found;

	if (!find_room(m, &c, l.in_page, &room))
		return false;
	found = p6_l2_serve(m, l, P6_SERVED_READ);
	/* what L2 puts out then is not the line that goes from L1D, which is modified there */
	if (found < 0 && (!m->is_fast_miss || !p6_l2_take(m, l, P6_ABSENT_READ)))
		return false;
	put_in(m, &c, l.in_page, &room, lin, l.page, false, found == P6_L2_S);
	return true;
}

/* Does L1I hold l? */
static INLINE bool has_code(const struct p6 *m, struct cache_line l)
{
	const struct cache c = p6_fast_l1(&m->ifu.cache);

	return p6_hit_of_four(&c, l.in_page, l.page);
}

/* A store to l that L1D does not have, of lin. Returns false when L2 holds the line in S, which
 * must be shared no more, when L1I holds it, or when the miss needs access_line() as for a read. */
static INLINE bool serve_store(struct p6 *m, uint64_t lin, struct cache_line l)
{
	const struct cache c = l1d(m, true);
	struct room room;
	struct p6_cast_out to;

	if (!m->is_fast_miss || has_code(m, l) || !find_room(m, &c, l.in_page, &room))
		return false;
	to = p6_l2_copy_of(m, l.page, l.in_page);
	if (to.set->meta.s & to.hit || (!to.hit && !p6_l2_take(m, l, P6_ABSENT_STORE)))
		return false;
	if (to.hit) {
		m->l2.served[P6_SERVED_STORE][to.set->meta.m & to.hit ? P6_L2_M : P6_L2_E]++;
		p6_l2_make_m(to);
	}
	put_in(m, &c, l.in_page, &room, lin, l.page, true, false);
	return true;
}

/* ---- an operand in one line ------------------------------------------------------------------ */

/* p6_dcu_ref_in_line(), compiled for any geometry and for the fast shape. */
static INLINE bool ref_in_line(struct p6 *m, uint64_t lin, enum p6_access access, const bool fast)
{
	bool smc = false;

	m->dcu.ref_missed_l2 = false;
	if (access_line(m, lin, access == P6_WRITE || access == P6_LOCKED, &smc, fast))
		count_missed(m->dyn, access != P6_WRITE, access == P6_WRITE, m->dcu.ref_missed_l2);
	if (access == P6_READ_WRITE)
		access_line(m, lin, true, &smc, fast);
	return smc;
}

bool p6_dcu_ref_in_line(struct p6 *m, uint64_t lin, enum p6_access access)
{
	return ref_in_line(m, lin, access, false);
}

/* What the short forms below leave undone. */
static OUT_OF_LINE bool ref_fast_in_full(struct p6 *m, uint64_t lin, enum p6_access access)
{
	return ref_in_line(m, lin, access, true);
}

void p6_dcu_read_miss_fast(struct p6 *m, uint64_t any_lin, struct p6_frame page)
{
	const uint64_t lin = any_lin & P6_LIN_MASK;

	if (__builtin_expect(!serve_read(m, lin, p6_line_at(page, lin, P6_FAST_LINE_LOG2)), 0))
		ref_fast_in_full(m, lin, P6_READ);
}

enum p6_dcu_try p6_dcu_try_fast(struct p6 *m, uint64_t lin, struct p6_frame page, bool is_read)
{
	unsigned hit;

	if (p6_dcu_hit_on(m, lin, page.id, !is_read, &hit))
		return P6_DCU_HIT;
	return !hit && is_read && serve_read(m, lin, p6_line_at(page, lin, P6_FAST_LINE_LOG2))
		   ? P6_DCU_SERVED
		   : P6_DCU_NOT_DONE;
}

struct p6_frame p6_dcu_page_fast(struct p6 *m, uint64_t vpn)
{
	const uint32_t set = (uint32_t)vpn & (P6_FAST_DTLB_SETS - 1);
	struct p6_frame page;

	if (page_in_tlb(m, vpn, &page))
		return page;
	if (p6_walk_fast(m, &m->dtlb, vpn, set, P6_WALKED_DATA, &page)) {
		p6_dtlb_note(m, set, vpn, page);
		return page;
	}
	return p6_walk_data_fast(m, vpn);
}

bool p6_dcu_hits(struct p6 *m, uint64_t lin, enum p6_access access)
{
	struct p6_frame page;
	unsigned hit;

	return page_in_tlb(m, lin >> PAGE_LOG2, &page) &&
	       p6_dcu_hit_on(m, lin, page.id, access != P6_READ, &hit);
}

/* A store of lin into line l, which L1D does not hold in M: `hit` is the way that holds it in
 * another state, as a mask, or 0. */
static INLINE bool first_store(struct p6 *m, uint64_t lin, struct cache_line l, unsigned hit,
			       enum p6_access access)
{
	const struct cache c = l1d(m, true);
	struct cache_meta *const meta = cache_meta(&c, l.in_page);

	if (!hit && access == P6_READ_WRITE && serve_read(m, lin, l)) {
		hit = p6_hit_of_four(&c, l.in_page, l.page);
		access = P6_WRITE;
	}
	if (hit && !(meta->s & hit) && !has_code(m, l)) { /* E becomes M, silently */
		meta->m |= (uint16_t)hit;
		meta->order = repl_touch_four(meta->order, hit);
		p6_dcu_note_fast(m, l.in_page, lin, true);
		return false;
	}
	if (!hit && access == P6_WRITE && serve_store(m, lin, l))
		return false;
	return ref_fast_in_full(m, lin, access);
}

bool p6_dcu_ref_fast(struct p6 *m, uint64_t lin, enum p6_access access)
{
	const struct p6_frame page = p6_dcu_page_fast(m, lin >> PAGE_LOG2);
	unsigned hit;

	if (p6_dcu_hit_on(m, lin, page.id, access != P6_READ, &hit))
		return false;
	if (access != P6_READ)
		return first_store(m, lin, p6_line_at(page, lin, P6_FAST_LINE_LOG2), hit, access);
	p6_dcu_read_miss_fast(m, lin, page);
	return false;
}

/* ---- an operand of any size, by any geometry ------------------------------------------------- */

/* Access all lines of an operand, to read or to write. Returns true when one was missing. */
static bool touch_lines(struct p6 *m, uint64_t lin, unsigned bytes, bool is_write, bool *smc)
{
	const uint64_t step = 1u << m->line_log2;
	const uint64_t last = (lin + bytes - 1) & P6_LIN_MASK;
	bool is_miss = p6_dcu_line(m, lin, is_write, smc);

	while (lin >> m->line_log2 != last >> m->line_log2) {
		lin = (lin + step) & P6_LIN_MASK;
		if (p6_dcu_line(m, lin, is_write, smc))
			is_miss = true;
	}
	return is_miss;
}

bool p6_dcu_ref_lines(struct p6 *m, uint64_t lin, unsigned bytes, unsigned flags, bool is_locked)
{
	const bool is_read = flags & X86_REF_READ;
	bool smc = false;

	m->dcu.ref_missed_l2 = false;
	if (touch_lines(m, lin, bytes, is_locked || !is_read, &smc))
		count_missed(m->dyn, is_read, !is_read, m->dcu.ref_missed_l2);
	if (is_read && flags & X86_REF_WRITE)
		touch_lines(m, lin, bytes, true, &smc);
	return smc;
}

bool p6_dcu_ref(struct p6 *m, uint64_t lin, unsigned bytes, unsigned flags, bool is_locked)
{
	const bool is_both = flags & X86_REF_READ && flags & X86_REF_WRITE;

	if (!bytes)
		return false;
	if (m->bus.uncached.n && p6_ranges_have(m, &m->bus.uncached, lin)) {
		p6_uncached_ref(m, lin, bytes, flags);
		return false;
	}
	if (lin & 7 || bytes > 8) {
		count_pieces(m, lin, bytes, m->line_log2, 1u + is_both);
		if (is_locked && flags & X86_REF_READ &&
		    lin >> m->line_log2 != (lin + bytes - 1) >> m->line_log2)
			return p6_bus_locked_ref(m, lin, bytes);
	}
	return p6_dcu_ref_lines(m, lin, bytes, flags, is_locked);
}

/* ---- an operand that is not aligned, in the fast shape --------------------------------------- */

/* The mask of the way that holds the line of lin, which lies on `page`; *is_s: in state S. */
static unsigned holder(const struct p6 *m, uint64_t lin, uint32_t page, bool *is_s)
{
	const struct cache c = l1d(m, true);
	const uint32_t set = (uint32_t)(lin >> P6_FAST_LINE_LOG2) & (c.n_sets - 1);
	const unsigned hit = p6_hit_of_four(&c, set, page);

	*is_s = cache_meta(&c, set)->s & hit;
	return hit;
}

/* Operands that neither L1D nor L2 had, so far. */
static uint64_t n_absent(const struct p6 *m)
{
	return m->dyn[WIRE_P6_L2_MISS_REF] + m->l2.absent[P6_ABSENT_READ][0] +
	       m->l2.absent[P6_ABSENT_READ][1] + m->l2.absent[P6_ABSENT_STORE][0] +
	       m->l2.absent[P6_ABSENT_STORE][1];
}

/* Both lines are missing: each is made a reference that counts a missed operand, and the second
 * count is taken back. Only with p6.is_fast_miss. */
static bool ref_two_missing(struct p6 *m, uint64_t lin, uint64_t end, enum p6_access access)
{
	const uint64_t before = n_absent(m);
	const bool smc = p6_dcu_ref_fast(m, lin, access);
	const uint64_t between = n_absent(m);
	const bool end_smc = p6_dcu_ref_fast(m, end, access);
	const bool is_write = access == P6_WRITE,
		   both_absent = between != before && n_absent(m) != between;

	count_missed(m->dyn, 0 - (uint64_t)!is_write, 0 - (uint64_t)is_write,
		     0 - (uint64_t)both_absent);
	return smc || end_smc;
}

/* A read or a store over a line end: one line after the other when what is counted for a line is
 * what is counted for the operand. That is so when at most one of them is missing, and L2 is asked
 * for no line that L1D has, as a store to S does. The lines lie in different sets, so neither
 * access changes what the other finds. */
static bool ref_cut(struct p6 *m, uint64_t lin, unsigned bytes, enum p6_access access)
{
	const uint64_t end = (lin | ((1u << P6_FAST_LINE_LOG2) - 1)) + 1;
	const bool is_write = access == P6_WRITE;
	bool smc, first_s, second_s, is_odd;
	unsigned first, second;
	uint32_t page;

	if (!(end & ((1u << PAGE_LOG2) - 1))) /* over a page's end */
		return p6_dcu_ref_lines(m, lin, bytes, is_write ? X86_REF_WRITE : X86_REF_READ,
					false);
	if (p6_dcu_hit_fast(m, lin, is_write))
		return p6_dcu_hit_fast(m, end, is_write) ? false : p6_dcu_ref_fast(m, end, access);
	page = p6_dcu_page_fast(m, lin >> PAGE_LOG2).id;
	first = holder(m, lin, page, &first_s);
	second = holder(m, end, page, &second_s);
	if (!first && !second && m->is_fast_miss)
		return ref_two_missing(m, lin, end, access);
	is_odd = (!first && !second) || (is_write && (first_s || second_s));
	if (is_odd)
		return p6_dcu_ref_lines(m, lin, bytes, is_write ? X86_REF_WRITE : X86_REF_READ,
					false);
	smc = p6_dcu_ref_fast(m, lin, access);
	return p6_dcu_ref_fast(m, end, access) || smc;
}

bool p6_dcu_ref_unaligned(struct p6 *m, uint64_t lin, unsigned bytes, enum p6_access access)
{
	const unsigned line_bytes = 1u << P6_FAST_LINE_LOG2;
	const bool is_cut = (lin & (line_bytes - 1)) + bytes > line_bytes,
		   is_both = access == P6_READ_WRITE;

	m->path.cut++;
	count_pieces(m, lin, bytes, P6_FAST_LINE_LOG2, 1u + is_both);
	if (!is_cut)
		return p6_dcu_ref_fast(m, lin, access);
	return is_both ? p6_dcu_ref_lines(m, lin, bytes, X86_REF_READ | X86_REF_WRITE, false)
		       : ref_cut(m, lin, bytes, access);
}
