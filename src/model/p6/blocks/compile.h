/* compile.h -- blocks compiled from their facts (blk.h).
 *
 * They lie one after another in p6_blocks.arena, which the machine owns. A position names one for
 * as long as the arena lives; a pointer to one holds until the next block is compiled.
 *
 * COUNTING RULES   as in compile.c.
 */
#ifndef SOFTPMU_MODEL_P6_COMPILE_H
#define SOFTPMU_MODEL_P6_COMPILE_H

#include "model/p6/p6.h"

/* Compile block `id` of the store. Returns its position, or P6_NO_ENTRY when the block's facts
 * cannot be or memory is out. Cost: below 1 us. */
uint32_t p6_compile(struct p6 *m, uint32_t id);

/* Free the arena: all compiled blocks are void. */
void p6_arena_free(struct p6 *m);

/* Position of block `id`, compiled now when it is new; P6_NO_ENTRY when there is no such block or
 * memory is out. Compiling moves the arena. */
uint32_t p6_meet(struct p6 *m, uint32_t id);

/* What one execution of block `id` always adds to the total of `wire`. */
uint64_t p6_once(struct p6 *m, uint32_t id, unsigned wire);

static inline struct p6_blk *p6_blk_at(const struct p6 *m, uint32_t position)
{
	return (struct p6_blk *)(void *)(m->blocks.arena + (size_t)position * 16);
}

/* Add to m->blocks.tally what instruction i of b counts whenever its block runs. */
void p6_always(struct p6 *m, const struct x86_block *b, unsigned i);

#endif
