/* icache.c -- unit icache: code reads through L1I.
 *
 * COUNTING RULES   0CH: one per request of the prefetcher (pf.c), of a line or of its half, whether it is executed
 *                  or not. 0EH: one per request that finds no line; the other half of a line that is still coming
 *                  in is none. Uncacheable code: one of each per 8 bytes.
 * MODELLED         8 KB, 2 ways, LRU (Pentium); 16 KB, 4 ways, tree pseudo-LRU (Pentium with MMX); lines are S or I.
 *                  One line at a time comes in, the wanted 8 bytes first; on the Pentium the rest can be used when
 *                  all has come. A code miss takes the line out of L1D, written back first when it is modified
 *                  (06H); a data access that misses L1D takes it out of L1I. Per byte of L1I a mark: it was the
 *                  last of an instruction that was decoded; a fill clears those of its line.
 * NOT MODELLED     stores that reach what is in the prefetch buffers already; parity; external snoops.
 * SOURCES          Intel 241428 (1997) 2.5, 6.5.3, 16.4.6; Intel 242816 (1997) 3.5.3.
 */
#include "model/p5/units/memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define PAGE_MASK ((1u << PAGE_LOG2) - 1)

int p5_icache_open(struct p5_icache *i, uint32_t size_bytes, unsigned ways, unsigned line_bytes, bool is_lru,
		   bool is_random)
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
	memset(i->line_of, 0xff, (size_t)i->cache.n_sets * i->cache.ways * sizeof(*i->line_of)); /* P5_NO_KEY */
	memset(i->filter, 0xff, (size_t)i->cache.n_sets * sizeof(*i->filter));
}

static struct cache_line line_in(const struct cache *c, struct p5_frame page, uint64_t lin)
{
	return (struct cache_line){page.id, page.colour, ((uint32_t)lin & PAGE_MASK) >> c->line_log2};
}

static void clear_marks(struct p5_icache *i, size_t at)
{
	memset(i->marks + at * i->mark_words, 0, i->mark_words * sizeof(*i->marks));
}

/* The line of `want` comes in from clk on. */
static void fill(struct p5 *m, uint64_t want, unsigned seen, uint64_t clk)
{
	struct p5_icache_fill *f = &m->time.code_fill;
	const unsigned back = m->par[P5_PAR_ICACHE_MISS_RETURN_CLK], first = want >> 3 & 3;
	struct p5_transfer t;

	clk += m->par[P5_PAR_BUS_TO_BUS_CLK];
	if (clk < f->end_clk)
		clk = f->end_clk;
	if (seen & P5_SEEN_BACK)
		p5_dcache_write_back(m, clk);
	p5_bus_cycle(m, P5_BUS_FILL, p5_bus_of_seen(seen), clk, &t);
	for (unsigned k = 0; k < 4; k++) {
		const unsigned i = k && m->par[P5_PAR_DCACHE_FILL_IS_WHOLE] ? 3 : k;

		f->clk[k ^ first] = t.clk[i] + back;
	}
	f->line = want >> m->icache.cache.line_log2;
	f->end_clk = t.clk[3] + back;
}

/* The way of a set is given to a line of this page, or (NULL) emptied: lines are counted by frames. */
static void count(struct p5_icache *i, uint32_t set, unsigned way, const struct p5_frame *page)
{
	const uint32_t old = cache_tags(&i->cache, set)[way];

	if (old != CACHE_EMPTY)
		i->n_of[cache_page_of(&i->cache, old) & (P5_ICACHE_FRAMES - 1)]--;
	if (page)
		i->n_of[page->id & (P5_ICACHE_FRAMES - 1)]++;
}

/* Find the line of `unit`, or bring it in. Uses what is there without a look when it was used last. */
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
		P5_SEE(m, ICACHE_MISS, 1);
		way = (int)cache_choose(c, set);
		seen = P5_SEEN_MISS | p5_dcache_snoop_code(m, page, want);
		seen |= p5_seen_of_bus(p5_bus_see(m, P5_BUS_FILL, page, (uint32_t)want & PAGE_MASK));
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

/* Code that is not cacheable: 8 bytes at a time, from those that are wanted on. Returns as p5_icache_fetch(). */
static uint64_t fetch_uncached(struct p5 *m, uint64_t unit, unsigned bytes, uint64_t want, uint64_t clk)
{
	unsigned seen = 0;
	const struct p5_frame page = p5_itlb_translate(m, unit >> PAGE_LOG2, &seen);
	uint64_t latest = 0;

	if (seen & P5_SEEN_WALK)
		clk = p5_dtlb_walk(m, &seen, clk);
	for (uint64_t at = unit; at < unit + bytes; at += 8) {
		const uint32_t offset = (uint32_t)at & PAGE_MASK;
		struct p5_transfer t;
		uint64_t r;

		m->time.pf.ready[at >> 3 & (P5_PF_CHUNKS - 1)] = 0;
		if (at + 8 <= want)
			continue;
		P5_RAISE(m, ICACHE_READ, 1);
		P5_SEE(m, ICACHE_MISS, 1);
		p5_bus_cycle(m, P5_BUS_READ_UC, p5_bus_see(m, P5_BUS_READ_UC, page, offset),
			     clk + m->par[P5_PAR_BUS_TO_BUS_CLK], &t);
		r = t.clk[0] + m->par[P5_PAR_ICACHE_MISS_RETURN_CLK];
		m->time.pf.ready[at >> 3 & (P5_PF_CHUNKS - 1)] = r;
		latest = r > latest ? r : latest;
	}
	return latest;
}

uint64_t p5_icache_fetch(struct p5 *m, uint64_t unit, unsigned bytes, uint64_t want, uint64_t clk)
{
	const struct p5_icache_fill *f = &m->time.code_fill;
	uint64_t *ready = m->time.pf.ready;
	uint64_t latest;
	unsigned seen;
	bool is_coming;

	if (m->n_uncached && p5_dcache_is_uncached(m, unit))
		return fetch_uncached(m, unit, bytes, want, clk);
	P5_RAISE(m, ICACHE_READ, 1);
	seen = p5_look_code(m, unit, want);
	if (seen & P5_SEEN_WALK)
		clk = p5_dtlb_walk(m, &seen, clk);
	if ((seen & P5_SEEN_KIND) == P5_SEEN_MISS)
		fill(m, want, seen, clk);
	is_coming = f->line == unit >> m->icache.cache.line_log2 && f->end_clk > clk;
	latest = clk + 1;
	for (uint64_t at = unit; at < unit + bytes; at += 8)
		ready[at >> 3 & (P5_PF_CHUNKS - 1)] = latest;
	for (uint64_t at = unit; is_coming && at < unit + bytes; at += 8) {
		const uint64_t r = f->clk[at >> 3 & 3];

		if (r <= clk + 1)
			continue;
		ready[at >> 3 & (P5_PF_CHUNKS - 1)] = r;
		latest = r > latest ? r : latest;
	}
	return latest;
}

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

/* Where linear `line` is, by set and way; -1: nowhere. */
static int64_t place_of(struct p5 *m, uint64_t line)
{
	const struct p5_icache *i = &m->icache;
	const struct cache *c = &i->cache;
	size_t first = (line & (c->n_sets - 1)) * c->ways;

	if (!i->has_filter) {
		const struct page p = pages_get(m->pages, line >> (PAGE_LOG2 - c->line_log2));

		first = (size_t)cache_set_of(c, line_in(c, (struct p5_frame){p.id, p.colour}, line << c->line_log2)) *
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
		last += p5_op_length(&code->op[i]);
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

uint64_t p5_code_marks(struct p5 *m, struct p5_code *c, unsigned n)
{
	const uint64_t all = ~0ull >> (64 - n);
	uint64_t marks;

	if (p5_code_is_marked(m, c))
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
