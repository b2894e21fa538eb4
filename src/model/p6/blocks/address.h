/* address.h -- linear addresses of references. */
#ifndef SOFTPMU_MODEL_P6_ADDRESS_H
#define SOFTPMU_MODEL_P6_ADDRESS_H

#include "model/p6/p6.h"

/* Linear address of reference k of b with the record's slot values. */
static inline uint64_t p6_address(const struct p6 *m, const struct x86_block *b, unsigned k,
				  const uint8_t *slots)
{
	return reader_address(b, k, slots, m->seg.fs_base);
}

#endif
