/* int.h -- unit int: the timer's interrupts, in time.
 *
 * COUNTING RULES   as in int.c.
 */
#ifndef SOFTPMU_MODEL_P5_INT_H
#define SOFTPMU_MODEL_P5_INT_H

#include <stdbool.h>
#include <stdint.h>

struct p5;

struct p5_int {
	uint64_t period_clk; /* core clocks; 0: there is none */
	uint64_t next_clk;   /* it asks in this clock */
	bool is_told;	     /* the stream says when they are delivered: a whole machine */
};

/* Set the timer to so many interrupts a second; 0, or more than the processor has core clocks in a
 * second: none. */
void p5_int_open(struct p5 *m, uint32_t timer_hz);

/* Is there an interrupt to accept before the instruction whose EX is at clk, a core clock? is_in_v:
 * the instruction is the second of its slot, and a slot is not torn apart. */
static inline bool p5_int_is_due(const struct p5_int *i, uint64_t clk, bool is_in_v)
{
	return i->period_clk && clk >= i->next_clk && !is_in_v;
}

/* The interrupt is accepted before the instruction whose EX is at m->time.data_clk, which moves by
 * the refill of the pipe. Only after p5_int_is_due() returned true: without a timer it would never
 * return, and before the timer asked it would count an interrupt too many. */
void p5_int_accept(struct p5 *m);

/* A whole machine: an interrupt is accepted now, or an exception delivered. What was fed is done.
 */
void p5_int_deliver(struct p5 *m, bool is_interrupt);

#endif
