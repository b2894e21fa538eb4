/* memo_owners.h -- whose the counts of kept steps are, when a ledger is kept (parts/ledger.h).
 *
 * A look of a known block is done, and moves its numbers there and then: they are booked behind it,
 * to the instruction to which the pipes booked that look. What the pipes counted is booked once for
 * all uses of a step, when these are added to the totals. So behind its looks a step carries two
 * lists more: whose its looks are, and what the pipes booked.
 *
 * COUNTING RULES   as the ledger's: every instruction counts what it does without kept timings.
 *                  In host code a look at data or a code line that is no hit, CALL and RET are
 *                  done here, too.
 */
#ifndef SOFTPMU_MODEL_P5_MEMO_OWNERS_H
#define SOFTPMU_MODEL_P5_MEMO_OWNERS_H

#include "model/p5/kept/run.h"

/* What a step carries last: how many looks and how many owners of looks there are. */
struct p5_owned {
	uint16_t n_look, n_who;
};

static inline struct p5_owned p5_owned(const struct memo_step *s)
{
	const uint8_t *end = (const uint8_t *)memo_extra(s) + memo_n_extra(s);

	return *(const struct p5_owned *)(const void *)(end - sizeof(struct p5_owned));
}

/* How many looks step s carries. */
static inline unsigned p5_step_looks(const struct p5 *m, const struct memo_step *s)
{
	return m->ledger ? p5_owned(s).n_look : memo_n_extra(s) / sizeof(struct p5_act);
}

/* The pipes begin a block of which a step is to be made; its first `known` looks are replayed. */
void p5_owners_begin(struct p5 *m, unsigned known);

/* The pipes have done the block. Write what its step carries beyond its looks, from look number
 * `known` on, to out, which has room for MEMO_MAX_EXTRA bytes with those looks. Returns the bytes,
 * or -1: the step cannot be kept. */
int p5_owners_write(struct p5 *m, unsigned known, uint8_t *out);

/* Do look number `at` of step s as p5_memo_look() does, and book what it moves. */
uint64_t p5_owners_look(struct p5 *m, const struct p5_run *x, const struct memo_step *s,
			unsigned at);

/* Book what the pipes would have counted, had they done what the uses of s stand for; right before
 * these are added to the totals. The step is one of block `id`, whose branch was taken or not.
 * Nothing without a ledger. */
void p5_owners_book(struct p5 *m, const struct memo_step *s, uint32_t id, bool is_taken);

/* Kept steps moved the clock, and nothing else did since all was booked. */
static inline void p5_owners_clock(struct p5 *m)
{
	if (m->ledger && m->ledger->clock != LEDGER_NO_CELL)
		ledger_pass(m->ledger, m->ledger->clock);
}

#endif
