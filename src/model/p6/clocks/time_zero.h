/* time_zero.h -- registers that are known to be 0 above what was written last (time_zero.c), for
 * rat.
 *
 * XOR or SUB of a whole register with itself makes it known, of AH and the like for that byte
 * alone; the forms over AL and AX are writes as any other. A write of a low part leaves what lies
 * above it known; a whole write or one of a high part ends it. All of this is order of the program,
 * no clock is part of it. So it is a word beside the clocks, two bits per general register, each of
 * which an instruction leaves, sets or clears.
 */
#ifndef SOFTPMU_MODEL_P6_TIME_ZERO_H
#define SOFTPMU_MODEL_P6_TIME_ZERO_H

#include <stdbool.h>
#include <stdint.h>

struct p6_step;
struct p6_tblk;

/* Of one register: what is known to be 0. */
enum p6_zero_bits {
	P6_ZERO_HIGH_BYTE = 1, /* bits 8 to 15 */
	P6_ZERO_UPPER = 2,     /* all from bit 16 on */
	P6_ZERO_ALL = 3,
};

/* bits: three registers of which a block first writes the low byte */
#define P6_MAX_ZERO_ASKED 7u

/* Is a read of `read` bytes of a register, whose `written` low bytes one instruction wrote, whole
 * with what is known (enum p6_zero_bits) to be 0 above these? */
static inline bool p6_zero_covers(unsigned written, unsigned known, unsigned read)
{
	const unsigned need =
	    (written < 2 ? P6_ZERO_HIGH_BYTE : 0u) | (read > 2 ? P6_ZERO_UPPER : 0u);

	return (known & need) == need;
}

/* Step s is executed: *zero as it leaves it. Returns two bits per write of it: what is known above
 * it. */
unsigned p6_zero_step(uint32_t *zero, const struct p6_step *s);

/* What the instructions of t, `step`, do to the word, and what they ask of it: t->zero_keep and on.
 */
void p6_zero_facts(struct p6_tblk *t, const struct p6_step *step);

/* Answers to what t asks of zero, at most P6_MAX_ZERO_ASKED bits: all that its clocks depend on. */
unsigned p6_zero_asked(const struct p6_tblk *t, uint32_t zero);

#endif
