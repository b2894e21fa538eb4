/* strings.h -- repeated string instructions.
 *
 * COUNTING RULES   as in strings.c.
 */
#ifndef SOFTPMU_MODEL_P5_STRINGS_H
#define SOFTPMU_MODEL_P5_STRINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "x86/block.h"

struct p5;

#define P5_MOST_STRING_BYTES (1ull << 34) /* of one REP instruction */

struct p5_strings {
	bool df;	     /* the direction flag; plain.c and the stream (events.c) say it */
	uint64_t most_bytes; /* of one REP instruction; p5_open() sets it */
	/* as mdl_config: asked in long ones; true: give up */
	bool (*is_over)(void *ctx);
	void *over_ctx;
};

/* *items: how many elements the repeated string instruction i of b does. Nothing else is done.
 * Returns 0; -SPMU_EPROTO for a count that cannot be; -SPMU_ENOTSUP for more than most_bytes. */
int p5_string_items(const struct p5 *m, const struct x86_block *b, unsigned i, const uint8_t *slots,
		    uint64_t *items);

/* All iterations of the repeated string instruction i of b. Returns as p5_string_items(). */
int p5_string_run(struct p5 *m, const struct x86_block *b, unsigned i, const uint8_t *slots);

#endif
