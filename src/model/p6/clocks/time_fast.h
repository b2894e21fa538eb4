/* time_fast.h -- blocks of usual instructions, whose clocks are worked out in one loop
 * (time_fast.c). */
#ifndef SOFTPMU_MODEL_P6_TIME_FAST_H
#define SOFTPMU_MODEL_P6_TIME_FAST_H

#include <stdbool.h>
#include <stdint.h>

#include "model/p6/clocks/template.h"

struct p6;
struct x86_block;

/* As p6_block_run(), if that is how it can be done: else nothing happens, and the result is false.
 * Cost: some 500 instructions of the host per micro-op. */
bool p6_fast_run(struct p6 *m, const struct x86_block *b, const struct p6_tblk *t, unsigned from,
		 unsigned n, bool is_taken);

/* As p6_rat_flush(), in the same way. */
bool p6_fast_flush(struct p6 *m);

#endif
