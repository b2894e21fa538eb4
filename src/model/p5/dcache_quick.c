/* dcache_quick.c -- unit dcache: the usual access of host code, as dcache.c does it, for the usual shapes.
 *
 * COUNTING RULES   as dcache.c, whose see_access() does the same for every shape; tests compare counts with and without
 *                  host code.
 * MODELLED         two or four ways under the tree rule, one processor, all memory cacheable.
 * NOT MODELLED     locked accesses, those of MMX instructions and those that are cut: dcache.c does them.
 */
#include "model/p5/p5.h"

bool p5_dcache_is_simple(const struct p5 *m)
{
	const struct cache *c = &m->dcache.cache;

	return m->dcache.has_filter && m->time.is_on && !m->is_plain && !m->has_peers && !m->n_uncached && m->board->l2.tag &&
	       !c->repl.is_lru && (c->ways == 2 || c->ways == 4) && c->stride_bytes == sizeof(struct cache_set_of_four);
}

/* One bit for the way that has the tag; 0: none. */
static inline unsigned hit_of(const struct cache *c, const struct cache_set_of_four *s, uint32_t tag)
{
	if (c->ways == 2)
		return s->tag[0] == tag ? 1 : s->tag[1] == tag ? 2 : 0;
	return cache_hit_of_four((const uint8_t *)s, tag);
}

/* The line that is used last in its set now. */
static inline void remember(struct p5_dcache *d, uint32_t set, uint64_t lin, bool is_m)
{
	const uint64_t key = lin >> cache_way_log2(&d->cache);

	d->read_filter[set] = key;
	d->write_filter[set] = is_m ? key : P5_NO_KEY;
}

static inline unsigned chunk_of(const struct p5_dcache *d, uint64_t lin)
{
	return (unsigned)(lin >> 3) & ((1u << d->cache.line_log2) / 8 - 1);
}

/* A line comes in for a read. */
static unsigned see_fill(struct p5 *m, uint64_t lin, struct p5_frame page, uint32_t set, uint32_t tag)
{
	struct p5_dcache *d = &m->dcache;
	const struct cache *c = &d->cache;
	const unsigned way = cache_choose(c, set), is_back = cache_meta(c, set)->m >> way & 1;
	unsigned by;

	P5_SEE(m, DCACHE_READ_MISS, 1);
	P5_SEE(m, DCACHE_WRITE_BACK, is_back);
	cache_place(c, set, way, tag, CACHE_E);
	remember(d, set, lin, false);
	by = p5_bus_see(m, P5_BUS_FILL, page, (uint32_t)lin & ((1u << PAGE_LOG2) - 1));
	p5_icache_snoop(m, page, lin);
	d->filled_set = set;
	d->filled_tag = tag;
	d->filled_line = lin >> c->line_log2;
	d->filled_first = (uint8_t)chunk_of(d, lin);
	return P5_SEEN_MISS | p5_seen_of_bus(by) | (is_back ? P5_SEEN_BACK : 0u);
}

unsigned p5_dcache_see_simple(struct p5 *m, uint64_t lin, bool is_write, bool asks_fill)
{
	struct p5_dcache *d = &m->dcache;
	const struct cache *c = &d->cache;
	unsigned walk = 0, way, hit;
	const struct p5_frame page = p5_translate(m, lin >> PAGE_LOG2, &walk);
	const uint32_t in_page = ((uint32_t)lin & ((1u << PAGE_LOG2) - 1)) >> c->line_log2;
	const uint32_t set = (uint32_t)(lin >> c->line_log2) & (c->n_sets - 1); /* which has_filter allows */
	const uint32_t tag = cache_tag_of(c, (struct cache_line){page.id, page.colour, in_page});
	struct cache_set_of_four *s = (struct cache_set_of_four *)(void *)c->sets + set;

	hit = hit_of(c, s, tag);
	if (!hit && is_write) {
		P5_SEE(m, DCACHE_WRITE_MISS, 1);
		p5_icache_snoop(m, page, lin);
		return walk | P5_SEEN_MISS; /* the board takes the write */
	}
	if (!hit)
		return walk | see_fill(m, lin, page, set, tag);
	way = (unsigned)__builtin_ctz(hit);
	s->meta.order = repl_touch(&c->repl, s->meta.order, way);
	s->meta.m |= (uint16_t)(is_write ? hit : 0);
	remember(d, set, lin, s->meta.m & hit);
	if (!asks_fill || d->filled_set != set || d->filled_tag != tag)
		return walk | P5_SEEN_HIT;
	return walk | P5_SEEN_FILLING | ((chunk_of(d, lin) ^ d->filled_first) & 3) << P5_SEEN_CHUNK_SHIFT;
}
