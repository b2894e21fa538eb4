/* int.c -- unit int: hardware interrupts.
 *
 * COUNTING RULES   27H: one per interrupt accepted, at the first instruction of a pair behind the
 *                  clock in which the timer asked; what it asked for meanwhile is one. 15H counts
 *                  it as a flush. A whole machine says when it delivers one or an exception
 *                  (TRC_INTERRUPT): one more of 16H, 12H, 14H, 15H and 0FH (CS).
 * MODELLED         a timer (--timer-hz N) that asks every core_hz / N clocks, the first time after
 *                  one period. The user's program loses the refill of its pipe (int.refill_clk,
 *                  chosen).
 * NOT MODELLED     the timer's handler: its clocks, instructions and branches (12H, 16H) belong
 *                  to the kernel, and what it does to caches, TLBs and BTB is left out; errata.
 * SOURCES          Intel 241428 (1997) 16.4.6; choices in docs/MODELS.md "p5 int".
 */
#include "model/p5/p5.h"
#include "model/p5/units/wait.h"

void p5_int_open(struct p5 *m, uint32_t timer_hz)
{
	m->intr.period_clk = timer_hz ? 1000000ull * m->cpu->core_mhz / timer_hz : 0;
	m->intr.next_clk = m->intr.period_clk;
}

/* The pipe is filled again. */
static void refill(struct p5 *m)
{
	P5_RAISE(m, CORE_FLUSH, 1);
	p5_wait_until(m, m->time.data_clk + m->par[P5_PAR_INT_REFILL_CLK], P5_WHY_FLUSH);
}

void p5_int_accept(struct p5 *m)
{
	P5_RAISE(m, INT_HW, 1);
	refill(m);
	while (m->intr.next_clk <= m->time.data_clk)
		m->intr.next_clk += m->intr.period_clk;
}

void p5_int_deliver(struct p5 *m, bool is_interrupt)
{
	P5_RAISE(m, INT_HW, is_interrupt);
	P5_RAISE(m, CORE_INST, 1);
	P5_RAISE(m, CORE_BRANCH, 1);
	P5_RAISE(m, BTB_TAKEN_OR_HIT, 1);
	P5_RAISE(m, SEG_LOAD, 1);
	if (m->time.is_on)
		refill(m);
}
