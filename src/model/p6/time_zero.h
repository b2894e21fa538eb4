/* time_zero.h -- registers that are known to be 0 above what was written last (time_zero.c), for rat.
 *
 * XOR or SUB of a register with itself makes it known; writes of a low part leave what lies above them known, whole writes and
 * those of a high part end it. All of this is order of the program, no clock is part of it. So it is a word beside the
 * clocks, two bits per general register: what is known to be 0 lies above bit 8 (1), above bit 16 (2), or is all of the register
 * (3); 0: nothing is known.
 */
#ifndef SOFTPMU_MODEL_P6_TIME_ZERO_H
#define SOFTPMU_MODEL_P6_TIME_ZERO_H

#include <stdint.h>

struct p6_step;
struct p6_tblk;

#define P6_MAX_ZERO_ASKED 7u

/* A register that a block first writes in part: what is known behind the block, when at least `least` was known before; or not. */
struct p6_zero_ask {
	uint8_t reg, least, known, unknown;
};

/* Step s is executed: *zero as it leaves it. Returns a bit per write of it that leaves the rest of its register known. */
unsigned p6_zero_step(uint32_t *zero, const struct p6_step *s);

/* What the instructions of t, `step`, do to the word, and what they ask of it: t->zero_keep and on. */
void p6_zero_facts(struct p6_tblk *t, const struct p6_step *step);

/* Answers to what t asks of zero, at most P6_MAX_ZERO_ASKED bits: all that its clocks depend on. */
unsigned p6_zero_asked(const struct p6_tblk *t, uint32_t zero);

/* All steps of t are executed. Returns the word behind them. */
uint32_t p6_zero_behind(const struct p6_tblk *t, uint32_t zero);

#endif
