/* dcu.c -- unit dcu: data references through L1D.
 *
 * COUNTING RULES   a reference is one load or store micro-op: 8 bytes at most, an m80 operand is
 *                  two, an XMM operand two; one more for each piece that a line end cuts (43H). A
 *                  piece over an 8-byte boundary is misaligned, over a line end twice (05H).
 *                  dcu.miss_ref_* count operands of which a line was missing, read-modify-write as
 *                  a load.
 * MODELLED         write-back, write-allocate, MESI: a store to E is silent, to S asks L2 for
 *                  ownership, to an absent line reads it with ownership; a locked read asks for
 *                  ownership at once. M victims are cast out to L2.
 * NOT MODELLED     fill buffers and merging in time, store forwarding, banks; load and store pieces
 *                  of one clock are both counted in 05H.
 * SOURCES          Intel 242816-003 table 7-2; choices in docs/MODELS.md "dcu".
 */
#include "model/p6/units/fast.h"

#define INLINE inline __attribute__((always_inline))

/* Functions with `fast` are compiled twice: for any shape, and for the fast one with its
 * constants. */
#define SHAPED(m, fast, c)                                                                        \
	const struct cache c##_usual =                                                             \
	    cache_of_shape(&(m)->dcu.cache, P6_FAST_WAYS, P6_FAST_SET_LOG2, P6_FAST_LINE_LOG2); \
	const struct cache *const c = (fast) ? &c##_usual : &(m)->dcu.cache

static INLINE int find(const struct p6 *m, const struct cache *c, uint32_t set, uint32_t tag,
		       const bool fast)
{
	return !fast && m->is_plain ? cache_find_plain(c, set, tag) : cache_find(c, set, tag);
}

static INLINE struct cache_line line_of(struct p6_frame page, uint64_t lin, unsigned line_log2)
{
	return (struct cache_line){page.id, page.colour,
				   (uint32_t)(lin & ((1u << PAGE_LOG2) - 1)) >> line_log2};
}

/* The line of `lin` is the one of `set` that was used last. */
static INLINE void remember(struct p6 *m, const struct cache *c, uint32_t set, uint64_t lin,
			    bool is_m, const bool fast)
{
	uint64_t key = lin >> cache_way_log2(c);

	uint64_t *filter = fast ? m->fast.dcu : m->dcu.filter;

	if (!fast && !m->dcu.has_filter)
		return;
	filter[P6_KINDS * set + P6_FAST_READ] = key;
	filter[P6_KINDS * set + P6_FAST_WRITE] = key | (is_m ? 0 : P6_NO_KEY);
}

/* The page of `vpn`: as p6_translate(), for data. */
static INLINE struct p6_frame translate(struct p6 *m, uint64_t vpn, const bool fast)
{
	struct tlb t = tlb_of_shape(&m->dtlb.tlb, P6_FAST_WAYS, P6_FAST_DTLB_SETS);
	const uint32_t set = tlb_set_of(&t, vpn);
	const struct page *e = t.entry + (size_t)set * P6_FAST_WAYS;
	unsigned hit;

	if (!fast)
		return p6_translate(m, &m->dtlb, vpn);
	if (m->fast.dtlb[set] == vpn)
		return m->dtlb.last[set];
	hit = (unsigned)(e[0].key == vpn) | (unsigned)(e[1].key == vpn) << 1 |
	      (unsigned)(e[2].key == vpn) << 2 | (unsigned)(e[3].key == vpn) << 3;
	if (__builtin_expect(!hit, 0))
		return p6_walk_data_fast(m, vpn);
	hit = (unsigned)__builtin_ctz(hit);
	t.order[set] = repl_touch(&t.repl, t.order[set], hit);
	p6_dtlb_note(m, set, vpn, (struct p6_frame){e[hit].id, e[hit].colour});
	return m->dtlb.last[set];
}

/* Take the M line in `way` out, to L2. */
static void cast_out(struct p6 *m, uint32_t set, unsigned way)
{
	const struct cache *c = &m->dcu.cache;
	uint32_t tag = cache_tags(c, set)[way], page = cache_page_of(c, tag);
	struct cache_line l = {page, m->colour[page], cache_in_page_of(c, set, tag)};

	P6_RAISE(m, DCU_M_LINE_OUT, 1);
	cache_drop(c, set, way); /* L2 must not find it while it makes room */
	p6_l2_cast_out(m, l);
}

/* Bring a line in. */
static INLINE void fill(struct p6 *m, const struct cache *c, uint32_t set, uint32_t tag,
			enum cache_state state)
{
	unsigned way = cache_choose(c, set);

	if (cache_meta(c, set)->m >> way & 1)
		cast_out(m, set, way);
	P6_RAISE(m, DCU_LINE_IN, 1);
	P6_RAISE(m, DCU_M_LINE_IN, state == CACHE_M);
	cache_place(c, set, way, tag, state);
	if (state == CACHE_I) /* a test's */
		cache_drop(c, set, way);
}

/* An ordinary access misses L1D: a write-combining buffer of the line is emptied first. */
static void flush_line(struct p6 *m, uint64_t line)
{
	int i = wcbuf_find(&m->wc, line);

	if (i < 0)
		return;
	p6_dcu_flush_buffer(m, i, false);
}

void p6_dcu_fill_only(struct p6 *m, uint64_t lin)
{
	struct cache *c = &m->dcu.cache;
	struct p6_frame page = p6_translate(m, &m->dtlb, lin >> PAGE_LOG2);
	struct cache_line l = line_of(page, lin, m->line_log2);
	uint32_t set = cache_set_of(c, l);

	if (m->wc.n)
		flush_line(m, lin >> m->line_log2);
	fill(m, c, set, cache_tag_of(c, l), p6_l2_request(m, l, P6_REQ_LD_NO_FILL));
	remember(m, c, set, lin, false, false);
}

static INLINE bool access_line(struct p6 *m, uint64_t lin, bool is_write, bool *smc,
			       const bool fast)
{
	SHAPED(m, fast, c);
	struct p6_frame page = translate(m, lin >> PAGE_LOG2, fast);
	struct cache_line l = line_of(page, lin, c->line_log2);
	uint32_t set = cache_set_of(c, l), tag = cache_tag_of(c, l);
	int way = find(m, c, set, tag, fast);
	enum cache_state state;

	if (way < 0) {
		if (m->wc.n)
			flush_line(m, lin >> c->line_log2);
		if (!fast && m->deferred.n)
			m->is_deferred = p6_ranges_have(m, &m->deferred, lin);
		state = p6_l2_request(m, l, is_write ? P6_REQ_ST : P6_REQ_LD);
		m->is_deferred = false;
		fill(m, c, set, tag, state);
		if (is_write && p6_ifu_store_snoop(m, l))
			*smc = true;
		remember(m, c, set, lin, is_write, fast);
		return true;
	}
	cache_touch(c, set, (unsigned)way);
	state = cache_state_of(c, set, (unsigned)way);
	if (is_write && state != CACHE_M) {
		/* making room in L2 leaves a clean copy alone, so the line stays here */
		if (state == CACHE_S)
			p6_l2_request(m, l, P6_REQ_UPGRADE);
		cache_set_state(c, set, (unsigned)way, CACHE_M);
		if (p6_ifu_store_snoop(m, l))
			*smc = true;
	}
	if (!fast)
		cache_turn(c, set, (unsigned)way, p6_next(m, is_write ? P6_MOVE_DCU_WRITE : P6_MOVE_DCU_READ, state));
	if (is_write)
		state = CACHE_M;
	remember(m, c, set, lin, state == CACHE_M, fast);
	return false;
}

bool p6_dcu_line(struct p6 *m, uint64_t lin, bool is_write, bool *smc)
{
	if (m->is_fast_shape && !m->is_plain)
		return access_line(m, lin, is_write, smc, true);
	return access_line(m, lin, is_write, smc, false);
}

static INLINE bool ref_in_line(struct p6 *m, uint64_t lin, enum p6_access access, const bool fast)
{
	bool smc = false;

	m->ref_missed_l2 = false;
	if (access_line(m, lin, access == P6_WRITE || access == P6_LOCKED, &smc, fast)) {
		P6_RAISE(m, DCU_MISS_REF_LD, access != P6_WRITE);
		P6_RAISE(m, DCU_MISS_REF_ST, access == P6_WRITE);
		P6_RAISE(m, L2_MISS_REF, m->ref_missed_l2);
	}
	if (access == P6_READ_WRITE)
		access_line(m, lin, true, &smc, fast);
	return smc;
}

bool p6_dcu_ref_in_line(struct p6 *m, uint64_t lin, enum p6_access access)
{
	return ref_in_line(m, lin, access, false);
}

static __attribute__((noinline)) bool ref_usual_in_full(struct p6 *m, uint64_t lin,
							enum p6_access access)
{
	return ref_in_line(m, lin, access, true);
}

static __attribute__((noinline)) void read_miss_in_full(struct p6 *m, uint64_t lin, struct cache_line l)
{
	const struct cache c =
	    cache_of_shape(&m->dcu.cache, P6_FAST_WAYS, P6_FAST_SET_LOG2, P6_FAST_LINE_LOG2);

	P6_RAISE(m, DCU_MISS_REF_LD, 1);
	m->ref_missed_l2 = false;
	if (m->wc.n)
		flush_line(m, lin >> P6_FAST_LINE_LOG2);
	fill(m, &c, l.in_page, l.page, p6_l2_request(m, l, P6_REQ_LD));
	P6_RAISE(m, L2_MISS_REF, m->ref_missed_l2);
	remember(m, &c, l.in_page, lin, false, true);
}

/* The line in `way` of L1D's set makes room for another. When it is modified, L2 must have it, and *out is its copy there; else
 * out->hit is 0. Returns false when room is not to be made in the usual way. Changes nothing. */
static INLINE bool may_make_room(const struct p6 *m, const struct cache *c, uint32_t set, unsigned way, struct p6_cast_out *out)
{
	const struct cache_meta *meta = cache_meta(c, set);

	out->hit = 0;
	if (__builtin_expect(meta->n_empty || m->wc.n || !m->is_served, 0))
		return false;
	if (!(meta->m >> way & 1))
		return true;
	if (!m->is_fast_miss)
		return false;
	*out = p6_l2_copy_of(m, cache_tags(c, set)[way], set);
	return out->hit;
}

/* Page `page` gets `way` of set, in state M, S or (neither) E. out: from may_make_room(). */
static INLINE void put_in(struct p6 *m, const struct cache *c, uint32_t set, unsigned way, uint32_t page, bool is_m, bool is_s,
			  struct p6_cast_out out)
{
	struct cache_meta *meta = cache_meta(c, set);
	const unsigned bit = 1u << way;

	if (out.hit) {
		p6_l2_make_m(out);
		m->n_cast_out++;
	}
	cache_tags(c, set)[way] = page;
	meta->m = (uint16_t)((meta->m & ~bit) | (is_m ? bit : 0));
	meta->s = (uint16_t)((meta->s & ~bit) | (is_s ? bit : 0));
	meta->order = repl_touch_four(meta->order, bit);
}

/* A read of l that L1D does not have, of lin. Usually L2 has it, or, with p6.is_fast_miss, p6_l2_take() does it; and L2 has the line that goes
 * when that is modified: done. Else false, and nothing is. */
static INLINE bool serve_read(struct p6 *m, uint64_t lin, struct cache_line l)
{
	const struct cache c =
	    cache_of_shape(&m->dcu.cache, P6_FAST_WAYS, P6_FAST_SET_LOG2, P6_FAST_LINE_LOG2);
	const unsigned way = repl_victim_four(cache_meta(&c, l.in_page)->order);
	struct p6_cast_out out;
	int found;

	if (!may_make_room(m, &c, l.in_page, way, &out))
		return false;
	found = p6_l2_serve(m, l, P6_SERVED_READ);
	/* what L2 puts out then is not the line that goes from L1D, which is modified there */
	if (found < 0 && (!m->is_fast_miss || !p6_l2_take(m, l, P6_ABSENT_READ)))
		return false;
	put_in(m, &c, l.in_page, way, l.page, false, found == P6_L2_S, out);
	remember(m, &c, l.in_page, lin, false, true);
	return true;
}

static INLINE bool has_code(const struct p6 *m, struct cache_line l)
{
	const struct cache c = cache_of_shape(&m->ifu.cache, P6_FAST_WAYS, P6_FAST_SET_LOG2, P6_FAST_LINE_LOG2);

	return cache_hit_of_four((const uint8_t *)cache_tags(&c, l.in_page), l.page);
}

/* A store to l that L1D does not have, of lin: done when L2 has the line in state E or M, or p6_l2_take() does it; L2 has the line that
 * goes when that is modified; and L1I has nothing of l. Else false, and nothing is. */
static INLINE bool serve_store(struct p6 *m, uint64_t lin, struct cache_line l)
{
	const struct cache c =
	    cache_of_shape(&m->dcu.cache, P6_FAST_WAYS, P6_FAST_SET_LOG2, P6_FAST_LINE_LOG2);
	const unsigned way = repl_victim_four(cache_meta(&c, l.in_page)->order);
	struct p6_cast_out out, to;

	if (!m->is_fast_miss || has_code(m, l) || !may_make_room(m, &c, l.in_page, way, &out))
		return false;
	to = p6_l2_copy_of(m, l.page, l.in_page);
	if (to.set->meta.s & to.hit || (!to.hit && !p6_l2_take(m, l, P6_ABSENT_STORE)))
		return false;
	if (to.hit) {
		m->served[P6_SERVED_STORE][to.set->meta.m & to.hit ? P6_L2_M : P6_L2_E]++;
		p6_l2_make_m(to);
	}
	put_in(m, &c, l.in_page, way, l.page, true, false, out);
	remember(m, &c, l.in_page, lin, true, true);
	return true;
}

void p6_dcu_read_miss_fast(struct p6 *m, uint64_t any_lin, struct p6_frame page)
{
	const uint64_t lin = any_lin & P6_LIN_MASK;
	const struct cache_line l = line_of(page, lin, P6_FAST_LINE_LOG2);

	if (__builtin_expect(!serve_read(m, lin, l), 0))
		read_miss_in_full(m, lin, l);
}

enum p6_dcu_try p6_dcu_try_fast(struct p6 *m, uint64_t lin, struct p6_frame page, bool is_read)
{
	const struct cache c =
	    cache_of_shape(&m->dcu.cache, P6_FAST_WAYS, P6_FAST_SET_LOG2, P6_FAST_LINE_LOG2);
	const struct cache_line l = line_of(page, lin, P6_FAST_LINE_LOG2);
	struct cache_meta *const meta = cache_meta(&c, l.in_page);
	const unsigned hit = cache_hit_of_four((const uint8_t *)cache_tags(&c, l.in_page), l.page);

	if (!hit)
		return is_read && serve_read(m, lin, l) ? P6_DCU_SERVED : P6_DCU_NOT_DONE;
	if (!is_read && !(meta->m & hit))
		return P6_DCU_NOT_DONE;
	meta->order = repl_touch_four(meta->order, hit);
	remember(m, &c, l.in_page, lin, meta->m & hit, true);
	return P6_DCU_HIT;
}

/* The page of `vpn` in the fast shape, when the DTLB has it: its use noted. Returns false else, and
 * nothing is done. */
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
	way = (unsigned)(e[1].key == vpn) + 2 * (unsigned)(e[2].key == vpn) + 3 * (unsigned)(e[3].key == vpn);
	if (__builtin_expect(e[way].key != vpn, 0))
		return false;
	*page = (struct p6_frame){e[way].id, e[way].colour};
	*order = repl_touch_four(*order, 1u << way);
	p6_dtlb_note(m, set, vpn, *page);
	return true;
}

/* The page of `vpn` in the fast shape, its use noted. */
static INLINE struct p6_frame page_fast(struct p6 *m, uint64_t vpn)
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

/* A store of lin into line l, which L1D has in the way of mask hit, not in state M, or does not have (0). */
static INLINE bool first_store(struct p6 *m, uint64_t lin, struct cache_line l, unsigned hit, enum p6_access access)
{
	const struct cache c =
	    cache_of_shape(&m->dcu.cache, P6_FAST_WAYS, P6_FAST_SET_LOG2, P6_FAST_LINE_LOG2);
	struct cache_meta *const meta = cache_meta(&c, l.in_page);

	if (!hit && access == P6_READ_WRITE && serve_read(m, lin, l)) {
		hit = cache_hit_of_four((const uint8_t *)cache_tags(&c, l.in_page), l.page);
		access = P6_WRITE;
	}
	if (hit && !(meta->s & hit) && !has_code(m, l)) {
		meta->m |= (uint16_t)hit;
		meta->order = repl_touch_four(meta->order, hit);
		remember(m, &c, l.in_page, lin, true, true);
		return false;
	}
	if (!hit && access == P6_WRITE && serve_store(m, lin, l))
		return false;
	return ref_usual_in_full(m, lin, access);
}

/* A reference of lin, on `page`, that L1D has, for a store in state M: its use noted. Returns false
 * else, and nothing is done; *hit is the way that has the line, as a mask, 0 = none. */
static INLINE bool hits_line(struct p6 *m, uint64_t lin, struct p6_frame page, enum p6_access access, unsigned *hit)
{
	const struct cache c =
	    cache_of_shape(&m->dcu.cache, P6_FAST_WAYS, P6_FAST_SET_LOG2, P6_FAST_LINE_LOG2);
	const uint32_t set = (uint32_t)(lin >> P6_FAST_LINE_LOG2) & (c.n_sets - 1);
	struct cache_meta *const meta = cache_meta(&c, set);
	uint64_t *const filter = &m->fast.dcu[P6_KINDS * set];
	unsigned hit_m;

	*hit = cache_hit_of_four((const uint8_t *)cache_tags(&c, set), page.id);
	hit_m = *hit & meta->m;
	if (__builtin_expect(!(access == P6_READ ? *hit : hit_m), 0))
		return false;
	meta->order = repl_touch_four(meta->order, *hit);
	filter[P6_FAST_READ] = lin >> PAGE_LOG2;
	filter[P6_FAST_WRITE] = lin >> PAGE_LOG2 | -(uint64_t)!hit_m;
	return true;
}

bool p6_dcu_hits(struct p6 *m, uint64_t lin, enum p6_access access)
{
	struct p6_frame page;
	unsigned hit;

	return page_in_tlb(m, lin >> PAGE_LOG2, &page) && hits_line(m, lin, page, access, &hit);
}

/* Hits, and reads and stores that L2 serves, are done here; the rest in full. */
bool p6_dcu_ref_fast(struct p6 *m, uint64_t lin, enum p6_access access)
{
	const struct p6_frame page = page_fast(m, lin >> PAGE_LOG2);
	unsigned hit;

	if (hits_line(m, lin, page, access, &hit))
		return false;
	if (access != P6_READ)
		return first_store(m, lin, line_of(page, lin, P6_FAST_LINE_LOG2), hit, access);
	p6_dcu_read_miss_fast(m, lin, page);
	return false;
}

struct p6_frame p6_dcu_page_fast(struct p6 *m, uint64_t vpn)
{
	return page_fast(m, vpn);
}

void p6_dcu_count_pieces(struct p6 *m, uint64_t lin, unsigned bytes)
{
	const uint64_t line_mask = (1u << m->line_log2) - 1;

	if (!(lin & 7) && bytes <= 8)
		return;
	while (bytes) {
		unsigned n = bytes < 8 ? bytes : 8;

		if ((lin & 7) + n > 8) {
			bool is_cut = (lin & line_mask) + n > line_mask + 1;

			P6_RAISE(m, DCU_MISALIGN, 1u + is_cut);
			P6_RAISE(m, DCU_REF, is_cut);
		}
		lin += n;
		bytes -= n;
	}
}

/* All lines of an access, read or written. Returns true when one was missing. */
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
	bool smc = false, is_miss;

	m->ref_missed_l2 = false;
	is_miss = touch_lines(m, lin, bytes, is_locked || !(flags & X86_REF_READ), &smc);
	if (is_miss) {
		if (flags & X86_REF_READ)
			P6_RAISE(m, DCU_MISS_REF_LD, 1);
		else
			P6_RAISE(m, DCU_MISS_REF_ST, 1);
		if (m->ref_missed_l2)
			P6_RAISE(m, L2_MISS_REF, 1);
	}
	if ((flags & X86_REF_READ) && (flags & X86_REF_WRITE))
		touch_lines(m, lin, bytes, true, &smc);
	return smc;
}

bool p6_dcu_ref(struct p6 *m, uint64_t lin, unsigned bytes, unsigned flags, bool is_locked)
{
	if (!bytes)
		return false;
	if (m->uncached.n && p6_ranges_have(m, &m->uncached, lin)) {
		p6_uncached_ref(m, lin, bytes, flags);
		return false;
	}
	if (lin & 7 || bytes > 8) {
		p6_dcu_count_pieces(m, lin, bytes);
		if ((flags & X86_REF_READ) && (flags & X86_REF_WRITE))
			p6_dcu_count_pieces(m, lin, bytes);
		if (is_locked && flags & X86_REF_READ && lin >> m->line_log2 != (lin + bytes - 1) >> m->line_log2)
			return p6_bus_locked_ref(m, lin, bytes);
	}
	return p6_dcu_ref_lines(m, lin, bytes, flags, is_locked);
}
