/* touches_ahead.h -- finds the pages that a program will touch in the block before which it stands,
 * from its registers.
 *
 * RULE         an instruction's addresses are known if no instruction before it in the block writes
 *              the registers that they are made of. The first instruction's addresses are always
 *              known. So a server that stops the program before each instruction with unknown
 *              addresses misses no fault.
 * NOT KNOWN    where a repeated comparison ends (its first element is known); BT and its kin with
 *              an offset in a register; XLAT; FS and GS of 32-bit code, where the processor
 *              computes the address.
 */
#ifndef SOFTPMU_SESSION_TOUCHES_AHEAD_H
#define SOFTPMU_SESSION_TOUCHES_AHEAD_H

#include "session/faults/touches.h"
#include "x86/block.h"

#define SES_AHEAD_UNLIMITED UINT32_MAX

/* A program that stands before a block: the slot values that its registers give. */
struct ses_ahead {
	const struct x86_block *b;
	uint8_t slots[8 * X86_MAX_SLOTS];
	bool is_known[X86_MAX_SLOTS];
};

/* Set *a to a program that stands before `block` with these 16 registers, by number. Returns
 * false if the block is not known. Cost: a walk over its slots. */
bool ses_ahead_take(struct ses_ahead *a, const struct ses_server *s, uint32_t block,
		    const uint64_t *reg);

/* Touch the pages of the first instruction. Returns as ses_touches_block(); 0 also if the addresses
 * are not known, or not mapped. */
unsigned ses_ahead_first(struct ses_touches *t, const struct ses_server *s,
			 const struct ses_ahead *a, struct ses_touch *out);

/* Returns the number of instructions from the first on that together fault at most *n times, at
 * least 1, and subtracts from *n the faults that they can have. Cost: a walk over the block's
 * references. */
unsigned ses_ahead_fit(const struct ses_touches *t, const struct ses_ahead *a, uint64_t *n);

/* Returns the most faults that an execution of a block can have with any registers, or
 * SES_AHEAD_UNLIMITED. */
uint32_t ses_ahead_most(const struct ses_server *s, uint32_t block);

#endif
