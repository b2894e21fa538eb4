/* ledger.h -- what single instructions of this machine counted (parts/ledger.h).
 *
 * COUNTING RULES   as in ledger.c. The functions that book do nothing without a ledger; the inline
 *                  ones cost a comparison then.
 */
#ifndef SOFTPMU_MODEL_P5_LEDGER_H
#define SOFTPMU_MODEL_P5_LEDGER_H

#include "model/p5/p5.h"

/* Open m->ledger for the wires that are wanted, an entry for each of WIRE_N. p5_close() frees it.
 * Returns 0 or -SPMU_ENOMEM. */
int p5_ledger_open(struct p5 *m, const uint8_t *wanted);

/* As mdl_take_ledger() and mdl_take_contexts(). */
int p5_ledger_take(struct p5 *m, const struct mdl_visit *visit, size_t n, mdl_take_posting *take,
		   void *ctx);
int p5_ledger_take_contexts(struct p5_system *s, const struct mdl_visit *visit, size_t n,
			    mdl_take_posting *take, void *ctx);

/* Book what has moved since the last booking to instruction i of b. */
static inline void p5_ledger_insn(struct p5 *m, const struct x86_block *b, unsigned i)
{
	if (__builtin_expect(m->ledger != NULL, 0))
		ledger_book_of(m->ledger, b, i);
}

/* Book it to the instruction of f, whose block may be a copy of one that was forgotten. If looks
 * are recorded, those since the last booking are that instruction's, too. There must be a ledger.
 */
void p5_ledger_book_fly(struct p5 *m, const struct p5_fly *f);

/* Book it to the first instruction of b that is x87 or MMX. */
void p5_ledger_fpmmx(struct p5 *m, const struct p5_blk *b);

/* Book it to the instruction of reference r of b. There must be a ledger. */
void p5_ledger_reference(struct p5 *m, const struct p5_blk *b, const struct p5_ref *r);

/* As p5_mmx_clip(); with a ledger instruction by instruction. */
void p5_clip(struct p5 *m, const struct x86_block *b, const uint8_t *slots, unsigned from,
	     unsigned to);

#endif
