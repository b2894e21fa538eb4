/* branch.h -- a near branch to what is no address. */
#ifndef SOFTPMU_GUEST_BRANCH_H
#define SOFTPMU_GUEST_BRANCH_H

#include <stdint.h>

struct gst;

/* The branch that ends `block` has just been executed and leads to an address that is not
 * canonical: undo it and raise #GP at the branch. 64-bit programs. */
void gst_branch_fault(struct gst *g, uint32_t block);

#endif
