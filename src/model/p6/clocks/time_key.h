/* time_key.h -- the word by which time_memo.c tells apart what the accesses of a block did (time_key.c). */
#ifndef SOFTPMU_MODEL_P6_TIME_KEY_H
#define SOFTPMU_MODEL_P6_TIME_KEY_H

#include <stdbool.h>
#include <stdint.h>

struct p6;
struct p6_touch;
struct p6_reach;
struct memo;

/* Of such a code: load `store` has all its bytes from that store; one line that L2 has; a walk whose loads hit L2; where the
 * miss that asked for its line stands. */
#define P6_CODE_FORWARD (1u << 4)
#define P6_CODE_LINE	(1u << 6)
#define P6_CODE_OUT	(1u << 7) /* with a line: a modified one was cast out to L2 */
#define P6_CODE_WALK	(1u << 8)
#define P6_CODE_FILL_AT 10
/* With a line: it missed L2, for a load; lines written back. */
#define P6_CODE_L2_MISS (1u << 10)
#define P6_CODE_BRD	(1u << 11)
#define P6_CODE_WB_AT	12

/* x, what a reference did, in at most 15 bits; misses are counted back from number n_miss (1: that one). 0: an ordinary
 * hit. Returns false when it takes more to say it: then more than one line or walk is part of it, or memory that is not
 * cacheable. */
bool p6_touch_code(const struct p6_touch *x, uint64_t n_miss, uint16_t *code);
/* And back, but for `miss`. */
struct p6_touch p6_touch_of_code(uint16_t code, uint64_t n_miss);

/* The same for x, what fetching an instruction did. No reference has such a code. */
bool p6_fetch_code(const struct p6_touch *x, uint16_t *code);

/* Transactions that a reference of this code asks of the external bus. */
static inline unsigned p6_code_wants_bus(unsigned code)
{
	const unsigned walk_misses = code >> 9 & 1 ? (code >> 8 & 3) - 1 : 0;

	return walk_misses + (code & P6_CODE_LINE ? (code >> 10 & 1) + ((code >> P6_CODE_WB_AT & 3) != 0) : 0);
}

/* Does it ask for any? */
static inline bool p6_code_asks_bus(unsigned code)
{
	return (code & 1u << 9) | (code & P6_CODE_LINE ? code & (P6_CODE_L2_MISS | 3u << P6_CODE_WB_AT) : 0);
}

/* Transactions that x asks of the external bus; what it only writes counts as one. */
unsigned p6_bus_wanted(const struct p6_touch *x);

/* Of the code of a fetch: how many lines, of these absent from L2; one more than the loads of its walk that missed L2; */
#define P6_FETCH_LINES_AT  6
#define P6_FETCH_MISSES_AT 8
#define P6_FETCH_WALK_AT   10
#define P6_FETCH_WB_AT	   12 /* lines written back; */
#define P6_FETCH_OUT_AT	   14 /* cast out */

#define P6_KEY_READS 4u /* more reads of the external bus than a key tells of */

#define P6_CODE_ASKS_L2 (P6_CODE_LINE | 3u << 8) /* any of it: of the L2 data bus */

/* The word of blocks that ask nothing of the external bus, of which no code was missing and no more than one reference has a code:
 * that reference's number << 15 and its code. With how late the L2 data bus is, when they ask for it: */
#define P6_OUTCOME_CODE_BITS 21u
#define P6_OUTCOME_HAS_LATE  (1ull << 62) /* with two codes or fewer; three have a first number below 32 */
#define P6_OUTCOME_LATE_AT   44u
#define P6_OUTCOME_MOST_LATE 0x1ffffu

/* Pairs of such numbers and codes (number << 16 | code), each with a number of its own: few are met, so blocks that ask for the external bus
 * have room for that in their word. All 0: none was met. */
#define P6_PAIRS 1024u
struct p6_pairs {
	uint64_t of[P6_PAIRS]; /* by number; 0: nobody's */
};

/* The number of a pair, one of which is not 0, new or known; below 0: there is no place for it. Cost: a hash, mostly one look. */
int p6_pair_number(struct p6_pairs *t, uint32_t first, uint32_t second);

/* What time.access says, and of the buses what the state in front of it leaves out, in one word: *outcome. Lists that are too
 * long for it become states of `room`, of a kind that no machine is in. pairs: valid as long as the states of `room`. reach: of that state. Returns false when it cannot be
 * said, or there is no room. Cost: some ns; with a list, a look-up in `room`. */
bool p6_outcome(const struct p6 *m, struct memo *room, struct p6_pairs *pairs, const struct p6_reach *reach,
		uint64_t *outcome);

#endif
