/* rob.h -- retirement (rob.c). */
#ifndef SOFTPMU_MODEL_P6_ROB_H
#define SOFTPMU_MODEL_P6_ROB_H

#include "model/p6/p6.h"

/* An RDPMC, of which n_own micro-ops came before this one, reads its counter at clk, but not
 * before an older one did. */
void p6_rob_read(struct p6 *m, uint64_t clk, unsigned n_own);

/* p, executed at done_clk, retires behind everything older. Returns the clock. */
uint64_t p6_rob_retire(struct p6 *m, const struct p6_pend *p, uint64_t done_clk);

#endif
