/* stack.h -- where the clocks went: the slots of retirement by what held them (stack.c). */
#ifndef SOFTPMU_MODEL_P6_STACK_H
#define SOFTPMU_MODEL_P6_STACK_H

#include <stdbool.h>
#include <stdint.h>

#include "model/p6/clocks/asked/reasons.h"
#include "model/p6/clocks/template.h"

struct p6;
struct p6_pend;

enum p6_slot {
#define P6_SLOT(id) P6_SLOT_##id,
#include "model/p6/clocks/asked/slots.def"
#undef P6_SLOT
	P6_N_SLOTS
};

struct p6_stack {
	bool is_on;
	uint8_t front;	   /* enum p6_slot: what held the instruction decoded last most, */
	uint8_t late;	   /* the same of the next one so far, */
	uint64_t late_clk; /* and for how long */
	uint8_t group; /* what held the group renamed last; P6_N_SLOTS: its micro-ops came late */
	uint8_t level[P6_N_REGS];  /* what who reads a register waits for */
	uint8_t done[P6_MAX_UOPS]; /* the same for micro-ops of the present instruction */
	uint64_t next;		   /* number of the first slot that is not told yet */
};

/* ---- only when p6_stack.is_on ---------------------------------------------------------------- */

/* Fetch or decode of the next instruction is held for clk by slot (enum p6_slot). */
static inline void p6_stack_front(struct p6_stack *s, enum p6_slot slot, uint64_t clk)
{
	if (clk >= s->late_clk && clk) {
		s->late = (uint8_t)slot;
		s->late_clk = clk;
	}
}

/* It is decoded. */
static inline void p6_stack_decoded(struct p6_stack *s)
{
	s->front = s->late_clk ? s->late : P6_SLOT_DECODE;
	s->late_clk = 0;
}

/* The group being renamed waits. */
void p6_stack_stall(struct p6 *m, enum p6_why why);

/* The clocks of micro-op p, which retires now. usual: from dispatch to done without misses; source:
 * what its last source waits for. */
struct p6_stack_uop {
	uint64_t rename_clk, ready_clk, dispatch_clk, done_clk;
	uint8_t source;
};
void p6_stack_retire(struct p6 *m, const struct p6_pend *p, const struct p6_stack_uop *u);

/* A REP instruction: decoded at ready_clk, so many micro-ops, all of it done at clk. */
void p6_stack_rep(struct p6 *m, uint64_t ready_clk, uint64_t uops, uint64_t clk);

/* What who needs the result of p waits for. */
enum p6_slot p6_stack_level(const struct p6 *m, const struct p6_pend *p);

#endif
