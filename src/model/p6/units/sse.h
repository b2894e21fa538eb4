/* sse.h -- unit sse: what SSE instructions count.
 *
 * COUNTING RULES   as in sse.c.
 */
#ifndef SOFTPMU_MODEL_P6_SSE_H
#define SOFTPMU_MODEL_P6_SSE_H

#include <stdint.h>

#include "model/parts/tally.h"
#include "x86/block.h"

/* Add what n, of `kinds`, counts on this unit's wires whenever it retires to t. */
void p6_sse_count(const struct x86_insn *n, uint32_t kinds, struct tally *t);

#endif
