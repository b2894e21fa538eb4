/* line.h -- what L1D, L1I and L2 have in common: which line an address is in, whether a cache has
 * it, and the cache with the fast shape's constants.
 *
 * Every look-up exists twice. The general form works for any geometry and reads it from struct
 * cache. The fast form is for four ways of 128 sets of 32 bytes (p6.is_fast_shape; L2 has four ways
 * and 32 bytes as well, p6.is_fast_l2): there the compiler knows ways, sets and lines. Functions
 * with a parameter `fast` are inlined into both.
 */
#ifndef SOFTPMU_MODEL_P6_LINE_H
#define SOFTPMU_MODEL_P6_LINE_H

#include "model/p6/p6.h"

/* The line of linear address `lin`, which lies in `page`: that page must be the one that a TLB or
 * p6_page() gave for lin, else the line is that of another page. */
static inline __attribute__((always_inline)) struct cache_line
p6_line_at(struct p6_frame page, uint64_t lin, unsigned line_log2)
{
	return (struct cache_line){page.id, page.colour,
				   (uint32_t)(lin & ((1u << PAGE_LOG2) - 1)) >> line_log2};
}

/* A copy of c, L1D or L1I of the fast shape, whose geometry is constants. A way is a page: the set
 * of a line is its number in the page, its tag is the identity of the page. The copy shares the
 * sets with c. Only with p6.is_fast_shape: for another geometry it would look beyond the sets. */
static inline __attribute__((always_inline)) struct cache p6_fast_l1(const struct cache *c)
{
	return cache_of_shape(c, P6_FAST_WAYS, P6_FAST_SET_LOG2, P6_FAST_LINE_LOG2);
}

/* Ways of `set` of c, which has four, that hold `tag`: 1, 2, 4 or 8, or 0 when none does. */
static inline __attribute__((always_inline)) unsigned p6_hit_of_four(const struct cache *c,
								     uint32_t set, uint32_t tag)
{
	return cache_hit_of_four((const uint8_t *)cache_tags(c, set), tag);
}

/* The way of `set` of c that holds `tag`, or -1. A plain machine looks at one way after the
 * other. */
static inline __attribute__((always_inline)) int
p6_find_way(const struct p6 *m, const struct cache *c, uint32_t set, uint32_t tag, const bool fast)
{
	return !fast && m->is_plain ? cache_find_plain(c, set, tag) : cache_find(c, set, tag);
}

/* The state in which a line that is found in `found` goes on, by the table of moves.def
 * (p6_rules.move). CACHE_I: it goes. */
static inline enum cache_state p6_next(const struct p6 *m, enum p6_move move,
				       enum cache_state found)
{
	return (enum cache_state)m->rules.move[move][found];
}

/* Number of the last code line of instruction i of b, from that of the block's first byte on: 0 to
 * 255. */
static inline unsigned p6_line_in_block(const struct p6 *m, const struct x86_block *b, unsigned i)
{
	const struct x86_insn *in = &b->insn[i];
	const uint64_t last = b->pc + in->pc_off + in->bytes - 1;

	return (unsigned)((last >> m->line_log2) - (b->pc >> m->line_log2)) & 0xff;
}

#endif
