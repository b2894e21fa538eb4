/* time_key.h -- the word by which memo.c tells apart what the accesses of a block did
 * (time_key.c). */
#ifndef SOFTPMU_MODEL_P6_TIME_KEY_H
#define SOFTPMU_MODEL_P6_TIME_KEY_H

#include <stdbool.h>
#include <stdint.h>

#include "model/p6/blocks/access_code.h"

struct p6;
struct memo;

/* How far what follows a state can look back. */
struct p6_reach {
	uint8_t stores, misses; /* that can be in the way */
	uint8_t bus : 7;    /* transactions that collected micro-ops will ask of the external bus */
	uint8_t has_l2 : 1; /* they ask for the L2 data bus */
	uint8_t front_lag;  /* clocks by which the decoders are before rename; 255: or more */
};

#define P6_KEY_READS 4u /* more reads of the external bus than a key tells of */

#define P6_CODE_ASKS_L2 (P6_CODE_LINE | 3u << 8) /* any of it: of the L2 data bus */

/* The word of blocks that ask nothing of the external bus, of which no code was missing and no
 * more than one reference has a code: that reference's number << 15 and its code. With how late
 * the L2 data bus is, when they ask for it: */
#define P6_OUTCOME_CODE_BITS 21u
/* with two codes or fewer; three have a first number below 32 */
#define P6_OUTCOME_HAS_LATE  (1ull << 62)
#define P6_OUTCOME_LATE_AT   44u
#define P6_OUTCOME_MOST_LATE 0x1ffffu

/* Pairs of such numbers and codes (number << 16 | code), each with a number of its own: few are
 * met, so blocks that ask for the external bus have room for that in their word. All 0: none was
 * met. */
#define P6_PAIRS 1024u
struct p6_pairs {
	uint64_t of[P6_PAIRS]; /* by number; 0: nobody's */
};

/* The number of a pair, one of which is not 0, new or known; below 0: there is no place for it.
 * Cost: a hash, mostly one look. */
int p6_pair_number(struct p6_pairs *t, uint32_t first, uint32_t second);

/* What time.access says, and of the buses what the state in front of it leaves out, in one word:
 * *outcome. Lists that are too long for it become states of `room`, of a kind that no machine is
 * in. pairs: valid as long as the states of `room`. reach: of that state. Returns false when it
 * cannot be said, or there is no room. Cost: some ns; with a list, a look-up in `room`. */
bool p6_outcome(const struct p6 *m, struct memo *room, struct p6_pairs *pairs,
		const struct p6_reach *reach, uint64_t *outcome);

#endif
