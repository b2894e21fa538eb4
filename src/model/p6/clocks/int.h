/* int.h -- the timer, and the interrupts of a whole machine (int.c). */
#ifndef SOFTPMU_MODEL_P6_INT_H
#define SOFTPMU_MODEL_P6_INT_H

#include "model/p6/p6.h"

/* Set the timer: it asks timer_hz times a second, first after one period. 0: there is no timer;
 * time.timer_period_clk is 0 then. */
void p6_int_open(struct p6 *m, uint32_t timer_hz);

/* Accept an interrupt in front of the next instruction, if the timer asked since the last one; what
 * it asked for several times is one. Then all micro-ops retire, C8H counts, and fetch begins anew.
 * Call it only while time.timer_period_clk is not 0: without a period it would never return. */
void p6_int_accept(struct p6 *m);

/* A whole machine: an interrupt is accepted now. What was fed is done, and no kept step is under
 * way (p6_memo_wake()). */
void p6_int_deliver(struct p6 *m, bool is_interrupt);

/* The same: from now on it is as `mask` (enum trc_mask) says. */
void p6_int_mask(struct p6 *m, uint32_t mask);

/* Add to total[WIRE_N] the clocks since p6_int_mask(), up to now. */
void p6_int_sum(const struct p6 *m, uint64_t *total);

#endif
