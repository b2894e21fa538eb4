/* replace.h -- which way of a set goes: tree pseudo-LRU or exact LRU, in one word per set.
 *
 * Used by parts/cache and parts/tlb.
 *
 * COUNTING RULES   touching the way that was touched last changes nothing, under either rule; so
 *                  callers may leave such touches out. Empty ways are filled first, lowest number
 *                  first.
 * MODELLED         binary-tree pseudo-LRU for 1, 2, 4, 8 and 16 ways; exact LRU for 1 to 16 ways.
 *                  With other numbers of ways than powers of two only LRU exists.
 */
#ifndef SOFTPMU_MODEL_PARTS_REPLACE_H
#define SOFTPMU_MODEL_PARTS_REPLACE_H

#include <stdbool.h>
#include <stdint.h>

#define REPL_MAX_WAYS 16u

/* What a test may break (repl.odd); all of it is done by the caller or repl_break(). */
enum repl_odd {
	REPL_ODD_TREE = 1, /* another tree, or none */
	REPL_ODD_HIT = 2,  /* hits are not noted */
	REPL_ODD_FILL = 4, /* nor what is put in */
	REPL_ODD_EMPTY = 8 /* empty ways are not looked for */
};

struct repl {
	uint16_t keep[REPL_MAX_WAYS]; /* tree: node bits not on the path to a way */
	uint16_t set[REPL_MAX_WAYS];  /* tree: node bits that point away from it */
	uint64_t start;		      /* word of an untouched set */
	uint8_t ways;
	bool is_lru;
	uint8_t odd; /* enum repl_odd, 0 outside of tests */
};

/* Prepare the rule for `ways` (1..16). */
static inline void repl_init(struct repl *r, unsigned ways, bool is_lru)
{
	r->ways = (uint8_t)ways;
	r->odd = 0;
	r->is_lru = is_lru || (ways & (ways - 1)) != 0;
	r->start = 0;
	if (r->is_lru) {
		/* nibble 0 = most recent; the untouched order makes way 0 the oldest */
		for (unsigned i = 0; i < ways; i++)
			r->start |= (uint64_t)(ways - 1 - i) << (4 * i);
		return;
	}
	for (unsigned w = 0; w < ways; w++) {
		unsigned node = 1, path = 0, away = 0;

		for (unsigned bit = ways / 2; bit; bit /= 2) {
			path |= 1u << node;
			if (!(w & bit))
				away |= 1u
					<< node; /* node bit 1: the victim is on the upper side */
			node = 2 * node + !!(w & bit);
		}
		r->keep[w] = (uint16_t)~path;
		r->set[w] = (uint16_t)away;
	}
}

/* For tests: the node bits of `mask` (bit 1 the root, 2 and 3 its halves ...) point to what was
 * used last. */
static inline void repl_break(struct repl *r, uint16_t mask)
{
	r->odd |= REPL_ODD_TREE;
	for (unsigned w = 0; w < r->ways; w++)
		r->set[w] ^= (uint16_t)(mask & ~r->keep[w]);
}

/* Move nibble `way` of an LRU order to the front. */
static inline uint64_t repl_to_front(uint64_t order, unsigned way)
{
	unsigned at = 0;
	uint64_t below;

	while ((order >> at & 15) != way)
		at += 4;
	below = order & ((1ull << at) - 1);
	return (order & ~((16ull << at) - 1)) | below << 4 | way;
}

/* Returns the word behind a use of `way`. For LRU word must be repl.start or come from this
 * function: in another one `way` might not be found, and the search would not end. */
static inline uint64_t repl_touch(const struct repl *r, uint64_t word, unsigned way)
{
	/* four ways, the usual case: the tree is bits 1 (upper half?), 2 and 3 (upper way of a
	 * half?) */
	static const uint8_t keep4[4] = {0xf9, 0xf9, 0xf5, 0xf5};
	static const uint8_t set4[4] = {1 << 1 | 1 << 2, 1 << 1, 1 << 3, 0};

	if (r->is_lru)
		return repl_to_front(word, way);
	if (r->ways == 4 && !r->odd)
		return (word & keep4[way]) | set4[way];
	return (word & r->keep[way]) | r->set[way];
}

/* Four ways under the tree rule, without a branch. word: 0 to 14, even; hit: one of 1, 2, 4, 8, the
 * way that was used. */
static inline uint64_t repl_touch_four(uint64_t word, unsigned hit)
{
	/* a row per word divided by two; bits 1 to 3 as repl_touch() sets them for each way */
#define REPL_ROW(w)                                                                                \
	0, ((w) & ~6) | 6, ((w) & ~6) | 2, 0, ((w) & ~10) | 8, 0, 0, 0, (w) & ~10, 0, 0, 0, 0, 0,  \
	    0, 0
	static const uint8_t next[8 * 16] = {REPL_ROW(0), REPL_ROW(2),	REPL_ROW(4),  REPL_ROW(6),
					     REPL_ROW(8), REPL_ROW(10), REPL_ROW(12), REPL_ROW(14)};
#undef REPL_ROW

	return next[word * 8 + hit];
}

/* The way to replace of four full ones, by a word as above. */
static inline unsigned repl_victim_four(uint64_t word)
{
	/* two bits for each value of bits 1 to 3 */
	return 0xdc98u >> (word & 14) & 3;
}

/* The way to replace when all are full. */
static inline unsigned repl_victim(const struct repl *r, uint64_t word)
{
	unsigned node = 1;

	if (r->is_lru)
		return word >> (4 * (r->ways - 1)) & 15;
	while (node < r->ways)
		node = 2 * node + (word >> node & 1);
	return node - r->ways;
}

#endif
