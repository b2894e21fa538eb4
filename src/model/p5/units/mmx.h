/* mmx.h -- unit mmx: static counts of MMX instructions, changes between x87 and MMX, and elements
 * that saturate.
 *
 * COUNTING RULES   as in mmx.c.
 */
#ifndef SOFTPMU_MODEL_P5_MMX_H
#define SOFTPMU_MODEL_P5_MMX_H

#include <stdint.h>

#include "model/parts/tally.h"
#include "x86/block.h"

struct p5;

/* Which of the two an instruction belongs to; they share their registers. */
enum p5_fpmmx { P5_FPMMX_X87 = 1, P5_FPMMX_MMX = 2 };

struct p5_mmx {
	uint8_t last; /* enum p5_fpmmx of the last such instruction; p5_mmx_switch() writes it */
};

/* Add what one execution of n counts to t; kinds: p5_kinds() of it. */
void p5_mmx_count(const struct x86_insn *n, uint32_t kinds, struct tally *t);

/* An x87 or MMX instruction is executed: it counts a change when the last one was of the other
 * kind. In program order, and for each of them: one that is left out leaves the old kind behind,
 * and changes are counted that there were not. In time after p5_fpu_wait() and p5_mmx_wait() of its
 * slot, which look at the last kind: else the clocks of the change would be missing. */
void p5_mmx_switch(struct p5 *m, enum p5_fpmmx now);

/* Count those of the instructions [from, to) of b that clipped an element, by the operands in the
 * record. slots: the 8-byte values of the whole block. A range that is given twice counts twice. */
void p5_mmx_clip(struct p5 *m, const struct x86_block *b, const uint8_t *slots, unsigned from,
		 unsigned to);

/* Returns the kinds of the first (bits 0 to 3) and of the last (4 to 7) x87 or MMX instruction of
 * b, 0 when it has none. The changes between them are added to t, unless that is NULL. */
uint8_t p5_mmx_ends(struct p5 *m, const struct x86_block *b, struct tally *t);

#endif
