/* plain.h -- blocks executed in program order, without short cuts.
 *
 * The functions that run instructions return 0, -SPMU_EPROTO (a repeat count that cannot be) or
 * -SPMU_ENOTSUP (one too long to count). slots are the 8-byte values of the record.
 *
 * COUNTING RULES   as in plain.c.
 */
#ifndef SOFTPMU_MODEL_P5_PLAIN_H
#define SOFTPMU_MODEL_P5_PLAIN_H

#include "model/p5/p5.h"

/* ---- plain.c --------------------------------------------------------------------------------- */

/* Do what the first n instructions of b do to the state. has_fpmmx: changes between x87 and MMX,
 * too. */
int p5_run_plain(struct p5 *m, const struct x86_block *b, const uint8_t *slots, unsigned n,
		 bool has_fpmmx);

/* Instruction i of b alone. */
int p5_run_insn(struct p5 *m, const struct x86_block *b, const uint8_t *slots, unsigned i,
		bool has_fpmmx);

/* As p5_run_insn(), for an instruction on its way through the pipes. */
int p5_run_op(struct p5 *m, const struct p5_fly *f);

/* Its data references alone, of an instruction that keeps the usual order. */
void p5_run_references(struct p5 *m, const struct p5_fly *f);

/* Count what instructions [from, to) of b count statically, now. */
void p5_count_now(struct p5 *m, const struct x86_block *b, unsigned from, unsigned to);

/* ---- masked.c -------------------------------------------------------------------------------- */

/* Reference k of b, of which the mask says what is touched (X86_REF_PARTS). */
void p5_masked_run(struct p5 *m, const struct x86_block *b, unsigned k, const uint8_t *slots);

#endif
