/* cache.h -- one set-associative cache: tags and MESI states, no data and no clock.
 *
 * Used by the L1 caches and the L2 of both families, and in shape alone by direct.h. The caller
 * decides what a miss does and which wire it raises.
 *
 * KEPT UP          a tag is in one way of its set at most: who places a line has looked for it
 *                  before. In two ways, one copy would change state and the other be hit. n_empty
 *                  is the number of empty ways, which cache_place() and cache_drop() keep: when it
 *                  is too low, an empty way is not filled before a line is replaced.
 *
 * COUNTING RULES   an access is to one line; whoever cuts an access into lines counts both.
 * MODELLED         1 to 16 ways, tree pseudo-LRU or exact LRU (replace.h), states M E S I.
 * NOT MODELLED     ECC, parity, way prediction, data.
 */
#ifndef SOFTPMU_MODEL_PARTS_CACHE_H
#define SOFTPMU_MODEL_PARTS_CACHE_H

#include <emmintrin.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/parts/replace.h"

#define CACHE_EMPTY UINT32_MAX
#define CACHE_MISS  (-1)

enum cache_state { CACHE_I = 0, CACHE_S, CACHE_E, CACHE_M };

/* A line in physical terms. */
struct cache_line {
	uint32_t page;	  /* identity of its page */
	uint32_t colour;  /* colour of its page */
	uint32_t in_page; /* number of the line in its page */
};

/* What a set knows beside its tags. A way with an empty tag is I; else M, S or (neither bit) E. */
struct cache_meta {
	uint64_t order;	  /* replacement word */
	uint16_t m, s;	  /* bit per way */
	uint16_t n_empty; /* ways without a line */
	uint16_t
	    noted; /* the caller's own: not 0 while somebody remembers where a line of the set is */
};

/* A set of four ways, as it lies in memory. */
struct cache_set_of_four {
	uint32_t tag[4];
	struct cache_meta meta;
};

struct cache {
	uint8_t *sets; /* n_sets * stride_bytes: tags (lanes * 4), then struct cache_meta */
	void *memory;  /* what to free */
	struct repl repl;
	uint32_t n_sets; /* a power of two */
	uint32_t stride_bytes;
	uint8_t ways;
	uint8_t lanes; /* ways rounded up to a multiple of 4 */
	uint8_t line_log2;
	uint8_t set_log2;
	uint8_t page_lines_log2; /* lines per page */
};

/* Make an empty cache of size_bytes. Returns 0; -SPMU_EINVAL when size / (ways * line) is no power
 * of two or out of range (ways 1..16, line 16..128 bytes, way 128 bytes to 256 MiB); -SPMU_ENOMEM.
 */
int cache_open(struct cache *c, uint32_t size_bytes, unsigned ways, unsigned line_bytes,
	       bool is_lru);
/* Free it; also one that cache_open() refused, or that is all zero. A copy by cache_of_shape() owns
 * nothing, and must not be used after this. */
void cache_close(struct cache *c);

/* The cache with its shape as constants that the compiler sees: for code made for one shape. The
 * caller knows that c has this shape: tree pseudo-LRU, these ways, sets and lines. With another one
 * sets would be sought where there are none. Only what the compiler must know is filled in: of repl
 * not the tables keep[] and set[], so it serves four ways alone. */
static inline struct cache cache_of_shape(const struct cache *c, unsigned ways, unsigned set_log2,
					  unsigned line_log2)
{
	struct cache k;

	k.sets = c->sets;
	k.memory = NULL;
	k.n_sets = 1u << set_log2;
	k.lanes = (uint8_t)((ways + 3) & ~3u);
	k.stride_bytes = (k.lanes * 4u + (uint32_t)sizeof(struct cache_meta) + 31) & ~31u;
	k.ways = (uint8_t)ways;
	k.line_log2 = (uint8_t)line_log2;
	k.set_log2 = (uint8_t)set_log2;
	k.page_lines_log2 = (uint8_t)(12 - line_log2);
	k.repl.ways = (uint8_t)ways;
	k.repl.is_lru = false;
	k.repl.odd = 0;
	return k;
}

/* log2 of the size of one way in bytes. */
static inline unsigned cache_way_log2(const struct cache *c)
{
	return c->line_log2 + c->set_log2;
}

/* The set of line l, and its tag in that set. Both together name the line: cache_page_of() and
 * cache_in_page_of() make it of them again. */
static inline uint32_t cache_set_of(const struct cache *c, struct cache_line l)
{
	return (l.colour << c->page_lines_log2 | l.in_page) & (c->n_sets - 1);
}

static inline uint32_t cache_tag_of(const struct cache *c, struct cache_line l)
{
	if (c->set_log2 >= c->page_lines_log2)
		return l.page;
	return l.page << (c->page_lines_log2 - c->set_log2) | l.in_page >> c->set_log2;
}

/* The line that `tag` in `set` stands for; its colour is what the caller knows of the page. */
static inline uint32_t cache_page_of(const struct cache *c, uint32_t tag)
{
	return c->set_log2 >= c->page_lines_log2 ? tag : tag >> (c->page_lines_log2 - c->set_log2);
}

static inline uint32_t cache_in_page_of(const struct cache *c, uint32_t set, uint32_t tag)
{
	if (c->set_log2 >= c->page_lines_log2)
		return set & ((1u << c->page_lines_log2) - 1);
	return (tag << c->set_log2 | set) & ((1u << c->page_lines_log2) - 1);
}

/* The tags of a set, and what else it knows; they lie in c's memory until cache_close(). Whoever
 * writes a tag keeps n_empty and the state bits himself. */
static inline uint32_t *cache_tags(const struct cache *c, uint32_t set)
{
	return (uint32_t *)(void *)(c->sets + (size_t)set * c->stride_bytes);
}

static inline struct cache_meta *cache_meta(const struct cache *c, uint32_t set)
{
	return (struct cache_meta *)(void *)(c->sets + (size_t)set * c->stride_bytes +
					     c->lanes * 4u);
}

/* Four ways, `set` given by its bytes: 1, 2, 4 or 8 for the way that holds `tag`, or 0. Changes
 * nothing. */
static inline unsigned cache_hit_of_four(const uint8_t *set, uint32_t tag)
{
	const __m128i four = _mm_load_si128((const __m128i *)(const void *)set);

	return (unsigned)_mm_movemask_ps(
	    _mm_castsi128_ps(_mm_cmpeq_epi32(four, _mm_set1_epi32((int)tag))));
}

/* Way that holds `tag` in `set`, or CACHE_MISS. Changes nothing. Four ways at a time. */
static inline int cache_find(const struct cache *c, uint32_t set, uint32_t tag)
{
	const uint8_t *t = c->sets + (size_t)set * c->stride_bytes;
	const __m128i want = _mm_set1_epi32((int)tag);

	for (unsigned w = 0; w < c->lanes; w += 4) {
		__m128i four = _mm_load_si128((const __m128i *)(const void *)(t + 4 * w));
		int hit = _mm_movemask_ps(_mm_castsi128_ps(_mm_cmpeq_epi32(four, want)));

		if (hit)
			return (int)w + __builtin_ctz((unsigned)hit);
	}
	return CACHE_MISS;
}

/* As cache_find(), one way after the other: what cache_find() is tested against. */
static inline int cache_find_plain(const struct cache *c, uint32_t set, uint32_t tag)
{
	const uint32_t *t = cache_tags(c, set);

	for (unsigned w = 0; w < c->ways; w++)
		if (t[w] == tag)
			return (int)w;
	return CACHE_MISS;
}

/* The state of the line in `way`. Of an empty way it is meaningless: it says E. */
static inline enum cache_state cache_state_of(const struct cache *c, uint32_t set, unsigned way)
{
	const struct cache_meta *m = cache_meta(c, set);

	if (m->m >> way & 1)
		return CACHE_M;
	return m->s >> way & 1 ? CACHE_S : CACHE_E;
}

/* The line in `way`, which is not empty, becomes s: S, E or M; to empty a way there is
 * cache_drop(). */
static inline void cache_set_state(const struct cache *c, uint32_t set, unsigned way,
				   enum cache_state s)
{
	struct cache_meta *m = cache_meta(c, set);

	m->m = (uint16_t)((m->m & ~(1u << way)) | (unsigned)(s == CACHE_M) << way);
	m->s = (uint16_t)((m->s & ~(1u << way)) | (unsigned)(s == CACHE_S) << way);
}

/* A line of `set` was found in `way`: note its use for replacement. */
static inline void cache_touch(const struct cache *c, uint32_t set, unsigned way)
{
	struct cache_meta *m = cache_meta(c, set);

	if (!(c->repl.odd & REPL_ODD_HIT))
		m->order = repl_touch(&c->repl, m->order, way);
}

/* The way that the next line of `set` goes to: an empty one, else the victim by the rule. */
static inline unsigned cache_choose(const struct cache *c, uint32_t set)
{
	const uint32_t *t = cache_tags(c, set);
	unsigned way = repl_victim(&c->repl, cache_meta(c, set)->order);

	/* once a set is full it stays so, but for lines that were dropped */
	if (__builtin_expect(!cache_meta(c, set)->n_empty, 1) || c->repl.odd & REPL_ODD_EMPTY)
		return way;
	for (unsigned w = 0; w < c->ways; w++)
		if (t[w] == CACHE_EMPTY)
			return w;
	return way;
}

/* Put `tag` into `way` in state s and note its use; whatever was there is gone, so a modified line
 * is written back before. */
static inline void cache_place(const struct cache *c, uint32_t set, unsigned way, uint32_t tag,
			       enum cache_state s)
{
	uint32_t *t = &cache_tags(c, set)[way];

	cache_meta(c, set)->n_empty -= *t == CACHE_EMPTY;
	*t = tag;
	cache_set_state(c, set, way, s);
	if (!(c->repl.odd & REPL_ODD_FILL))
		cache_meta(c, set)->order = repl_touch(&c->repl, cache_meta(c, set)->order, way);
}

/* Empty `way`. */
static inline void cache_drop(const struct cache *c, uint32_t set, unsigned way)
{
	uint32_t *t = &cache_tags(c, set)[way];

	cache_meta(c, set)->n_empty += *t != CACHE_EMPTY;
	*t = CACHE_EMPTY;
	cache_set_state(c, set, way, CACHE_E);
}

/* The line in `way` becomes s, which may be CACHE_I. */
static inline void cache_turn(const struct cache *c, uint32_t set, unsigned way, enum cache_state s)
{
	if (s == CACHE_I)
		cache_drop(c, set, way);
	else
		cache_set_state(c, set, way, s);
}

#endif
