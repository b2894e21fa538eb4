/* rob.h -- unit core: retirement.
 *
 * Clocks are those of the core (clocks/time.h). Micro-ops of the right path come in program order,
 * each once: p6_time.retire_clk only goes on. Nothing checks the order; a micro-op that comes
 * behind a younger one retires too late.
 *
 * COUNTING RULES   as in rob.c.
 * SOURCES          Agner Fog 2000 ch. 18; figures in catalog/p6/params.tsv.
 */
#ifndef SOFTPMU_MODEL_P6_ROB_H
#define SOFTPMU_MODEL_P6_ROB_H

#include "model/p6/p6.h"

/* An RDPMC, of which n_own micro-ops (0 and more) came before this one, reads its counter at clk,
 * but not before an older one did. Called in front of p6_rob_retire() of this micro-op. When that
 * was and what had not retired then is in p6_time.read_clk, read_own and read_unretired. */
void p6_rob_read(struct p6 *m, uint64_t clk, unsigned n_own);

/* p, executed at done_clk, retires behind everything older. Returns the clock of that: never
 * earlier than the last one, nor than done_clk. *p is borrowed for the call. */
uint64_t p6_rob_retire(struct p6 *m, const struct p6_pend *p, uint64_t done_clk);

#endif
