/* mob.h -- load and store buffers (mob.c). */
#ifndef SOFTPMU_MODEL_P6_MOB_H
#define SOFTPMU_MODEL_P6_MOB_H

#include "model/p6/p6.h"

/* A locked load whose sources are there at ready_clk: when it begins. */
uint64_t p6_mob_lock(struct p6 *m, const struct p6_effect *x, uint64_t ready_clk);
uint64_t p6_mob_load(struct p6 *m, const struct p6_pend *p, uint64_t ready_clk, uint64_t *done_clk);
uint64_t p6_mob_address(struct p6 *m, const struct p6_pend *p, uint64_t ready_clk,
			uint64_t *done_clk);
uint64_t p6_mob_data(struct p6 *m, const struct p6_pend *p, uint64_t ready_clk, uint64_t *done_clk);

/* The store whose micro-ops came last retires. */
void p6_mob_retire(struct p6 *m, const struct p6_pend *p, uint64_t retire_clk);

#endif
