/* tally.h -- a sparse vector over wires while it is summed: what an instruction or a block counts.
 *
 * A tally that was emptied, or that is all zero, is empty.
 */
#ifndef SOFTPMU_MODEL_PARTS_TALLY_H
#define SOFTPMU_MODEL_PARTS_TALLY_H

#include <stdint.h>

#include "wire/wire.h"

struct tally {
	uint32_t n[WIRE_N];	  /* by wire */
	uint16_t touched[WIRE_N]; /* the wires that are not 0 */
	unsigned n_touched;
};

/* Add n to a wire below WIRE_N. Who empties a tally sets n[] of the touched wires and n_touched to
 * 0: a number that stays behind would be lost, because its wire is not touched anew. */
static inline void tally_add(struct tally *t, unsigned wire, uint32_t n)
{
	if (!n)
		return;
	if (!t->n[wire])
		t->touched[t->n_touched++] = (uint16_t)wire;
	t->n[wire] += n;
}

#endif
