/* time_block.h -- the clocks of one execution of a block (time_block.c). */
#ifndef SOFTPMU_MODEL_P6_TIME_BLOCK_H
#define SOFTPMU_MODEL_P6_TIME_BLOCK_H

#include "model/p6/p6.h"

/* How the front end found out where a branch goes. */
enum p6_guess {
	P6_GUESS_RIGHT, /* by the BTB; or there was no branch */
	/* the BTB did not know it, the decoder's rule was right that it is taken */
	P6_GUESS_BY_DECODER,
	P6_GUESS_WRONG,
	/* nobody tells any more: what is collected goes on without what follows */
	P6_GUESS_SETTLED,
};

/* Did the transfer `term` at the end of a block leave the straight line? A direct jump does even
 * to the next instruction. */
static inline bool p6_time_is_jump(unsigned term, uint64_t next, uint64_t fall)
{
	return term == X86_TERM_JCC ? next != fall : x86_is_transfer(term);
}

/* The clocks of instructions `from` to n - 1 of b, templates t, which did time.access. is_taken:
 * its branch was. */
void p6_block_run(struct p6 *m, const struct x86_block *b, const struct p6_tblk *t, unsigned from,
		  unsigned n, bool is_taken);

/* The front end leaves what was run last; fall: where that ends. */
void p6_block_leave(struct p6 *m, enum p6_guess guess, bool is_taken, uint64_t fall);

#endif
