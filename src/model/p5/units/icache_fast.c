/* icache_fast.c -- unit icache: the code lines that host code asks for, as icache.c does them, for the usual shapes.
 *
 * COUNTING RULES   as icache.c, whose look_up() does the same for every shape; tests compare counts with and without
 *                  host code.
 * MODELLED         caches and boards as in fast.h, one processor, all memory cacheable.
 * NOT MODELLED     all others: icache.c does them.
 */
#include "model/p5/units/fast.h"

unsigned p5_icache_fast_ways(const struct p5 *m)
{
	const unsigned ways = p5_fast_ways(&m->icache.cache);

	return m->icache.has_filter && m->icache.mark_words == 1 && p5_dcache_fast_ways(m) == ways ? ways : 0;
}

/* The line comes in, to the way that goes next. Returns what was seen; *way receives which one. */
static inline unsigned see_miss(struct p5 *m, uint64_t want, struct p5_frame page, uint32_t set, unsigned *out, const unsigned ways)
{
	struct p5_icache *i = &m->icache;
	struct cache_set_of_four *s = p5_fast_set(&i->cache, set);
	const unsigned way = __builtin_expect(s->meta.n_empty, 0) ? cache_choose(&i->cache, set)
								  : p5_fast_victim(s->meta.order, ways);
	unsigned seen = P5_SEEN_MISS;

	P5_SEE(m, ICACHE_MISS, 1);
	if (p5_fast_hit(p5_fast_set(&m->dcache.cache, set), page.id, ways))
		seen |= p5_dcache_snoop_code(m, page, want);
	seen |= p5_seen_of_bus(p5_fast_fill(m, page, set));
	if (s->tag[way] != CACHE_EMPTY)
		i->n_of[s->tag[way] & (P5_ICACHE_FRAMES - 1)]--;
	i->n_of[page.id & (P5_ICACHE_FRAMES - 1)]++;
	s->meta.n_empty -= s->tag[way] == CACHE_EMPTY;
	s->tag[way] = page.id;
	s->meta.s |= (uint16_t)(1u << way);
	s->meta.order = p5_fast_order(s->meta.order, 1u << way, ways);
	i->marks[set * ways + way] = 0;
	i->changes++;
	*out = way;
	return seen;
}

static inline __attribute__((always_inline)) unsigned see(struct p5 *m, uint64_t unit, uint64_t want, const unsigned ways)
{
	struct p5_icache *i = &m->icache;
	const uint64_t line = unit >> P5_LINE_LOG2;
	const uint32_t set = (uint32_t)line & P5_SET_MASK;
	struct cache_set_of_four *s = p5_fast_set(&i->cache, set);
	unsigned seen = 0, hit, way;
	const struct p5_frame page = p5_itlb_translate(m, unit >> PAGE_LOG2, &seen);

	if (i->filter[set] == line)
		return seen | P5_SEEN_HIT;
	hit = p5_fast_hit(s, page.id, ways);
	if (hit) {
		way = (unsigned)__builtin_ctz(hit);
		s->meta.order = p5_fast_order(s->meta.order, hit, ways);
		seen |= P5_SEEN_HIT;
	} else {
		seen |= see_miss(m, want, page, set, &way, ways);
	}
	i->line_of[set * ways + way] = line;
	i->filter[set] = line;
	return seen;
}

unsigned p5_icache_see_two(struct p5 *m, uint64_t unit, uint64_t want)
{
	return see(m, unit, want, 2);
}

unsigned p5_icache_see_four(struct p5 *m, uint64_t unit, uint64_t want)
{
	return see(m, unit, want, 4);
}
