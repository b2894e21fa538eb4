/* time_fast.h -- blocks of usual instructions, whose clocks are worked out in one loop
 * (time_fast.c). */
#ifndef SOFTPMU_MODEL_P6_TIME_FAST_H
#define SOFTPMU_MODEL_P6_TIME_FAST_H

#include <stdbool.h>
#include <stdint.h>

#include "model/p6/clocks/template.h"

struct p6;
struct x86_block;

/* Do what p6_block_run() does, with the same arguments, and count the same. Returns true if it was
 * done. Returns false, and nothing has happened, if the block or the machine has something rare
 * (see the head of time_fast.c): then the caller goes the general way. Cost: some 500 instructions
 * of the host per micro-op. */
bool p6_fast_run(struct p6 *m, const struct x86_block *b, const struct p6_tblk *t, unsigned from,
		 unsigned n, bool is_taken);

/* Do what p6_rat_flush() does: the collected micro-ops are renamed and retire. Returns false, and
 * nothing has happened, if the caller must call p6_rat_flush() itself. */
bool p6_fast_flush(struct p6 *m);

#endif
