/* time_block.h -- the clocks of one execution of a block (time_block.c).
 *
 * ORDER   p6_access_run() or its like fills time.access; p6_block_run() reads it; behind a block
 *         that ends in a transfer p6_block_leave() moves fetch on. p6_block_run() does not wait for
 *         the last micro-ops: up to P6_MAX_GROUP stay collected in time.ren until the next block or
 *         p6_rat_flush() brings the others of their group.
 */
#ifndef SOFTPMU_MODEL_P6_TIME_BLOCK_H
#define SOFTPMU_MODEL_P6_TIME_BLOCK_H

#include "model/p6/p6.h"

/* How the front end found out where a branch goes. */
enum p6_guess {
	P6_GUESS_RIGHT, /* by the BTB; or there was no branch */
	/* the BTB did not know it, the decoder's rule was right that it is taken */
	P6_GUESS_BY_DECODER,
	P6_GUESS_WRONG, /* the BTB or the decoder's rule sent fetch elsewhere */
	/* it will not be known (the program ends, a reading): what is collected goes on without
	 * what follows */
	P6_GUESS_SETTLED,
};

/* Returns true if the transfer `term` (enum x86_term) at the end of a block left the straight line.
 * next: where execution went on; fall: behind the block. A jump that is not conditional does, even
 * to the next instruction. */
static inline bool p6_time_is_jump(unsigned term, uint64_t next, uint64_t fall)
{
	return term == X86_TERM_JCC ? next != fall : x86_is_transfer(term);
}

/* Work out the clocks of instructions `from` to n - 1 of b, in front of which everything has been
 * done. t: templates of b. time.access says what they did to the structures. is_taken: the branch
 * at the end of b was; it counts only if n is all of b. Moves all of struct p6_time on, and counts.
 * Cost: see time_fast.h for blocks of usual instructions. */
void p6_block_run(struct p6 *m, const struct x86_block *b, const struct p6_tblk *t, unsigned from,
		  unsigned n, bool is_taken);

/* The front end leaves the block that was run last, by a transfer of which `guess` says how it was
 * found out. fall: linear address behind the block. P6_GUESS_WRONG needs the branch executed and
 * all before it retired: call p6_rat_flush() first. */
void p6_block_leave(struct p6 *m, enum p6_guess guess, bool is_taken, uint64_t fall);

#endif
