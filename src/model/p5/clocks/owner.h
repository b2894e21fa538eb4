/* owner.h -- the pipes say whose it is (parts/ledger.h). */
#ifndef SOFTPMU_MODEL_P5_OWNER_H
#define SOFTPMU_MODEL_P5_OWNER_H

#include "model/p5/blocks/ledger.h"
#include "model/p5/p5.h"

/* With a ledger, book what has moved since the last booking to the instruction of f, whose block
 * may be a copy of one that was forgotten. Without one: a comparison. */
static inline void p5_ledger_fly(struct p5 *m, const struct p5_fly *f)
{
	if (__builtin_expect(m->ledger != NULL, 0))
		p5_ledger_book_fly(m, f);
}

#endif
