/* ledger.h -- what single instructions of this machine counted (parts/ledger.h).
 *
 * COUNTING RULES   as in ledger.c.
 */
#ifndef SOFTPMU_MODEL_P6_LEDGER_H
#define SOFTPMU_MODEL_P6_LEDGER_H

#include "model/p6/p6.h"

/* Open m->ledger for the wires that are wanted, an entry for each of WIRE_N. p6_close() frees it.
 * Returns 0 or -SPMU_ENOMEM. */
int p6_ledger_open(struct p6 *m, const uint8_t *wanted);

/* As mdl_take_ledger(). */
int p6_ledger_take(struct p6 *m, const struct mdl_visit *visit, size_t n, mdl_take_posting *take,
		   void *ctx);

/* As mdl_take_contexts(). */
int p6_ledger_take_contexts(struct p6_system *s, const struct mdl_visit *visit, size_t n,
			    mdl_take_posting *take, void *ctx);

/* With a ledger, book what has moved since the last booking. Without one, each costs a
 * comparison.
 *   insn         to instruction i of b
 *   fpmmx        to the first instruction of b that is x87 or MMX */
static inline void p6_ledger_insn(struct p6 *m, const struct x86_block *b, unsigned i)
{
	if (__builtin_expect(m->ledger != NULL, 0))
		ledger_book(m->ledger, b->id, i);
}

/* To instruction i of b, which may be a copy of a block that was forgotten. */
static inline void p6_ledger_of(struct p6 *m, const struct x86_block *b, unsigned i)
{
	if (__builtin_expect(m->ledger != NULL, 0))
		ledger_book_of(m->ledger, b, i);
}

/* To instruction i of b, which is held or was until now. */
static inline void p6_ledger_held(struct p6 *m, const struct x86_block *b, unsigned i)
{
	uint32_t context;

	if (__builtin_expect(!m->ledger, 1))
		return;
	context = m->ledger->context;
	m->ledger->context = m->time.held_context;
	ledger_book_of(m->ledger, b, i);
	m->ledger->context = context;
}

void p6_ledger_fpmmx(struct p6 *m, const struct p6_blk *b);

/* Count the assists of one execution of b, each booked to its instruction. */
void p6_ledger_assists(struct p6 *m, const struct x86_block *b, const uint8_t *slots);

#endif
