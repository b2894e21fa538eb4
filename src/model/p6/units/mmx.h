/* mmx.h -- unit mmx: what MMX instructions count, and changes between x87 and MMX.
 *
 * COUNTING RULES   as in mmx.c.
 */
#ifndef SOFTPMU_MODEL_P6_MMX_H
#define SOFTPMU_MODEL_P6_MMX_H

#include <stdint.h>

#include "model/parts/tally.h"
#include "x86/block.h"

struct p6;

/* Which of the two an instruction belongs to; they share their registers. */
enum p6_fpmmx { P6_FPMMX_X87 = 1, P6_FPMMX_MMX = 2 };

struct p6_mmx {
	uint8_t last; /* enum p6_fpmmx of the last such instruction; p6_feed_fpmmx() writes it */
};

/* Add what n, of `kinds` and so many micro-ops that are not on port 4, counts whenever it retires
 * to t. */
void p6_mmx_count(const struct x86_insn *n, uint32_t kinds, unsigned uops_p0123, struct tally *t);

/* A block with x87 or MMX instructions is executed: a change counts when its first one is of
 * another kind than the last one before it. Changes inside the block are counted with the block.
 * Called in program order, not for blocks without such instructions: ends of 0 would make
 * it forget the last kind, and the next block would count a change. ends: p6_blk.fpmmx, the kind
 * (enum p6_fpmmx) of the first one in bits 0 to 3, of the last in 4 to 7. */
void p6_feed_fpmmx(struct p6 *m, unsigned ends);

#endif
