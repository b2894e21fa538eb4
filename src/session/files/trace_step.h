/* trace_step.h -- how many instructions a record of a trace holds, and whether it can be cut. */
#ifndef SOFTPMU_SESSION_TRACE_STEP_H
#define SOFTPMU_SESSION_TRACE_STEP_H

#include <stddef.h>
#include <stdint.h>

#include "x86/block.h"

struct ses_trace_step {
	uint32_t insns; /* executed in it */
	uint32_t block;
	const uint8_t *slots; /* the values of the block; NULL: it cannot be cut */
};

/* The record of `size` bytes at p. Its block is looked for in store; one that is not there, or does
 * not have so many instructions and values, cannot be cut. */
void ses_trace_step(const struct x86_store *store, const uint8_t *p, size_t size,
		    struct ses_trace_step *out);

#endif
