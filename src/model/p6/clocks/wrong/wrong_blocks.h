/* wrong_blocks.h -- which block a wrong path meets at an address: the one that was executed there
 * last.
 *
 * The machine owns the table (p6_time.by_pc) and is one user of each template in it. A block that
 * takes the place of another one, and p6_wrong_close(), count in p6_time.by_pc_changes: paths that
 * were walked before are void then (wrong_tree.c).
 */
#ifndef SOFTPMU_MODEL_P6_WRONG_BLOCKS_H
#define SOFTPMU_MODEL_P6_WRONG_BLOCKS_H

#include <stdint.h>

struct p6;
struct p6_tblk;

/* The block of templates t is executed: from now on a wrong path can lead through it. t gets one
 * more user; when memory is out, nothing happens. */
void p6_wrong_learn(struct p6 *m, struct p6_tblk *t);

/* Templates of the block that was executed at pc, or NULL. */
const struct p6_tblk *p6_wrong_find(const struct p6 *m, uint64_t pc);

/* Forget all blocks, and free the table. */
void p6_wrong_close(struct p6 *m);

#endif
