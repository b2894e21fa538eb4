/* step_owners.h -- whose the counts of kept steps are, when a ledger is kept (parts/ledger.h).
 *
 * While a step is worked out, the ledger notes what it books. The step keeps that list; when uses
 * of steps are added to the totals, each list is booked once, times the uses.
 *
 * COUNTING RULES   as the ledger's. The clock of retirement may lie further back than a state says
 *                  (what nothing compares is one value there): what a use moves it by more, or
 *                  less, belongs to the instruction for which the step moves it first.
 * NOT MODELLED     forgetting single lists: when there is no room, all steps go.
 */
#ifndef SOFTPMU_MODEL_P6_STEP_OWNERS_H
#define SOFTPMU_MODEL_P6_STEP_OWNERS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/p6/kept/memo_steps.h"

struct p6;
struct p6_owners;

/* Room for the lists of most_leaps steps. NULL without memory. Freed by p6_owners_close(). */
struct p6_owners *p6_owners_open(uint32_t most_leaps);
void p6_owners_close(struct p6_owners *o);

/* What the ledger noted since it began to belongs to step number `leap`. Returns false when there
 * is no room: the step must not be used. */
bool p6_owners_keep(struct p6_owners *o, const struct p6 *m, uint32_t leap);

/* Step number `leap` was used just now, which moved the clock of retirement by clk. */
void p6_owners_used(struct p6_owners *o, struct p6 *m, uint32_t leap, uint64_t clk);

/* Book what the uses of steps came to; right before p6_steps_take(). */
void p6_owners_book(const struct p6_owners *o, struct p6 *m, const struct p6_steps *steps);

/* All steps are dropped. */
void p6_owners_flush(struct p6_owners *o);

#endif
