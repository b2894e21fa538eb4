/* btb.h -- unit btb: branch prediction: BTB, RSB and the decoder's static rules.
 *
 * A transfer is resolved at retirement (btb_inline.h).
 *
 * COUNTING RULES   as in btb_inline.h.
 */
#ifndef SOFTPMU_MODEL_P6_BTB_H
#define SOFTPMU_MODEL_P6_BTB_H

#include <stdint.h>

#include "model/parts/btb.h"
#include "model/parts/rsb.h"

struct p6;

/* BTB and return stack. */
struct p6_btb {
	struct btb table; /* known branches; p6_btb_resolve() and host code write it */
	struct rsb rsb;	  /* return addresses; the same */
	/* conditional branches that were taken, for retire.taken; in tier 1 p6_add_counts() adds to
	 * it */
	uint64_t n_taken;
};

/* Outcomes summed over a turn of the loop; three fields of 21 bits. The caller starts with 0 and
 * calls p6_btb_add() before 2^21 transfers were resolved: the field would flow over into the next
 * one. */
struct p6_outcomes {
	uint64_t sums; /* taken conditional, mispredicted, mispredicted and taken */
};
#define P6_O_TAKEN	     0
#define P6_O_WRONG	     21
#define P6_O_WRONG_TAKEN     42
#define P6_O_ONE_TAKEN	     (1ull << P6_O_TAKEN)
#define P6_O_ONE_WRONG	     (1ull << P6_O_WRONG)
#define P6_O_ONE_WRONG_TAKEN (1ull << P6_O_WRONG_TAKEN)

/* CALL and RET of a machine whose rules a test broke (p6_rules.broken). fall: the address after the
 * CALL. next: where the RET goes. Returns where it was predicted to go. */
void p6_broken_push(struct p6 *m, uint64_t fall);
uint64_t p6_broken_pop(struct p6 *m, uint64_t next);

#endif
