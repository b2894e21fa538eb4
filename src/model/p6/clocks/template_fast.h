/* template_fast.h -- what a micro-op and its step come to for the loop of time_fast.c.
 *
 * It is found once, when the template store meets the pair, and kept beside it (struct p6_content).
 */
#ifndef SOFTPMU_MODEL_P6_TEMPLATE_FAST_H
#define SOFTPMU_MODEL_P6_TEMPLATE_FAST_H

#include <stdbool.h>
#include <stdint.h>

#include "model/p6/clocks/template.h"

struct p6_fast_uop {
	uint64_t reads, writes; /* bit per register; carry is not among those read */
	uint32_t needs;		/* entries: of the load buffer, and << 8 of the store buffer */
	uint32_t
	    zero_clear; /* of the word of time_zero.h, when zero_is_simple: all it does there */
	uint16_t part_reads;		   /* of its step: registers that are read, a bit each */
	uint16_t cut_writes, whole_writes; /* registers written in part, and as a whole */
	bool is_fast;			   /* the loop of time_fast.c can do it */
	bool zero_is_simple;
};

/* That of u, a micro-op of s. */
struct p6_fast_uop p6_fast_make(const struct p6_uop *u, const struct p6_step *s);

#endif
