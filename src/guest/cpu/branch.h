/* branch.h -- a near branch of a 64-bit program to an address that is not canonical: the branch
 * faults, not its target.
 *
 * Translated code looks at the target only when the branch is done: its record is complete, CALL
 * has pushed, RET has popped. All of that is taken back here. Otherwise the branch would count as
 * retired, and the handler would find RIP at the target and RSP changed.
 *
 * COUNTING RULES   the branch has not retired.
 * MODELLED         #GP(0) of JMP, CALL, RET and Jcc as on Intel's processors: RIP is the branch,
 *                  RSP is as before it.
 * NOT MODELLED     a CALL has written its return address below RSP.
 * SOURCES          Intel SDM vol. 2: CALL, JMP, Jcc, RET, "64-Bit Mode Exceptions".
 */
#ifndef SOFTPMU_GUEST_BRANCH_H
#define SOFTPMU_GUEST_BRANCH_H

#include <stdint.h>

struct gst;

/* The branch that ends `block` has just been executed and leads to an address that is not
 * canonical: undo it, and raise #GP(0) at the branch. gs->pc is the handler's first instruction
 * then, or the program ends. */
void gst_branch_fault(struct gst *g, uint32_t block);

#endif
