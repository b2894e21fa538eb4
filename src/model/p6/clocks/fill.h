/* fill.h -- lines on their way (fill.c).
 *
 * All clocks are core clocks. What is asked for takes fill buffers, the L2 data bus and the
 * external bus in the order of the calls, and counts what it does there (22H, 23H, 48H, 60H). So an
 * access is asked for once, and an older one before a younger one. x is what an access did to the
 * structures (struct p6_effect); it is only read.
 */
#ifndef SOFTPMU_MODEL_P6_FILL_H
#define SOFTPMU_MODEL_P6_FILL_H

#include "model/p6/p6.h"

/* Ask for the lines of a data access at clk, behind its page walks; what it put out leaves. A line
 * for which no fill buffer is free waits for one. Returns the clock in which the value of a load
 * can be used: of the last line's first chunk, and not before clk + par.load_clk. */
uint64_t p6_fill_data(struct p6 *m, const struct p6_effect *x, uint64_t clk);

/* Ask for the lines of a code fetch at clk, one behind the other, without fill buffers. Returns the
 * clock in which the code is there; clk if x asks for nothing. */
uint64_t p6_fill_code(struct p6 *m, const struct p6_effect *x, uint64_t clk);

/* Make n transactions with memory that is not cacheable, one behind the other, from clk on. Reads
 * and writes take the same. Returns the clock in which the last one's data are there, or taken; clk
 * if n is 0. */
uint64_t p6_fill_uncached(struct p6 *m, unsigned n, uint64_t clk);

/* Returns how many core clocks the bus is locked for n transactions of one locked sequence. Takes
 * no bus and counts nothing. */
uint64_t p6_fill_lock_clk(const struct p6 *m, unsigned n);

/* Returns the clock from which a fill buffer is free, which may be past. Takes none. */
uint64_t p6_fill_room(const struct p6_time *t);

/* Send what x writes past the caches (wc_lines, wc_parts) to the bus, from clk on, each through a
 * fill buffer. Returns the clock in which the last one has got a buffer; clk if there is nothing.
 */
uint64_t p6_fill_past(struct p6 *m, const struct p6_effect *x, uint64_t clk);

/* Returns the clock from which the line of x can be used: clk, or later if the miss x->fill still
 * has it on its way. Asks for nothing. */
uint64_t p6_fill_wait(const struct p6_time *t, const struct p6_effect *x, uint64_t clk);

#endif
