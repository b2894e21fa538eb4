/* access_code.h -- what an access did to caches, TLBs and the bus, as a code of at most 16 bits
 * (access_code.c). */
#ifndef SOFTPMU_MODEL_P6_ACCESS_CODE_H
#define SOFTPMU_MODEL_P6_ACCESS_CODE_H

#include <stdbool.h>
#include <stdint.h>

struct p6_effect;

/* Of such a code: load `store` has all its bytes from that store; one line that L2 has; a walk
 * whose loads hit L2; where the miss that asked for its line stands. */
#define P6_CODE_FORWARD (1u << 4) /* of data */
#define P6_CODE_FETCH	(1u << 4) /* of code, above four bits of 0 */
#define P6_CODE_LINE	(1u << 6)
#define P6_CODE_OUT	(1u << 7) /* with a line: a modified one was cast out to L2 */
#define P6_CODE_WALK	(1u << 8)
#define P6_CODE_FILL_AT 10
/* With a line: it missed L2, for a load; lines written back. */
#define P6_CODE_L2_MISS (1u << 10)
#define P6_CODE_BRD	(1u << 11)
#define P6_CODE_WB_AT	12

/* Set *code to x, what a reference did, in at most 15 bits; misses are counted back from number
 * n_miss (1: that one). 0: an ordinary hit. Returns false when 15 bits cannot say it: more than one
 * line or walk is part of it, or memory that is not cacheable. */
bool p6_effect_code(const struct p6_effect *x, uint64_t n_miss, uint16_t *code);
/* Returns the effect that has this code, but for its member `miss`. */
struct p6_effect p6_effect_of_code(uint16_t code, uint64_t n_miss);

/* As p6_effect_code() for x, what fetching an instruction did. No reference has such a code. */
bool p6_fetch_code(const struct p6_effect *x, uint16_t *code);

/* Transactions that a reference of this code asks of the external bus. */
static inline unsigned p6_code_wants_bus(unsigned code)
{
	const unsigned walk_misses = code >> 9 & 1 ? (code >> 8 & 3) - 1 : 0;

	return walk_misses +
	       (code & P6_CODE_LINE ? (code >> 10 & 1) + ((code >> P6_CODE_WB_AT & 3) != 0) : 0);
}

/* Does it ask for any? */
static inline bool p6_code_asks_bus(unsigned code)
{
	return (code & 1u << 9) |
	       (code & P6_CODE_LINE ? code & (P6_CODE_L2_MISS | 3u << P6_CODE_WB_AT) : 0);
}

/* Transactions that x asks of the external bus; what it only writes counts as one. */
unsigned p6_bus_wanted(const struct p6_effect *x);

/* Of the code of a fetch: how many lines, of these absent from L2; one more than the loads of its
 * walk that missed L2; */
#define P6_FETCH_LINES_AT  6
#define P6_FETCH_MISSES_AT 8
#define P6_FETCH_WALK_AT   10
#define P6_FETCH_WB_AT	   12 /* lines written back; */
#define P6_FETCH_OUT_AT	   14 /* cast out */

#endif
