/* owner.h -- the pipes book what they count to the instruction that caused it (parts/ledger.h).
 *
 * A ledger books all that has moved on the wires since its last booking. So call p5_ledger_fly()
 * right behind each piece of work for one instruction: what is booked late goes to the next one.
 */
#ifndef SOFTPMU_MODEL_P5_OWNER_H
#define SOFTPMU_MODEL_P5_OWNER_H

#include "model/p5/blocks/ledger.h"
#include "model/p5/p5.h"

/* Book what has moved since the last booking to instruction f->insn of f->block, in context
 * f->context. The block may be a copy of one that was forgotten. Without a ledger nothing happens.
 * Cost: a comparison without a ledger. */
static inline void p5_ledger_fly(struct p5 *m, const struct p5_fly *f)
{
	if (__builtin_expect(m->ledger != NULL, 0))
		p5_ledger_book_fly(m, f);
}

#endif
