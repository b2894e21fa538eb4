/* mob.h -- load and store buffers (mob.c).
 *
 * All clocks are core clocks. ready_clk: the sources of the micro-op are there. A function that
 * dispatches a micro-op takes its port, returns the clock of dispatch, and sets *done_clk to the
 * clock in which its result can be used.
 *
 * ORDER   micro-ops in program order; of a store its address, its data, then p6_mob_retire(), once
 *         per instruction that stores. p6_mob_retire() moves on to the next store buffer: before
 * it, p6_mob_data() writes to the buffer of the present store.
 */
#ifndef SOFTPMU_MODEL_P6_MOB_H
#define SOFTPMU_MODEL_P6_MOB_H

#include "model/p6/p6.h"

/* Returns the clock in which a locked load can begin: older stores have been committed, and the
 * lock is taken. Counts 04H and 63H. x: what the access did; NULL if another load of the
 * instruction took the lock. Dispatches nothing: the caller gives the result to p6_mob_load() as
 * ready_clk. */
uint64_t p6_mob_lock(struct p6 *m, const struct p6_effect *x, uint64_t ready_clk);

/* Dispatch a load by port 2. It waits for older stores as the head of mob.c says (03H counts when
 * it does), asks for its lines, and is done with its value. A prefetch is done without it. */
uint64_t p6_mob_load(struct p6 *m, const struct p6_pend *p, uint64_t ready_clk, uint64_t *done_clk);

/* Dispatch the address of a store by port 3. Younger loads may wait for it. */
uint64_t p6_mob_address(struct p6 *m, const struct p6_pend *p, uint64_t ready_clk,
			uint64_t *done_clk);

/* Dispatch the data of a store by port 4. */
uint64_t p6_mob_data(struct p6 *m, const struct p6_pend *p, uint64_t ready_clk, uint64_t *done_clk);

/* The store of p's instruction retires in clock retire_clk: commit it behind the store before, when
 * its line is there. A store into code that L1I had has fetch begin anew (p6_decode_clear()). */
void p6_mob_retire(struct p6 *m, const struct p6_pend *p, uint64_t retire_clk);

#endif
