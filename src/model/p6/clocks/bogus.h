/* bogus.h -- BTB entries of what is no branch any more (bogus.c). */
#ifndef SOFTPMU_MODEL_P6_BOGUS_H
#define SOFTPMU_MODEL_P6_BOGUS_H

#include "model/p6/p6.h"

/* Bit per instruction of b, which is met for the first time: does the BTB have an entry for a
 * byte of it that ends no branch? */
uint64_t p6_bogus_of(const struct p6 *m, const struct x86_block *b);

/* The instruction at pc was decoded: send fetch back for each such entry that predicts a taken
 * branch. */
void p6_bogus_decode(struct p6 *m, const struct p6_code *s, uint64_t pc);

/* A branch was executed whose last byte is at `last`: its entry is none of those any more. */
void p6_bogus_learn(struct p6 *m, uint64_t last);

#endif
