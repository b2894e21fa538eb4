/* rob.c -- unit core: retirement.
 *
 * COUNTING RULES   79H: clocks until the last micro-op has retired.
 * MODELLED         three micro-ops a clock, in order; a taken branch only as the first of a clock.
 * NOT MODELLED     sleep in system calls: it passes outside time.
 * SOURCES          Agner Fog 2000 ch. 18.
 */
#include "model/p6/p6.h"

uint64_t p6_rob_retire(struct p6 *m, const struct p6_pend *p, uint64_t done_clk)
{
	struct p6_time *t = &m->time;
	const uint64_t clk = done_clk + 1;

	if (clk > t->retire_clk) {
		t->retire_clk = clk;
		t->retired = 0;
	}
	if (t->retired == t->par.retire_uops || (t->retired && p->is_taken)) {
		t->retire_clk++;
		t->retired = 0;
	}
	t->retired++;
	return t->retire_clk;
}
