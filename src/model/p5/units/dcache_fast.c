/* dcache_fast.c -- unit dcache: the usual access of host code, as dcache.c does it, for the usual shapes.
 *
 * COUNTING RULES   as dcache.c, whose see_access() does the same for every shape; tests compare counts with and without
 *                  host code.
 * MODELLED         128 sets of two or four ways under the tree rule, lines of 32 bytes, one processor, all memory cacheable,
 *                  a cache of the board with ways of a page or more.
 * NOT MODELLED     locked accesses, those of MMX instructions and those that are cut: dcache.c does them.
 */
#include "model/p5/units/memory.h"
#include "model/p5/units/fast.h"

unsigned p5_dcache_fast_ways(const struct p5 *m)
{
	const bool is_fast = m->dcache.has_filter && m->time.is_on && !m->is_plain && !m->has_peers && !m->n_uncached;

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
static inline unsigned see_read_miss(struct p5 *m, uint64_t lin, struct p5_frame page, struct cache_set_of_four *s,
				     const unsigned ways)
{
	struct p5_dcache *d = &m->dcache;
	const uint32_t in_page = (uint32_t)(lin >> P5_LINE_LOG2) & P5_SET_MASK;
	const unsigned way = __builtin_expect(s->meta.n_empty, 0) ? cache_choose(&d->cache, in_page) : p5_fast_victim(s->meta.order, ways);
	const unsigned is_back = s->meta.m >> way & 1;
	unsigned seen;

	P5_SEE(m, DCACHE_READ_MISS, 1);
	P5_SEE(m, DCACHE_WRITE_BACK, is_back);
	s->meta.n_empty -= s->tag[way] == CACHE_EMPTY;
	s->tag[way] = page.id;
	s->meta.m &= (uint16_t)~(1u << way);
	s->meta.s &= (uint16_t)~(1u << way);
	s->meta.order = p5_fast_order(s->meta.order, 1u << way, ways);
	d->read_filter[in_page] = lin >> PAGE_LOG2;
	d->write_filter[in_page] = P5_NO_KEY;
	seen = P5_SEEN_MISS | p5_seen_of_bus(p5_fast_fill(m, page, in_page)) | (is_back ? P5_SEEN_BACK : 0u);
	p5_icache_snoop(m, page, lin);
	d->filled_set = in_page;
	d->filled_tag = page.id;
	d->filled_line = lin >> P5_LINE_LOG2;
	d->filled_first = (uint8_t)(lin >> 3 & 3);
	return seen;
}

static inline __attribute__((always_inline)) unsigned see(struct p5 *m, uint64_t lin, bool is_write, bool asks_fill,
							  const unsigned ways)
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
		return walk | see_read_miss(m, lin, page, s, ways);
	if (!hit) {
		P5_SEE(m, DCACHE_WRITE_MISS, 1);
		p5_icache_snoop(m, page, lin);
		return walk | P5_SEEN_MISS; /* the board takes the write */
	}
	s->meta.order = p5_fast_order(s->meta.order, hit, ways);
	s->meta.m |= (uint16_t)(is_write ? hit : 0);
	d->read_filter[set] = lin >> PAGE_LOG2;
	d->write_filter[set] = s->meta.m & hit ? lin >> PAGE_LOG2 : P5_NO_KEY;
	if (!asks_fill || d->filled_set != set || d->filled_tag != page.id)
		return walk | P5_SEEN_HIT;
	return walk | P5_SEEN_FILLING | (unsigned)((lin >> 3 ^ d->filled_first) & 3) << P5_SEEN_CHUNK_SHIFT;
}

unsigned p5_dcache_see_two(struct p5 *m, uint64_t lin, bool is_write, bool asks_fill)
{
	return see(m, lin, is_write, asks_fill, 2);
}

unsigned p5_dcache_see_four(struct p5 *m, uint64_t lin, bool is_write, bool asks_fill)
{
	return see(m, lin, is_write, asks_fill, 4);
}
