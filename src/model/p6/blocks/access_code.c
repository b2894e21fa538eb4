/* access_code.c -- what an access did, as a code.
 *
 *   data    14..10  9..8    7     6     5      4        3..0
 *           F       walk    out   line  split  forward  store, as stores back
 *           F without line: the miss that asked for it, as misses back; with line: 10 it missed L2,
 *           11 it is 65H's, 12..13 write-backs. walk: 0 none, else 1 + its loads that missed L2.
 *   fetch   14        13..12       11..10  9..8       7..6   5  4  3..0
 *           cast-out  write-backs  walk    L2 misses  lines  0  1  0
 *
 * COUNTING RULES   a code says all that the clocks of an access depend on; what does not fit has
 *                  none.
 */
#include "model/p6/blocks/access_code.h"

#include "model/p6/p6.h"

#define SPLIT	  (1u << 5)
#define LINE	  P6_CODE_LINE
#define OUT	  P6_CODE_OUT
#define WALK_AT	  8
#define FILL_AT	  P6_CODE_FILL_AT
#define L2_MISS	  P6_CODE_L2_MISS
#define BRD	  P6_CODE_BRD
#define WB_AT	  P6_CODE_WB_AT
#define FETCH	  P6_CODE_FETCH
#define FETCH_OUT (1u << P6_FETCH_OUT_AT)

/* One more than the walk's loads that missed L2; 0: no walk. */
static unsigned walk_code(const struct p6_effect *x)
{
	return x->walks ? 1u + x->walk_misses : 0;
}

bool p6_effect_code(const struct p6_effect *x, uint64_t n_miss, uint16_t *code)
{
	unsigned v = x->store | (x->is_forward ? P6_CODE_FORWARD : 0) | (x->is_split ? SPLIT : 0) |
		     walk_code(x) << WALK_AT;

	if (x->is_smc || x->l2_lines | x->wc_lines | x->wc_parts ||
	    x->upgrades | x->uc_reads | x->uc_writes | x->deferred | x->large_walks ||
	    x->lines > 1 || x->walks > 1 || x->walk_misses > 2 || x->l2_misses > x->lines ||
	    x->cast_outs > x->lines || x->write_backs > 3u * x->lines)
		return false;
	if (x->lines)
		v |= LINE | (x->cast_outs ? OUT : 0) | (x->l2_misses ? L2_MISS : 0) |
		     (x->is_brd ? BRD : 0) | (unsigned)x->write_backs << WB_AT;
	else if (x->fill)
		v |= (unsigned)(n_miss + 1 - x->fill) << FILL_AT;
	*code = (uint16_t)v;
	return true;
}

struct p6_effect p6_effect_of_code(uint16_t code, uint64_t n_miss)
{
	struct p6_effect x = {.store = code & 15,
			      .is_forward = (code & P6_CODE_FORWARD) != 0,
			      .is_split = (code & SPLIT) != 0};
	const unsigned walk = code >> WALK_AT & 3;

	x.walks = walk != 0;
	x.walk_misses = walk ? walk - 1 : 0;
	x.lines = (code & LINE) != 0;
	if (x.lines) {
		x.cast_outs = (code & OUT) != 0;
		x.l2_misses = (code & L2_MISS) != 0;
		x.is_brd = (code & BRD) != 0;
		x.write_backs = code >> WB_AT & 3;
	} else if (code >> FILL_AT) {
		x.fill = n_miss + 1 - (code >> FILL_AT);
	}
	return x;
}

bool p6_fetch_code(const struct p6_effect *x, uint16_t *code)
{
	if (x->uc_reads | x->uc_writes | x->deferred | x->upgrades | x->large_walks ||
	    x->lines > 3 || x->walks > 1 || x->walk_misses > 2 || x->l2_misses > 3 ||
	    x->cast_outs > 1 || x->write_backs > 3)
		return false;
	*code =
	    (uint16_t)(FETCH | (unsigned)x->lines << P6_FETCH_LINES_AT |
		       (unsigned)x->l2_misses << P6_FETCH_MISSES_AT |
		       walk_code(x) << P6_FETCH_WALK_AT |
		       (unsigned)x->write_backs << P6_FETCH_WB_AT | (x->cast_outs ? FETCH_OUT : 0));
	return true;
}

unsigned p6_bus_wanted(const struct p6_effect *x)
{
	return x->l2_misses + x->walk_misses + x->l2_lines +
	       (x->write_backs | x->wc_lines | x->wc_parts ? 1u : 0u);
}
