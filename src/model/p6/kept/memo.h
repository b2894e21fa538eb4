/* memo.h -- clocks of blocks that ran before in the same state of the machine (parts/memo.h).
 *
 * The state between two blocks becomes bytes (memo_state.c) in which clocks count from the next
 * group of rename on, and what nothing can ask for any more is one value. A step leads from a
 * state, by a block, the prediction of its branch and the codes of its accesses (time_key.h), to
 * the next state. While steps follow each other, the tables of struct p6_time stay as they were,
 * but for the clocks that count from the start: p6_memo_wake() brings them up to date.
 *
 * COUNTING RULES   the same counts with and without it (tests/engine/p6_memo.sh).
 * NOT MODELLED     what it leaves to the plain way: REP instructions, accesses of more than a line
 *                  or page, parts of blocks; an RDPMC that is not read at once; and whole runs with
 *                  a timer or with listings.
 */
#ifndef SOFTPMU_MODEL_P6_MEMO_H
#define SOFTPMU_MODEL_P6_MEMO_H

#include <stdbool.h>
#include <stdint.h>

#include "model/p6/clocks/time_key.h"
#include "model/p6/clocks/time_zero.h"
#include "model/p6/clocks/time_block.h"
#include "trace/record.h"

struct p6;
struct p6_tblk;
struct x86_block;
struct p6_leap;
struct p6_steps;

#define P6_STATE_BYTES 8192u

/* ---- memo_state.c ---------------------------------------------------------------------------- */

/* Write the state of the pipeline in front of the instruction at linear address pc into bytes,
 * which has room for P6_STATE_BYTES. Equal bytes mean equal clocks from here on. *reach receives
 * how far back what follows can be in the way of stores and misses. Returns how many bytes; 0 if
 * the state does not fit (a clock too far ahead). Changes nothing. Cost: about 0.2 us. */
unsigned p6_state_pack(struct p6 *m, uint64_t pc, uint8_t *bytes, struct p6_reach *reach);

/* Set the tables of struct p6_time from the bytes of p6_state_pack(). n_miss: misses since the
 * start, by which fills are numbered. time.ren.next_clk, retire_clk, branch_clk and l2_clk must be
 * right before: all other clocks count from them. */
void p6_state_unpack(struct p6 *m, uint64_t pc, uint64_t n_miss, const uint8_t *bytes);

/* ---- memo.c ----------------------------------------------------------------------------- */

/* Open m->time.memo. Returns 0 or -SPMU_ENOMEM; p6_memo_close() frees it in either case. Where it
 * is never opened m->time.memo is NULL. Functions take that unless they say that they need it. */
int p6_memo_open(struct p6 *m);
void p6_memo_close(struct p6 *m);

/* Returns how often the room for states was emptied; 0 without m->time.memo. */
uint32_t p6_memo_n_emptied(const struct p6 *m);

/* Bring the tables of struct p6_time up to date with the steps taken. Call it before anything reads
 * or changes them outside of a step. The state is unknown afterwards. */
void p6_memo_wake(struct p6 *m);

/* Add what steps counted since the last call to m->dyn and, with a ledger, to instructions. Totals
 * are incomplete without it. */
void p6_memo_fold(struct p6 *m);

/* Block ids are void: forget all states and steps. What they counted is added, and the tables are
 * up to date. */
void p6_memo_forget(struct p6 *m);

/* A block at pc is about to do its accesses. Returns true if the state in front of it is known.
 * time.recent then looks back only as far as that state allows. Returns false if the state is not
 * kept; the tables are up to date then, and the caller calls p6_access_look_far(). Needs
 * m->time.memo. */
bool p6_memo_enter(struct p6 *m, uint64_t pc);

/* Lend the place in the steps to host code (time_host.h). Returns true if the state is known and a
 * step led to it: then host.last and host.before say where the machine is until
 * p6_memo_take_back(), and time.recent is as p6_memo_enter() leaves it. Returns false if not;
 * nothing is lent. Between the two no other function here but p6_memo_outcome() and
 * p6_memo_take_bus() is right. Needs m->time.memo. */
bool p6_memo_lend(struct p6 *m);

/* Take the place back: the block at pc is next. Nothing happens when nothing is lent. */
void p6_memo_take_back(struct p6 *m, uint64_t pc);

/* Returns true if the state in front of the block at pc is known. Asks nothing new. */
bool p6_memo_is_known(const struct p6 *m, uint64_t pc);

/* While it is lent: set host.outcome to the number of what time.access has. Returns false if that
 * has no number: then no step can be looked for. */
bool p6_memo_outcome(struct p6 *m);

/* While it is lent: step l, which host code takes, has has_bus: move the clocks of the external bus
 * by what it says. They count from time.ren.next_clk, which must be that in front of the step. */
void p6_memo_take_bus(struct p6 *m, const struct p6_leap *l);

/* Returns the steps, which belong to the memo. Needs m->time.memo. */
const struct p6_steps *p6_memo_steps(const struct p6 *m);

/* The block at the next p6_memo_find() may be mispredicted: have the host fetch into its caches
 * what the steps that came behind the last one say then. Changes no count. Needs m->time.memo. */
void p6_memo_prefetch_front(const struct p6 *m);

/* Look for the step of the block at pc, whose accesses are done and whose state is known
 * (p6_memo_enter()). key: P6_MEMO_KEY() of the block, of how it was left and of what it asked of
 * registers known to be 0; next: where execution went on. Returns true if it ran before like this:
 * its clocks have passed, and it is counted. In front of a wrong path time.front is what that
 * needs. Returns false if not: the tables are up to date, and what is done until p6_memo_kept()
 * will be kept, unless what the accesses did is too much for a step. Needs m->time.memo. */
bool p6_memo_find(struct p6 *m, uint64_t pc, uint32_t key, uint64_t next);

/* p6_memo_find() for P6_GUESS_SETTLED: the collected micro-ops retire, too, and of an RDPMC
 * time.read_clk and time.unread are set. */
bool p6_memo_find_last(struct p6 *m, uint64_t pc, uint32_t key, uint64_t next);

/* p6_memo_find() when p6_memo_outcome() has set host.outcome already. */
bool p6_memo_find_again(struct p6 *m, uint64_t pc, uint32_t key, uint64_t next);
#define P6_MEMO_KEY(id, guess, is_taken, precision, zero)                                          \
	(((uint32_t)(zero) << 5 | (uint32_t)(precision) << 3 | (uint32_t)(guess) << 1 |            \
	  (uint32_t)(is_taken))                                                                    \
	     << TRC_ID_BITS |                                                                      \
	 (id))
#define P6_MEMO_GUESS(key) ((enum p6_guess)((key) >> (TRC_ID_BITS + 1) & 3))
_Static_assert(TRC_ID_BITS + 5 + P6_MAX_ZERO_ASKED <= 32, "all of it in a word");

/* The block that p6_memo_find() did not find is worked out, up to its wrong path: note what it
 * counted. What is counted later does not belong to its step. */
void p6_memo_done(struct p6 *m);

/* The front end has left that block and goes on at `next`: keep the step, if there is room and it
 * can be said. Call it behind p6_memo_done(). */
void p6_memo_kept(struct p6 *m, uint64_t next);

#endif
