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

/* The state in front of the instruction at pc as at most P6_STATE_BYTES bytes. Returns how many; 0:
 * it cannot be said so. Cost: about 0.2 us. */
unsigned p6_state_pack(struct p6 *m, uint64_t pc, uint8_t *bytes, struct p6_reach *reach);

/* And back, n_miss misses from the start. The clock of rename, that of the last retirement, of the
 * last branch and of the L2 data bus are right already. */
void p6_state_unpack(struct p6 *m, uint64_t pc, uint64_t n_miss, const uint8_t *bytes);

/* ---- memo.c ----------------------------------------------------------------------------- */

/* Returns 0 or -SPMU_ENOMEM. Without it m->time.memo stays NULL, which all functions take. */
int p6_memo_open(struct p6 *m);
void p6_memo_close(struct p6 *m);

/* How often the room for states was emptied; 0 without one. */
uint32_t p6_memo_n_emptied(const struct p6 *m);

/* The tables of struct p6_time are needed, and may be changed. */
void p6_memo_wake(struct p6 *m);

/* Add what steps counted to the machine's totals. */
void p6_memo_fold(struct p6 *m);

/* Block ids are void. */
void p6_memo_forget(struct p6 *m);

/* A block at pc is about to do its accesses. Returns true when the state in front of it is known;
 * time.recent is as short as it allows, then. Else the tables are awake. */
bool p6_memo_enter(struct p6 *m, uint64_t pc);

/* Is the state in front of the block at pc known, and did a step lead to it? Then host code may
 * take steps (time_host.h): its `last` and `before` count until p6_memo_take_back(), and
 * time.recent is as p6_memo_enter() leaves it. */
bool p6_memo_lend(struct p6 *m);
/* The block at pc is next; nothing happens when nothing is lent. */
void p6_memo_take_back(struct p6 *m, uint64_t pc);
bool p6_memo_is_known(const struct p6 *m, uint64_t pc);
/* While it is lent: host.outcome receives what the block's accesses came to. false: it cannot be
 * said. */
bool p6_memo_outcome(struct p6 *m);
/* Step l, which host code takes, has_bus: what it did to the external bus. Clocks count from that
 * of rename. */
void p6_memo_take_bus(struct p6 *m, const struct p6_leap *l);
const struct p6_steps *p6_memo_steps(const struct p6 *m);

/* The block at the next p6_memo_find() may be mispredicted: ask the host for what steps say then,
 * as far as those that came behind the last one do. */
void p6_memo_ask_front(const struct p6 *m);

/* The block at pc, whose accesses are done and whose state is known. key: which it is, how it was
 * left and what it asked of registers known to be 0 (below). Returns true when it ran before like
 * this: its clocks have passed. In front of a wrong path, time.front is what that needs. Else the
 * tables are awake, and what is done until p6_memo_kept() will be kept. */
bool p6_memo_find(struct p6 *m, uint64_t pc, uint32_t key, uint64_t next);
/* The same for P6_GUESS_SETTLED: what is collected goes, too, and of an RDPMC it is known what it
 * read. */
bool p6_memo_find_last(struct p6 *m, uint64_t pc, uint32_t key, uint64_t next);
/* The same when host.outcome is what the accesses came to. */
bool p6_memo_find_again(struct p6 *m, uint64_t pc, uint32_t key, uint64_t next);
#define P6_MEMO_KEY(id, guess, is_taken, precision, zero)                                          \
	(((uint32_t)(zero) << 5 | (uint32_t)(precision) << 3 | (uint32_t)(guess) << 1 |            \
	  (uint32_t)(is_taken))                                                                    \
	     << TRC_ID_BITS |                                                                      \
	 (id))
#define P6_MEMO_GUESS(key) ((enum p6_guess)((key) >> (TRC_ID_BITS + 1) & 3))
_Static_assert(TRC_ID_BITS + 5 + P6_MAX_ZERO_ASKED <= 32, "all of it in a word");

/* The block that was not found is done up to its wrong path. */
void p6_memo_done(struct p6 *m);
/* And its front end went on to `next`. */
void p6_memo_kept(struct p6 *m, uint64_t next);

#endif
