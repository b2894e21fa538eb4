/* stack.h -- where the clocks went: the slots of retirement by what held them (stack.c).
 *
 * A core clock has par.retire_uops slots; they are numbered from 0, the first of clock 1. Each slot
 * goes to one reason, enum p6_slot, whose wire is WIRE_P6_CORE_SLOT_RETIRE + reason. What can hold
 * an instruction is noted where it happens (front, group, source). p6_stack_retire() reads it when
 * the micro-op retires, and counts.
 *
 * ORDER   retirement in program order: slots are counted once, up to p6_stack.next.
 */
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
	uint8_t front;	   /* enum p6_slot: what held the instruction decoded last longest */
	uint8_t late;	   /* enum p6_slot: what has held the next instruction longest so far */
	uint64_t late_clk; /* for how many clocks; 0: nothing has held it */
	uint8_t group; /* what held the group renamed last; P6_N_SLOTS: its micro-ops came late */
	/* enum p6_slot: what a reader of the register waits for */
	uint8_t level[P6_N_REGS];
	/* what a reader of the result of a micro-op of the present instruction waits for */
	uint8_t done[P6_MAX_UOPS];
	uint64_t next; /* number of the first slot that is not counted yet */
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

/* The instruction is decoded: front is what held it longest, P6_SLOT_DECODE if nothing did. */
static inline void p6_stack_decoded(struct p6_stack *s)
{
	s->front = s->late_clk ? s->late : P6_SLOT_DECODE;
	s->late_clk = 0;
}

/* The group being renamed waits because of `why`: the slots in front of it are that reason's. */
void p6_stack_stall(struct p6 *m, enum p6_why why);

/* Core clocks of a micro-op that retires: renamed, sources there, dispatched, result there. source:
 * enum p6_slot, what made its last source late. */
struct p6_stack_uop {
	uint64_t rename_clk, ready_clk, dispatch_clk, done_clk;
	uint8_t source;
};

/* Micro-op p has retired in time.retire_clk, as the time.retired'th of that clock: count its slot
 * and the empty ones in front of it. Call it behind p6_rob_retire(). */
void p6_stack_retire(struct p6 *m, const struct p6_pend *p, const struct p6_stack_uop *u);

/* A REP instruction was decoded at ready_clk and is done at clk, with `uops` micro-ops: count all
 * slots up to clk, its own included. */
void p6_stack_rep(struct p6 *m, uint64_t ready_clk, uint64_t uops, uint64_t clk);

/* Returns what a micro-op that needs the result of p waits for: the level of memory of a load, else
 * P6_SLOT_LATENCY. time.why is that of p. */
enum p6_slot p6_stack_level(const struct p6 *m, const struct p6_pend *p);

#endif
