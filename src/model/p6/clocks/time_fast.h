/* time_fast.h -- blocks of usual instructions, whose clocks are worked out in one loop (time_fast.c). */
#ifndef SOFTPMU_MODEL_P6_TIME_FAST_H
#define SOFTPMU_MODEL_P6_TIME_FAST_H

#include <stdbool.h>
#include <stdint.h>

#include "model/p6/clocks/template.h"

struct p6;
struct x86_block;

/* What a micro-op and its step come to, for that loop. */
struct p6_fast_uop {
	uint64_t reads, writes; /* bit per register; carry is not among those read */
	uint32_t needs;		/* entries: of the load buffer, and << 8 of the store buffer */
	uint32_t zero_clear;	/* of the word of time_zero.h, when zero_is_simple: all it does there */
	uint16_t part_reads;	/* of its step, bit per register: read at all, */
	uint16_t cut_writes, whole_writes; /* and written in part or as a whole */
	bool is_fast;
	bool zero_is_simple;
};

/* That of u, a micro-op of s. */
struct p6_fast_uop p6_fast_make(const struct p6_uop *u, const struct p6_step *s);

/* As p6_block_run(), if that is how it can be done: else nothing happens, and the result is false. Cost: some 500 instructions of the
 * host per micro-op. */
bool p6_fast_run(struct p6 *m, const struct x86_block *b, const struct p6_tblk *t, unsigned from, unsigned n, bool is_taken);

/* As p6_rat_flush(), in the same way. */
bool p6_fast_flush(struct p6 *m);

#endif
