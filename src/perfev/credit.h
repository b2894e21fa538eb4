/* credit.h -- how far the guest may run before an overflow could have happened at which it must
 * stop.
 *
 * A signal of an overflow, and a sample that shows registers or callers, must find the program
 * directly after the instruction that overflowed. The guest therefore runs on credit: it gets a
 * room (limits.h), takes the bounds of its blocks off it, and asks again when a block does not
 * fit. A block that could overflow is executed in parts: as many instructions at once as cannot
 * overflow, then one alone.
 *
 * COUNTING RULES   when an overflow that stops the guest is found, nothing has been executed
 *                  after the instruction that brought it. The bounds come from the model
 *                  (mdl_bounds()), so this holds by construction. A REP instruction is one
 *                  instruction; the guest says how often it will repeat.
 */
#ifndef SOFTPMU_PERFEV_CREDIT_H
#define SOFTPMU_PERFEV_CREDIT_H

#include "perfev/local.h"

/* The guest stands before `block` (REQ_PERF_NO_BLOCK: not known) with `count` in rcx (all ones:
 * not known). Returns result[2] of REQ_PERF, sets shr_ctl.room, and notes in l how the guest
 * goes on. Cost: a look at the links and at the instructions of the block. */
uint64_t pev_credit(struct pev_local *l, const struct ses_server *s, uint64_t block,
		    uint64_t count);

#endif
