/* dcache.c -- unit dcache: data references through L1D.
 *
 * COUNTING RULES   an operand is one access per 8 bytes of it (an m80 operand: 8 and 2); an access
 *                  of 2 or 4 bytes over a 4-byte boundary, or of 8 over an 8-byte boundary, is cut:
 *                  it is two accesses (00H, 01H) and one misaligned reference (0BH). A
 *                  read-modify-write is reads, then writes, each tested. 03H and 04H count
 *                  accesses, so a write to a line that is absent, and any access to memory that is
 *                  not cacheable, counts every time. 1AH: core clocks that a read waits: for its
 *                  page, for its line, behind another fill, and because it is cut. A write that
 *                  finds its line S is neither a hit (05H) nor a miss (04H).
 * MODELLED         write-back, MESI, no allocation on a write miss: the write goes to the bus and
 *                  changes nothing here. A read miss fills a line E; a write to a line that was
 *                  shared goes to the bus and makes it E. Pseudo-LRU (which is exact LRU with two
 *                  ways), empty ways first. A locked read takes the line out, modified data is
 *                  written back first (06H), and so the write behind it misses (chosen; a locked
 *                  read that finds its line is no 03H). Time: one line is filled at once
 * (dcache_time.c). Errata (--errata): a cut access that misses counts twice in 03H or 04H; a cut
 *                  read that is no miss waits 2 clocks in 1AH; 0BH counts a store of an x87
 *                  register that is cut twice. A code fetch that misses L1I takes the line out,
 *                  written back when it is modified (06H), and a miss here takes it out of L1I:
 *                  only while clocks are counted, because it takes prediction to know what is
 *                  fetched.
 * FAST FORM        what host code asks for, for the usual shapes: caches and boards as in fast.h,
 *                  one processor, all memory cacheable; neither locked accesses, nor those of MMX
 *                  instructions, nor those that are cut. It does what see_access() does, and counts
 *                  by the same functions; tests compare counts with and without host code.
 * NOT MODELLED     without clocks, that a code fetch takes a line out.
 * SOURCES          Intel 241428 (1997) 2.5 and 16.4.6; choices in docs/MODELS.md "p5 dcache".
 */
#include "model/p5/units/fast.h"
#include "model/p5/units/memory.h"

#define PAGE_MASK ((1u << PAGE_LOG2) - 1)

static inline int find(const struct p5 *m, uint32_t set, uint32_t tag)
{
	const struct cache *c = &m->dcache.cache;

	return m->is_plain ? cache_find_plain(c, set, tag) : cache_find(c, set, tag);
}

/* The line of `lin` is the one of `set` that was used last. */
static inline void remember(struct p5 *m, uint32_t set, uint64_t lin, bool is_m)
{
	const uint64_t key = lin >> cache_way_log2(&m->dcache.cache);

	if (!m->dcache.has_filter || m->is_plain)
		return;
	m->dcache.read_filter[set] = key;
	m->dcache.write_filter[set] = is_m ? key : P5_NO_KEY;
}

void p5_dcache_forget(struct p5 *m, uint32_t set)
{
	if (!m->dcache.has_filter)
		return;
	m->dcache.read_filter[set] = P5_NO_KEY;
	m->dcache.write_filter[set] = P5_NO_KEY;
}

/* ---- what is counted: each fact once --------------------------------------------------------- */

/* A read of a cacheable line that is missing; is_back: a modified line makes room for it. */
static inline void count_read_miss(struct p5 *m, bool is_back, bool is_mmx)
{
	P5_SEE(m, DCACHE_READ_MISS, 1);
	P5_SEE(m, MMX_READ_MISS, is_mmx);
	P5_SEE(m, DCACHE_WRITE_BACK, is_back);
}

/* A write to one that is missing. */
static inline void count_write_miss(struct p5 *m, bool is_mmx)
{
	P5_SEE(m, DCACHE_WRITE_MISS, 1);
	P5_SEE(m, MMX_WRITE_MISS, is_mmx);
}

/* ---- the structures -------------------------------------------------------------------------- */

static unsigned chunk_of(const struct p5 *m, uint64_t lin)
{
	return (unsigned)(lin >> 3) & ((1u << m->dcache.cache.line_log2) / 8 - 1);
}

/* An access finds its line. */
static unsigned see_hit(const struct p5 *m, uint64_t lin, uint32_t set, uint32_t tag,
			bool asks_fill)
{
	const struct p5_dcache *d = &m->dcache;

	if (!asks_fill || d->filled_set != set || d->filled_tag != tag)
		return P5_SEEN_HIT;
	return P5_SEEN_FILLING | ((chunk_of(m, lin) ^ d->filled_first) & 3) << P5_SEEN_CHUNK_SHIFT;
}

/* A bus cycle of the access, when somebody must know. */
static unsigned see_bus(struct p5 *m, enum p5_bus_kind kind, struct p5_frame page, uint64_t lin)
{
	return m->has_bus ? p5_seen_of_bus(p5_bus_see(m, kind, page, (uint32_t)lin & PAGE_MASK))
			  : 0;
}

/* In time: a modified line leaves. Its page's colour is known to whoever gave it its frame. */
static unsigned see_write_back(struct p5 *m, uint32_t set, uint32_t tag)
{
	const struct cache *c = &m->dcache.cache;
	const uint32_t page = cache_page_of(c, tag);

	const unsigned bus =
	    p5_bus_see(m, P5_BUS_WRITE_LINE, (struct p5_frame){page, m->pages->colour[page]},
		       cache_in_page_of(c, set, tag) << c->line_log2);

	return P5_SEEN_BACK | (p5_seen_of_bus(bus) & P5_SEEN_GRANTED);
}

/* A read brings its line in. */
static unsigned see_read_miss(struct p5 *m, uint64_t lin, struct p5_frame page, uint32_t set,
			      uint32_t tag, bool is_mmx)
{
	struct p5_dcache *d = &m->dcache;
	const struct cache *c = &d->cache;
	const unsigned way = cache_choose(c, set);
	const bool is_back = cache_meta(c, set)->m >> way & 1;
	const uint32_t victim = cache_tags(c, set)[way];
	unsigned seen = P5_SEEN_MISS, bus;

	count_read_miss(m, is_back, is_mmx);
	cache_place(c, set, way, tag, CACHE_E);
	remember(m, set, lin, false);
	if (!m->has_bus)
		return seen;
	bus = p5_bus_see(m, P5_BUS_FILL, page, (uint32_t)lin & PAGE_MASK);
	seen |= p5_seen_of_bus(bus);
	if (bus & P5_BUS_IS_SHARED)
		cache_set_state(c, set, way, CACHE_S);
	if (!m->time.is_on)
		return seen;
	p5_icache_snoop(m, page, lin);
	d->filled_set = set;
	d->filled_tag = tag;
	d->filled_line = lin >> c->line_log2;
	d->filled_first = (uint8_t)chunk_of(m, lin);
	return is_back ? seen | see_write_back(m, set, victim) : seen;
}

static inline unsigned see_read(struct p5 *m, uint64_t lin, struct p5_frame page, uint32_t set,
				uint32_t tag, int way, const struct p5_operand *op, bool asks_fill)
{
	const struct cache *c = &m->dcache.cache;

	if (way < 0)
		return see_read_miss(m, lin, page, set, tag, op->is_mmx);
	cache_touch(c, set, (unsigned)way);
	remember(m, set, lin, cache_state_of(c, set, (unsigned)way) == CACHE_M);
	return see_hit(m, lin, set, tag, asks_fill);
}

static inline unsigned see_write(struct p5 *m, uint64_t lin, struct p5_frame page, uint32_t set,
				 uint32_t tag, int way, const struct p5_operand *op, bool asks_fill)
{
	const struct cache *c = &m->dcache.cache;

	if (way < 0) {
		count_write_miss(m, op->is_mmx);
		if (m->time.is_on)
			p5_icache_snoop(m, page, lin);
		return P5_SEEN_MISS | see_bus(m, P5_BUS_WRITE, page, lin);
	}
	cache_touch(c, set, (unsigned)way);
	if (cache_state_of(c, set, (unsigned)way) == CACHE_S) { /* the bus hears of it, once */
		m->dcache.n_write_shared++;
		cache_set_state(c, set, (unsigned)way, CACHE_E);
		remember(m, set, lin, false);
		return P5_SEEN_SHARED | see_bus(m, P5_BUS_WRITE, page, lin);
	}
	cache_set_state(c, set, (unsigned)way, CACHE_M);
	remember(m, set, lin, true);
	return see_hit(m, lin, set, tag, asks_fill);
}

/* A locked read: served by the bus, the copy goes. */
static unsigned see_locked_read(struct p5 *m, uint64_t lin, struct p5_frame page, uint32_t set,
				uint32_t tag, int way)
{
	const struct cache *c = &m->dcache.cache;
	unsigned seen = P5_SEEN_LOCKED;
	bool is_back;

	if (way < 0) {
		P5_SEE(m, DCACHE_READ_MISS, 1);
	} else {
		is_back = cache_state_of(c, set, (unsigned)way) == CACHE_M;
		P5_SEE(m, DCACHE_WRITE_BACK, is_back);
		cache_drop(c, set, (unsigned)way);
		p5_dcache_forget(m, set);
		if (m->time.is_on && is_back)
			seen |= see_write_back(m, set, tag);
	}
	return seen | see_bus(m, P5_BUS_READ, page, lin);
}

bool p5_dcache_is_uncached(const struct p5 *m, uint64_t lin)
{
	const uint64_t line = lin >> m->dcache.cache.line_log2;

	for (unsigned i = 0; i < m->dcache.n_uncached; i++)
		if (line >= m->dcache.uncached[i].from && line <= m->dcache.uncached[i].to)
			return true;
	return false;
}

unsigned p5_dcache_snoop_code(struct p5 *m, struct p5_frame page, uint64_t lin)
{
	const struct cache *c = &m->dcache.cache;
	const struct cache_line l = {page.id, page.colour,
				     (uint32_t)(lin & PAGE_MASK) >> c->line_log2};
	const uint32_t set = cache_set_of(c, l), tag = cache_tag_of(c, l);
	const int way = find(m, set, tag);
	bool is_back;

	if (way < 0)
		return 0;
	is_back = cache_state_of(c, set, (unsigned)way) == CACHE_M;
	P5_SEE(m, DCACHE_WRITE_BACK, is_back);
	cache_drop(c, set, (unsigned)way);
	p5_dcache_forget(m, set);
	return is_back ? see_write_back(m, set, tag) : 0;
}

/* Memory that is not cacheable: nothing is there, nothing comes in. */
static unsigned see_uncached(struct p5 *m, uint64_t lin, struct p5_frame page, bool is_write,
			     bool is_mmx)
{
	const enum p5_bus_kind kind = is_write ? P5_BUS_WRITE_UC : P5_BUS_READ_UC;

	P5_SEE(m, DCACHE_WRITE_MISS, is_write);
	P5_SEE(m, MMX_WRITE_MISS, is_write && is_mmx);
	P5_SEE(m, BUS_UNCACHED_WRITE, is_write);
	P5_SEE(m, DCACHE_READ_MISS, !is_write);
	P5_SEE(m, MMX_READ_MISS, !is_write && is_mmx);
	return P5_SEEN_UNCACHED | see_bus(m, kind, page, lin);
}

/* One access, which lies in one line. */
static inline unsigned see_access(struct p5 *m, uint64_t lin, const struct p5_operand *op,
				  bool is_write, bool asks_fill)
{
	const struct cache *c = &m->dcache.cache;
	unsigned walk = 0;
	const struct p5_frame page = p5_translate(m, lin >> PAGE_LOG2, &walk);
	const struct cache_line l = {page.id, page.colour,
				     (uint32_t)(lin & PAGE_MASK) >> c->line_log2};
	const uint32_t set = cache_set_of(c, l), tag = cache_tag_of(c, l);
	int way;

	if (m->dcache.n_uncached && p5_dcache_is_uncached(m, lin))
		return walk | see_uncached(m, lin, page, is_write, op->is_mmx);
	way = find(m, set, tag);
	if (is_write)
		return walk | see_write(m, lin, page, set, tag, way, op, asks_fill);
	if (op->is_locked)
		return walk | see_locked_read(m, lin, page, set, tag, way);
	return walk | see_read(m, lin, page, set, tag, way, op, asks_fill);
}

unsigned p5_dcache_see(struct p5 *m, uint64_t lin, const struct p5_operand *op,
		       const struct p5_look *k)
{
	const uint64_t at = lin + 8u * k->part;
	const unsigned left = op->bytes - 8u * k->part, n = left < 8 ? left : 8,
		       container = n <= 4 ? 4 : 8;
	const unsigned first = container - (unsigned)(at & (container - 1));

	if (!k->is_second_half)
		return see_access(m, at & P5_LIN_MASK, op, k->is_write, k->asks_fill) |
		       (first < n ? P5_SEEN_CUT : 0);
	P5_SEE(m, DCACHE_MISALIGNED, 1u + (m->has_errata && op->is_fst));
	P5_SEE(m, MMX_MISALIGNED, op->is_mmx);
	P5_SEE(m, DCACHE_READ, !k->is_write);
	P5_SEE(m, DCACHE_WRITE, k->is_write);
	P5_SEE(m, MMX_READ, !k->is_write && op->is_mmx);
	P5_SEE(m, MMX_WRITE, k->is_write && op->is_mmx);
	return see_access(m, (at + first) & P5_LIN_MASK, op, k->is_write, k->asks_fill);
}

unsigned p5_dcache_see_in_line(struct p5 *m, uint64_t lin, const struct p5_operand *op,
			       const struct p5_look *k)
{
	return see_access(m, lin, op, k->is_write, k->asks_fill);
}

/* ---- the fast shape: the usual access of host code ----------------------------------------------
 */

unsigned p5_dcache_fast_ways(const struct p5 *m)
{
	const bool is_fast = m->dcache.has_filter && m->time.is_on && !m->is_plain &&
			     !m->has_peers && !m->dcache.n_uncached;

	return is_fast && p5_fast_board(m) ? p5_fast_ways(&m->dcache.cache) : 0;
}

/* The page of an access, when its use needs no note. */
static inline bool is_page_known(struct p5 *m, uint64_t vpn, struct p5_frame *page)
{
	const struct page *e;

	if (!m->dtlb.is_full) {
		*page = m->dtlb.last[vpn & m->dtlb.set_mask];
		return m->dtlb.filter[vpn & m->dtlb.set_mask] == vpn;
	}
	e = fulltlb_find_again(&m->dtlb.full, vpn);
	if (e)
		*page = (struct p5_frame){e->id, e->colour};
	return e;
}

/* The line of a read is missing. */
static inline unsigned see_read_miss_fast(struct p5 *m, uint64_t lin, struct p5_frame page,
					  struct cache_set_of_four *s, const unsigned ways)
{
	struct p5_dcache *d = &m->dcache;
	const uint32_t in_page = (uint32_t)(lin >> P5_LINE_LOG2) & P5_SET_MASK;
	const unsigned way = __builtin_expect(s->meta.n_empty, 0)
				 ? cache_choose(&d->cache, in_page)
				 : p5_fast_victim(s->meta.order, ways);
	const unsigned is_back = s->meta.m >> way & 1;
	unsigned seen;

	count_read_miss(m, is_back, false);
	s->meta.n_empty -= s->tag[way] == CACHE_EMPTY;
	s->tag[way] = page.id;
	s->meta.m &= (uint16_t) ~(1u << way);
	s->meta.s &= (uint16_t) ~(1u << way);
	s->meta.order = p5_fast_order(s->meta.order, 1u << way, ways);
	d->read_filter[in_page] = lin >> PAGE_LOG2;
	d->write_filter[in_page] = P5_NO_KEY;
	seen = P5_SEEN_MISS | p5_seen_of_bus(p5_fast_fill(m, page, in_page)) |
	       (is_back ? P5_SEEN_BACK : 0u);
	p5_icache_snoop(m, page, lin);
	d->filled_set = in_page;
	d->filled_tag = page.id;
	d->filled_line = lin >> P5_LINE_LOG2;
	d->filled_first = (uint8_t)(lin >> 3 & 3);
	return seen;
}

static inline __attribute__((always_inline)) unsigned
see_fast(struct p5 *m, uint64_t lin, bool is_write, bool asks_fill, const unsigned ways)
{
	struct p5_dcache *d = &m->dcache;
	const uint32_t set = (uint32_t)(lin >> P5_LINE_LOG2) & P5_SET_MASK;
	struct cache_set_of_four *s = (struct cache_set_of_four *)(void *)d->cache.sets + set;
	unsigned walk = 0, hit;
	struct p5_frame page;

	if (__builtin_expect(!is_page_known(m, lin >> PAGE_LOG2, &page), 0))
		page = p5_dtlb_look_up(m, lin >> PAGE_LOG2, &walk);
	hit = p5_fast_hit(s, page.id, ways);
	if (!hit && !is_write)
		return walk | see_read_miss_fast(m, lin, page, s, ways);
	if (!hit) {
		count_write_miss(m, false);
		p5_icache_snoop(m, page, lin);
		return walk | P5_SEEN_MISS; /* the board takes the write */
	}
	s->meta.order = p5_fast_order(s->meta.order, hit, ways);
	s->meta.m |= (uint16_t)(is_write ? hit : 0);
	d->read_filter[set] = lin >> PAGE_LOG2;
	d->write_filter[set] = s->meta.m & hit ? lin >> PAGE_LOG2 : P5_NO_KEY;
	if (!asks_fill || d->filled_set != set || d->filled_tag != page.id)
		return walk | P5_SEEN_HIT;
	return walk | P5_SEEN_FILLING |
	       (unsigned)((lin >> 3 ^ d->filled_first) & 3) << P5_SEEN_CHUNK_SHIFT;
}

unsigned p5_dcache_see_two(struct p5 *m, uint64_t lin, bool is_write, bool asks_fill)
{
	return see_fast(m, lin, is_write, asks_fill, 2);
}

unsigned p5_dcache_see_four(struct p5 *m, uint64_t lin, bool is_write, bool asks_fill)
{
	return see_fast(m, lin, is_write, asks_fill, 4);
}

/* ---- without clocks -------------------------------------------------------------------------- */

/* Behind the first part the others find the line where it is, or absent again, so they need no
 * look. With several processors that is not so, and every part is looked at. */
void p5_dcache_ref_in_line(struct p5 *m, uint64_t lin, const struct p5_operand *op)
{
	unsigned seen;

	if (m->has_peers &&
	    op->bytes >
		8) { /* the first part may make a shared line exclusive, the second modified */
		p5_dcache_ref(m, lin, op);
		return;
	}
	if (op->access & P5_READ)
		see_access(m, lin, op, false, false);
	if (!(op->access & P5_WRITE))
		return;
	seen = see_access(m, lin, op, true, false);
	if (op->bytes > 8 && (seen & P5_SEEN_KIND) == P5_SEEN_MISS) {
		P5_SEE(m, DCACHE_WRITE_MISS, p5_parts(op->bytes) - 1);
		P5_SEE(m, MMX_WRITE_MISS, op->is_mmx ? p5_parts(op->bytes) - 1 : 0);
	}
}

void p5_dcache_count_parts(struct p5 *m, const struct p5_operand *op, uint64_t times)
{
	const uint64_t n = p5_parts(op->bytes) * times;

	P5_RAISE(m, DCACHE_READ, op->access & P5_READ ? n : 0);
	P5_RAISE(m, DCACHE_WRITE, op->access & P5_WRITE ? n : 0);
	P5_RAISE(m, MMX_READ, op->access & P5_READ && op->is_mmx ? n : 0);
	P5_RAISE(m, MMX_WRITE, op->access & P5_WRITE && op->is_mmx ? n : 0);
}
