/* icache.c -- unit icache: code reads through L1I.
 *
 * COUNTING RULES   0CH: one per request of the prefetcher (pf.c), of a line or of its half, whether
 *                  it is executed or not. 0EH: one per request that finds no line; the other half
 *                  of a line that is still coming in is none. Uncacheable code: one of each per 8
 *                  bytes.
 * MODELLED         8 KB, 2 ways, LRU (Pentium); 16 KB, 4 ways, tree pseudo-LRU (Pentium with MMX);
 *                  lines are S or I. One line at a time comes in, the wanted 8 bytes first; on the
 *                  Pentium the rest can be used when all has come. A code miss takes the line out
 *                  of L1D, written back first when it is modified (06H); a data access that misses
 *                  L1D takes it out of L1I. Per byte of L1I a mark: it was the last of an
 *                  instruction that was decoded; a fill clears those of its line.
 * FAST FORM        what host code asks for, for the usual shapes: caches and boards as in fast.h,
 *                  one processor, all memory cacheable. It does what look_up() does, and counts by
 *                  the same function; tests compare counts with and without host code.
 * NOT MODELLED     stores that reach what is in the prefetch buffers already; parity; external
 *                  snoops.
 * SOURCES          Intel 241428 (1997) 2.5, 6.5.3, 16.4.6; Intel 242816 (1997) 3.5.3.
 */
#include "model/p5/units/fast.h"
#include "model/p5/units/memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define PAGE_MASK ((1u << PAGE_LOG2) - 1)

int p5_icache_open(struct p5_icache *i, uint32_t size_bytes, unsigned ways, unsigned line_bytes,
		   bool is_lru, bool is_random)
{
	const int rc = cache_open(&i->cache, size_bytes, ways, line_bytes, is_lru);
	const struct cache *c = &i->cache;

	if (rc)
		return rc;
	i->has_filter = !is_random || cache_way_log2(c) <= PAGE_LOG2;
	i->mark_words = line_bytes <= 32 ? 1 : line_bytes / 32;
	i->line_of = malloc((size_t)c->n_sets * c->ways * sizeof(*i->line_of));
	i->filter = malloc((size_t)c->n_sets * sizeof(*i->filter));
	i->marks = calloc((size_t)c->n_sets * c->ways * i->mark_words, sizeof(*i->marks));
	if (!i->line_of || !i->filter || !i->marks)
		return -SPMU_ENOMEM;
	memset(i->n_of, 0, sizeof(i->n_of));
	p5_icache_forget(i);
	return 0;
}

void p5_icache_close(struct p5_icache *i)
{
	cache_close(&i->cache);
	free(i->line_of);
	free(i->filter);
	free(i->marks);
}

void p5_icache_forget(struct p5_icache *i)
{
	memset(i->line_of, 0xff,
	       (size_t)i->cache.n_sets * i->cache.ways * sizeof(*i->line_of)); /* P5_NO_KEY */
	memset(i->filter, 0xff, (size_t)i->cache.n_sets * sizeof(*i->filter));
}

static struct cache_line line_in(const struct cache *c, struct p5_frame page, uint64_t lin)
{
	return (struct cache_line){page.id, page.colour,
				   ((uint32_t)lin & PAGE_MASK) >> c->line_log2};
}

/* A request of the prefetcher finds no line. */
static inline void count_missed(struct p5 *m)
{
	P5_SEE(m, ICACHE_MISS, 1);
}

static void clear_marks(struct p5_icache *i, size_t at)
{
	memset(i->marks + at * i->mark_words, 0, i->mark_words * sizeof(*i->marks));
}

/* The way of a set is given to a line of this page, or (NULL) emptied: lines are counted by frames.
 * Called while the tag of the old line is still there. With a count that is too low a data access
 * would not find the line in L1I (p5_icache_snoop()), and it would stay. */
static void count(struct p5_icache *i, uint32_t set, unsigned way, const struct p5_frame *page)
{
	const uint32_t old = cache_tags(&i->cache, set)[way];

	if (old != CACHE_EMPTY)
		i->n_of[cache_page_of(&i->cache, old) & (P5_ICACHE_FRAMES - 1)]--;
	if (page)
		i->n_of[page->id & (P5_ICACHE_FRAMES - 1)]++;
}

/* ---- any shape ------------------------------------------------------------------------------- */

/* Find the line of `unit`, or bring it in. Uses what is there without a look when it was used
 * last. */
static unsigned look_up(struct p5 *m, uint64_t unit, uint64_t want, struct p5_frame page)
{
	struct p5_icache *i = &m->icache;
	const struct cache *c = &i->cache;
	const uint64_t line = unit >> c->line_log2;
	const struct cache_line l = line_in(c, page, unit);
	const uint32_t set = cache_set_of(c, l), tag = cache_tag_of(c, l);
	unsigned seen = P5_SEEN_HIT;
	int way;

	if (i->filter[set] == line && i->has_filter && !m->is_plain)
		return seen;
	way = m->is_plain ? cache_find_plain(c, set, tag) : cache_find(c, set, tag);
	if (way >= 0) {
		cache_touch(c, set, (unsigned)way);
	} else {
		count_missed(m);
		way = (int)cache_choose(c, set);
		seen = P5_SEEN_MISS | p5_dcache_snoop_code(m, page, want);
		seen |=
		    p5_seen_of_bus(p5_bus_see(m, P5_BUS_FILL, page, (uint32_t)want & PAGE_MASK));
		count(i, set, (unsigned)way, &page);
		cache_place(c, set, (unsigned)way, tag, CACHE_S);
		clear_marks(i, (size_t)set * c->ways + (unsigned)way);
		i->changes++;
	}
	i->line_of[(size_t)set * c->ways + (unsigned)way] = line;
	i->filter[set] = line;
	return seen;
}

unsigned p5_icache_see(struct p5 *m, uint64_t unit, uint64_t want)
{
	unsigned seen = 0;
	const struct p5_frame page = p5_itlb_translate(m, unit >> PAGE_LOG2, &seen);

	return seen | look_up(m, unit, want, page);
}

/* ---- the fast shape -------------------------------------------------------------------------- */

unsigned p5_icache_fast_ways(const struct p5 *m)
{
	const unsigned ways = p5_fast_ways(&m->icache.cache);

	return m->icache.has_filter && m->icache.mark_words == 1 && p5_dcache_fast_ways(m) == ways
		   ? ways
		   : 0;
}

/* The line comes in, to the way that goes next. Returns what was seen; *way receives which one. */
static inline unsigned see_miss_fast(struct p5 *m, uint64_t want, struct p5_frame page,
				     uint32_t set, unsigned *out, const unsigned ways)
{
	struct p5_icache *i = &m->icache;
	struct cache_set_of_four *s = p5_fast_set(&i->cache, set);
	const unsigned way = __builtin_expect(s->meta.n_empty, 0)
				 ? cache_choose(&i->cache, set)
				 : p5_fast_victim(s->meta.order, ways);
	unsigned seen = P5_SEEN_MISS;

	count_missed(m);
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

static inline __attribute__((always_inline)) unsigned see_fast(struct p5 *m, uint64_t unit,
							       uint64_t want, const unsigned ways)
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
		seen |= see_miss_fast(m, want, page, set, &way, ways);
	}
	i->line_of[set * ways + way] = line;
	i->filter[set] = line;
	return seen;
}

unsigned p5_icache_see_two(struct p5 *m, uint64_t unit, uint64_t want)
{
	return see_fast(m, unit, want, 2);
}

unsigned p5_icache_see_four(struct p5 *m, uint64_t unit, uint64_t want)
{
	return see_fast(m, unit, want, 4);
}

/* ---- asked by others ------------------------------------------------------------------------- */

void p5_icache_snoop_frame(struct p5 *m, struct p5_frame page, uint64_t lin)
{
	struct p5_icache *i = &m->icache;
	const struct cache *c = &i->cache;
	const struct cache_line l = line_in(c, page, lin);
	const uint32_t set = cache_set_of(c, l);
	const int way = cache_find(c, set, cache_tag_of(c, l));

	if (way < 0)
		return;
	count(i, set, (unsigned)way, NULL);
	cache_drop(c, set, (unsigned)way);
	i->changes++;
	i->line_of[(size_t)set * c->ways + (unsigned)way] = P5_NO_KEY;
	i->filter[set] = P5_NO_KEY;
}

bool p5_icache_inquire(struct p5 *m, struct p5_frame page, uint32_t offset, bool is_write)
{
	const struct cache *c = &m->icache.cache;
	const struct cache_line l = line_in(c, page, offset);

	if (is_write)
		p5_icache_snoop(m, page, offset);
	return cache_find(c, cache_set_of(c, l), cache_tag_of(c, l)) >= 0;
}

/* ---- marks ----------------------------------------------------------------------------------- */

/* Where linear `line` is, by set and way; -1: nowhere. */
static int64_t place_of(struct p5 *m, uint64_t line)
{
	const struct p5_icache *i = &m->icache;
	const struct cache *c = &i->cache;
	size_t first = (line & (c->n_sets - 1)) * c->ways;

	if (!i->has_filter) {
		const struct page p = p5_page(m, line >> (PAGE_LOG2 - c->line_log2));

		first = (size_t)cache_set_of(c, line_in(c, (struct p5_frame){p.id, p.colour},
							line << c->line_log2)) *
			c->ways;
	}
	for (unsigned w = 0; w < c->ways; w++)
		if (i->line_of[first + w] == line)
			return (int64_t)(first + w);
	return -1;
}

/* Which of the n first instructions have boundaries that are known: a bit for each. */
static uint64_t marks_of(struct p5 *m, const struct p5_code *code, unsigned n)
{
	const struct p5_icache *c = &m->icache;
	const unsigned words = c->mark_words - 1;
	uint64_t marks = 0, line = P5_NO_KEY, last = code->block->pc - 1;
	const uint32_t *of_line = NULL;

	for (unsigned i = 0; i < n; i++) {
		last += code->block->insn[i].bytes;
		if (last >> c->cache.line_log2 != line) {
			int64_t at;

			line = last >> c->cache.line_log2;
			at = place_of(m, line);
			of_line = at < 0 ? NULL : c->marks + (size_t)at * c->mark_words;
		}
		if (of_line)
			marks |= (uint64_t)(of_line[last >> 5 & words] >> (last & 31) & 1) << i;
	}
	return marks;
}

/* Are all boundaries of c known, as far as can be said at once? */
static bool is_marked(const struct p5 *m, const struct p5_code *c)
{
	return c->was_marked && c->marked_at == m->icache.changes;
}

uint64_t p5_code_marks(struct p5 *m, struct p5_code *c, unsigned n)
{
	const uint64_t all = ~0ull >> (64 - n);
	uint64_t marks;

	if (is_marked(m, c))
		return all;
	marks = marks_of(m, c, n);
	c->was_marked = n == c->block->n_insn && marks == all;
	c->marked_at = m->icache.changes;
	return marks;
}

bool p5_icache_is_marked(struct p5 *m, uint64_t pc, unsigned bytes)
{
	struct p5_icache *i = &m->icache;
	const uint64_t last = pc + bytes - 1;
	const int64_t at = place_of(m, last >> i->cache.line_log2);
	uint32_t *word, bit = 1u << (last & 31);
	bool was;

	if (at < 0)
		return false;
	word = &i->marks[(size_t)at * i->mark_words + (last >> 5 & (i->mark_words - 1))];
	was = *word & bit;
	*word |= bit;
	return was;
}
