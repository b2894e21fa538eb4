/* fill.h -- lines on their way (fill.c). */
#ifndef SOFTPMU_MODEL_P6_FILL_H
#define SOFTPMU_MODEL_P6_FILL_H

#include "model/p6/p6.h"

/* The lines of x are asked for at clk. Returns the clock in which the last one's first chunk can
 * be used. */
uint64_t p6_fill_data(struct p6 *m, const struct p6_effect *x, uint64_t clk);
uint64_t p6_fill_code(struct p6 *m, const struct p6_effect *x, uint64_t clk);

/* The transactions of x with memory that is not cacheable, one behind the other, reads or
 * writes. Returns the clock in which the last one's data are there, or taken. */
uint64_t p6_fill_uncached(struct p6 *m, unsigned n, uint64_t clk);

/* Core clocks in which the bus is locked for n transactions of one locked sequence. */
uint64_t p6_fill_lock_clk(const struct p6 *m, unsigned n);

/* The clock from which a buffer is free. */
uint64_t p6_fill_room(const struct p6_time *t);

/* What x writes past the caches leaves its buffers from clk on. Returns the clock in which the
 * last one has one. */
uint64_t p6_fill_past(struct p6 *m, const struct p6_effect *x, uint64_t clk);

/* Clock >= clk from which the line of x can be used, which may be on its way. */
uint64_t p6_fill_wait(const struct p6_time *t, const struct p6_effect *x, uint64_t clk);

#endif
