/* int.c -- unit int: hardware interrupts, and clocks without them.
 *
 * COUNTING RULES   C8H: one per interrupt accepted, in front of the first instruction behind the
 *                  clock in which the timer asked; what it asked for meanwhile is one. A program
 *                  cannot clear IF: C6H and C7H are 0. A whole machine says when it accepts one
 *                  (TRC_INTERRUPT) and when IF changes or one waits (TRC_MASK); C6H and C7H are the
 *                  clocks from the retirement of what was executed before one such change to that
 *                  of what was executed before the next.
 * MODELLED         a timer (--timer-hz N) that asks every core_hz / N clocks, the first time after
 *                  one period. The program finds its pipeline empty behind it: fetch starts anew as
 *                  behind a mispredicted branch, and nothing is known any more of the upper parts
 *                  of registers that were cleared.
 * NOT MODELLED     the timer's handler: its clocks, with interrupts disabled or not, and what it
 *                  does to caches, TLBs and BTB belong to the kernel. What the processor itself
 *                  does to accept one: its reads of tables, its pushes.
 * SOURCES          Intel 242816-003 table 7-2; Agner Fog 2000 19.1; choices in docs/MODELS.md
 *                  "int".
 */
#include "model/p6/p6.h"
#include "model/p6/clocks/decode.h"
#include "model/p6/clocks/int.h"
#include "model/p6/clocks/rat.h"
#include "trace/record.h"

void p6_int_open(struct p6 *m, uint32_t timer_hz)
{
	m->time.timer_period_clk = timer_hz ? 1000000ull * m->cpu->core_mhz / timer_hz : 0;
	m->time.timer_next_clk = m->time.timer_period_clk;
}

/* The pipeline empties, and fetch begins anew. */
static void take(struct p6 *m)
{
	struct p6_time *t = &m->time;

	p6_rat_flush(m);
	P6_RAISE(m, INT_HW_RX, 1);
	p6_decode_restart(m, t->retire_clk);
	p6_stack_front(&t->stack, P6_SLOT_INTERRUPT, t->stack.late_clk);
	for (unsigned i = 0; i < 16; i++)
		t->part[i].zero = 0;
	t->zero = 0;
}

void p6_int_accept(struct p6 *m)
{
	struct p6_time *t = &m->time;

	if (t->retire_clk < t->timer_next_clk)
		return;
	take(m);
	while (t->timer_next_clk <= t->retire_clk)
		t->timer_next_clk += t->timer_period_clk;
}

/* ---- of a whole machine ---------------------------------------------------------------------- */

void p6_int_deliver(struct p6 *m, bool is_interrupt)
{
	P6_RAISE(m, SEG_LOAD, 1); /* CS */
	if (!is_interrupt)
		return;
	if (!m->time.is_on) {
		P6_RAISE(m, INT_HW_RX, 1);
		return;
	}
	take(m);
}

void p6_int_sum(const struct p6 *m, uint64_t *total)
{
	const struct p6_time *t = &m->time;
	const uint64_t clk = t->retire_clk - t->int_mask_clk;

	total[WIRE_P6_INT_MASKED] += t->int_mask & TRC_MASK_IS_MASKED ? clk : 0;
	total[WIRE_P6_INT_MASKED_PENDING] += t->int_mask & TRC_MASK_IS_PENDING ? clk : 0;
}

void p6_int_mask(struct p6 *m, uint32_t mask)
{
	struct p6_time *t = &m->time;

	if (!t->is_on)
		return;
	p6_int_sum(m, m->dyn);
	t->int_mask = mask;
	t->int_mask_clk = t->retire_clk;
}
