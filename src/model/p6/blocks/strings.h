/* strings.h -- REP string instructions.
 *
 * COUNTING RULES   as in strings.c.
 */
#ifndef SOFTPMU_MODEL_P6_STRINGS_H
#define SOFTPMU_MODEL_P6_STRINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "x86/block.h"

struct p6;

#define P6_MOST_STRING_BYTES (1ull << 34) /* of one REP instruction */

struct p6_strings {
	bool df; /* the direction flag; p6_plain_after() and the stream (events.c) say it */
	uint64_t most_bytes; /* of one REP instruction; p6_open() sets it */
	/* as mdl_config: asked in long ones; true: give up */
	bool (*is_over)(void *ctx);
	void *over_ctx;
	uint64_t copied;  /* micro-ops of the last REP that copied in its fast form (strings.c) */
	uint64_t n_moves; /* misses and requests of all REPs: so much work do their clocks take */
};

/* All iterations of the repeated string instruction i of b. Returns 0; -SPMU_EPROTO for a repeat
 * count that cannot be; -SPMU_ENOTSUP for more than most_bytes. */
int p6_string_run(struct p6 *m, const struct x86_block *b, unsigned i, const uint8_t *slots);

#endif
