/* rob.c -- unit core: retirement.
 *
 * COUNTING RULES   79H: clocks until the last micro-op has retired. RDPMC reads when its last
 *                  micro-op executes (those before it look at CR4, the privilege level and ECX),
 *                  never before an older one: what has not happened then is missing
 *                  (time_reading.c). CPUID before it makes the reading exact.
 * MODELLED         three micro-ops a clock, in order; a taken branch only as the first of a clock.
 * NOT MODELLED     sleep in system calls: it passes outside time.
 * SOURCES          Agner Fog 2000 ch. 18.
 */
#include "model/p6/p6.h"
#include "model/p6/clocks/asked/time_reading.h"
#include "model/p6/clocks/rob.h"

uint64_t p6_rob_retire(struct p6 *m, const struct p6_pend *p, uint64_t done_clk)
{
	struct p6_time *t = &m->time;
	const uint64_t clk = done_clk + t->par.done_to_retire_clk;

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

void p6_rob_read(struct p6 *m, uint64_t clk, unsigned n_own)
{
	struct p6_time *t = &m->time;
	unsigned n = 0;

	t->read_clk = p6_later(t->read_clk, clk);
	while (n < t->par.rob && t->rob[(t->rob_at - 1 - n) % P6_MAX_ROB] > t->read_clk)
		n++;
	t->read_own = n < n_own ? n_own - n : 0;
	t->read_unretired = n > n_own ? n - n_own : 0;
	p6_reading_note(m, n_own);
}
