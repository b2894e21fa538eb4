/* masked.h -- what masked moves, gathers and scatters touch.
 *
 * Used by p5/blocks/masked.c and p6/blocks/masked.c. It depends on a mask and, for gathers and
 * scatters, on a vector of indices; both are in the record (struct x86_parts).
 *
 * COUNTING RULES   a masked access is one part from its first to its last byte that counts; one
 *                  whose mask is empty is none. An element of a gather or scatter is a part of its
 *                  own, lowest first.
 */
#ifndef SOFTPMU_MODEL_PARTS_MASKED_H
#define SOFTPMU_MODEL_PARTS_MASKED_H

#include <stdint.h>

#include "x86/block.h"

#define MASKED_MOST_PARTS 64u

struct masked_part {
	uint64_t lin; /* modulo 2^48 */
	uint32_t bytes;
};

/* The parts of reference k of b (X86_REF_PARTS) whose operand without index is at linear address
 * lin. slots: the record's. Returns how many; 0 also for facts that cannot be. */
unsigned masked_parts(const struct x86_block *b, unsigned k, const uint8_t *slots, uint64_t lin,
		      struct masked_part part[MASKED_MOST_PARTS]);

#endif
