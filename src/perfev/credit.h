/* credit.h -- how far the guest may run before an overflow could have happened for which it must stand still.
 *
 * COUNTING RULES   an overflow that stops the guest is found with nothing executed behind the instruction that brought it.
 * HOW              what a block or an instruction can count at most is a limit of the model (mdl_most()), not a guess. The guest takes
 *                  the limits of its blocks off what it was given (struct shr_room) and asks when a block could pass it; the
 *                  answer is exact again. A block that could overflow goes instruction by instruction: as many at once as
 *                  cannot overflow, then one.
 *                  A REP instruction is one instruction; how often it repeats is known where the guest stands before it.
 */
#ifndef SOFTPMU_PERFEV_CREDIT_H
#define SOFTPMU_PERFEV_CREDIT_H

#include "perfev/local.h"

/* result[2] of REQ_PERF for a guest that stands before `block` (REQ_PERF_NO_BLOCK: not known) with `count` in rcx (all ones: not
 * known), and shr_ctl.room. Notes in l how the guest goes on. Cost: a look at the links, and at the block's instructions. */
uint64_t pev_credit(struct pev_local *l, const struct ses_server *s, uint64_t block, uint64_t count);

#endif
