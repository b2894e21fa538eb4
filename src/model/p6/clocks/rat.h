/* rat.h -- what rename asks of parts of registers and flags, for rat.c and time_fast.c. Rules are
 * in rat.c. */
#ifndef SOFTPMU_MODEL_P6_RAT_H
#define SOFTPMU_MODEL_P6_RAT_H

#include <string.h>

#include "model/p6/clocks/time.h"

struct p6;

/* Are flags that an instruction with these bits (enum p6_flag_bits) wrote last read without all of
 * them in one place? Flags that it left alone are nowhere but in the register file, even when
 * nobody else is about to write them. */
static inline bool p6_is_flag_stall(uint8_t read, uint8_t written)
{
	return read && (written & P6_F_SLOW || read & ~written);
}

/* The first clock from clk on in which the instruction that number i of the collected group begins
 * can be renamed, as far as parts of registers and flags go. Counts the stall. */
uint64_t p6_rat_wait_parts(struct p6 *m, unsigned i, uint64_t clk);

/* Does step s read what a step of the collected group writes only in part, or write the segment
 * register that one writes? */
bool p6_rat_is_cut_off(const struct p6_rename *r, const struct p6_step *s);

/* When clk lies behind all clocks that the reservation station tells apart, as after a REP
 * instruction, it is empty then: nobody need look at each of them. */
static inline void p6_station_pass(struct p6_time *t, uint64_t clk)
{
	if (clk < t->rs_clk + P6_STATION_CLKS)
		return;
	memset(t->rs_leaving, 0, sizeof(t->rs_leaving));
	t->rs_used = 0;
	t->rs_clk = clk;
}

/* The step of p, its last micro-op, has been renamed and retires at retire_clk: what it wrote. */
void p6_rat_write_parts(struct p6_time *t, const struct p6_pend *p, uint64_t retire_clk);

/* The next micro-op in program order, u of s, which rename can take at ready_clk: where the caller
 * puts all of it. Its group is renamed when it is full, or when p6_rat_flush() says so. */
struct p6_pend *p6_rat_next(struct p6 *m, const struct p6_uop *u, const struct p6_step *s,
			    uint64_t ready_clk);
void p6_rat_flush(struct p6 *m);

#endif
