/* bogus.h -- BTB entries of what is no branch any more (bogus.c).
 *
 * A bogus entry is an entry of the BTB whose byte ends no branch: code was overwritten. Such an
 * entry stays in the BTB. time.bogus_seen has a bit per entry: the decoder has found out that it is
 * bogus and ignores it. p6_bogus_learn() clears the bit.
 */
#ifndef SOFTPMU_MODEL_P6_BOGUS_H
#define SOFTPMU_MODEL_P6_BOGUS_H

#include "model/p6/p6.h"

/* Returns a bit per instruction of b, instruction 0 in bit 0: the BTB has an entry for a byte of it
 * that ends no branch. Asked once, when the templates of b are made: entries that come later are
 * not found. Changes nothing. */
uint64_t p6_bogus_of(const struct p6 *m, const struct x86_block *b);

/* Instruction s at linear address pc was decoded. For each entry of one of its bytes that is bogus,
 * not seen yet, and predicts a taken branch: counts E4H and E6H and sends fetch back
 * (p6_decode_baclear()). Call it behind p6_decode(), for instructions of p6_bogus_of() alone. */
void p6_bogus_decode(struct p6 *m, const struct p6_code *s, uint64_t pc);

/* A branch whose last byte is at linear address `last` was executed. If the BTB has an entry for
 * it, the decoder follows that entry again. */
void p6_bogus_learn(struct p6 *m, uint64_t last);

#endif
