/* blame.h -- who wants to know whose work moved which wires (mdl_set_blame): the part that the families share. */
#ifndef SOFTPMU_MODEL_BLAME_H
#define SOFTPMU_MODEL_BLAME_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/wire.h"

/* Something moved that is the work of the instruction at pc. */
typedef void mdl_blame(void *ctx, uint64_t pc);

#define BLAME_WIRES 24u

struct blame {
	mdl_blame *fn;    /* NULL: nobody */
	void *ctx;
	uint64_t before;  /* sum of the wires at the last call */
	bool is_always;   /* there are more wires, or some that are sums of other things: call each time */
	uint8_t n;
	uint16_t wire[BLAME_WIRES];
};

static inline void blame_open(struct blame *b, const uint8_t *wires, mdl_blame *fn, void *ctx)
{
	*b = (struct blame){.fn = fn, .ctx = ctx, .before = UINT64_MAX};
	for (unsigned wire = 0; fn && wire < WIRE_N; wire++) {
		if (wires[wire] && b->n < BLAME_WIRES)
			b->wire[b->n++] = (uint16_t)wire;
		else
			b->is_always |= wires[wire];
	}
}

/* Of the instruction at pc is what moved, where `sum` is that of the wires now. */
static inline void blame_call(struct blame *b, uint64_t sum, uint64_t pc)
{
	if (sum == b->before && !b->is_always)
		return;
	b->before = sum;
	b->fn(b->ctx, pc);
}

#endif
