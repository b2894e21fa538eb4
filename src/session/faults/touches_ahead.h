/* touches_ahead.h -- which pages will a program touch that stands before a block? As far as its
 * registers say.
 *
 * RULE         an instruction's addresses are known when they are made of registers that no
 *              instruction before it in the block writes. What the first one touches is known,
 *              so that whoever stops the program in front of each that is not known misses
 *              nothing.
 * NOT KNOWN    where a repeated comparison ends (its first element alone is); BT and its kin
 *              with an offset in a register, XLAT, and FS and GS of 32-bit code where the
 *              processor computes the address.
 */
#ifndef SOFTPMU_SESSION_TOUCHES_AHEAD_H
#define SOFTPMU_SESSION_TOUCHES_AHEAD_H

#include "session/faults/touches.h"
#include "x86/block.h"

#define SES_AHEAD_UNLIMITED UINT32_MAX

/* A program before a block. */
struct ses_ahead {
	const struct x86_block *b;
	uint8_t slots[8 * X86_MAX_SLOTS];
	bool is_known[X86_MAX_SLOTS];
};

/* It stands before `block` with these 16 registers, by number. Returns false when the block is
 * not known. Cost: a look at its slots. */
bool ses_ahead_take(struct ses_ahead *a, const struct ses_server *s, uint32_t block,
		    const uint64_t *reg);

/* The first instruction touches what it does. As ses_touches_block(); 0 as well where that is
 * not known, or cannot be touched. */
unsigned ses_ahead_first(struct ses_touches *t, const struct ses_server *s,
			 const struct ses_ahead *a, struct ses_touch *out);

/* Instructions from the first on, and that one at least, which fault *n times at most; of which
 * is taken off what they can. Cost: a look at the block's references. */
unsigned ses_ahead_fit(const struct ses_touches *t, const struct ses_ahead *a, uint64_t *n);

/* Times that an execution of a block can fault at most, whatever its registers are;
 * SES_AHEAD_UNLIMITED. */
uint32_t ses_ahead_most(const struct ses_server *s, uint32_t block);

#endif
