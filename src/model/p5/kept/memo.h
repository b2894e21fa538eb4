/* memo.h -- blocks of the P5 whose clocks are known: what is kept, and when.
 *
 * memo_state.c writes the state of everything that only clocks move: pipes, prefetch buffers, x87
 * and MMX registers, write buffers, fills, the bus. memo.c keeps, for such a state and a block, the
 * looks (look.h) that the block does, what they saw, and what came of it; and does the looks alone
 * when block and state come again. parts/memo.h finds things.
 *
 * Most states and steps would never be used again; to make one takes several times what its block
 * takes in full. So a block that was executed a few times only is done in full, and what is not
 * known is kept when it was wanted before, and not long ago (p5_memo.wanted). Where hardly any
 * state comes again, none is looked for (P5_MEMO_VAIN).
 *
 * A tree begins with what its block saw the first time. Where something else turns out to be
 * common, the tree is dropped and found out anew (p5_memo_replant()).
 *
 * COUNTING RULES   every wire has the value that it has without: mdl_config.has_no_memo, and a test
 *                  compares.
 * NOT MODELLED     blocks that are not kept, and so done in full: with REP, gathers and masked
 *                  moves, STD and CLD; that leave an instruction of x87, MMX or with something in
 *                  memory waiting for a partner, and those behind; stopped in the middle. With
 *                  breakpoints, a timer, --uncached, --errata and listings nothing is kept.
 */
#ifndef SOFTPMU_MODEL_P5_MEMO_H
#define SOFTPMU_MODEL_P5_MEMO_H

#include <stdbool.h>
#include <stdint.h>

#include "model/parts/memo.h"
#include "model/parts/met.h"

struct p5;
struct mdl_config;
struct x86_block;

#define P5_MEMO_BYTES (128u << 20)
/* What blocks take of other memory is taken from that, down to an eighth: their facts, compiled
 * references, instructions; so many bytes each, measured with gcc's cc1 (60 000 blocks). */
#define P5_MEMO_BLOCK_BYTES 900u
#define P5_MEMO_LEAST_PART  8u

/* What is kept, and what is done in full meanwhile: a block from this execution on, a step the
 * second time, a state that no kept step leads to the fifteenth. */
#define P5_MEMO_VISITS	     8u
#define P5_MEMO_STEP_WANTED  2u
#define P5_MEMO_STATE_WANTED 15u
#define P5_MEMO_WANTED	     (1u << 16) /* places for what was wanted and was not there */

/* To look for a state costs as much as its block in full, and to find a step out several times
 * that. Blocks for which that was in vain so often (a state that was there counts P5_MEMO_FOUND the
 * other way, a step found out and not kept P5_MEMO_FOUND more) are done in full all but each 32nd
 * time, when nothing leads to them. */
#define P5_MEMO_VAIN	   64u
#define P5_MEMO_FOUND	   4u
#define P5_MEMO_VAIN_ASKED 32u /* a power of two */

/* What led away from a step. */
struct p5_turn {
	struct memo_step *step;
	uint64_t seen; /* which is not what the step says */
	unsigned at;   /* number of the look that saw it */
};

struct p5_memo {
	bool is_on;
	bool is_open; /* the room was made */
	/* the machine is in this state and its structs are old; MEMO_NONE: they are new */
	uint32_t state;
	struct memo_step *last; /* that led there, or NULL */
	/* what a step leads to of which nobody knows: it is that of no state, and leads to
	 * itself */
	struct memo_step none;
	struct memo room;
	size_t bytes;			 /* that it will have */
	bool is_eager;			 /* all is kept the first time */
	struct met wanted;		 /* what was not there */
	uint64_t n_known, n_new, n_full; /* blocks: looked at alone, found out, not kept */
	uint64_t n_idle;		 /* of those found out: of which nothing was kept */
	uint64_t n_dropped;		 /* trees */
};

/* ---- memo.c ---------------------------------------------------------------------------------- */

/* Set up for cfg; the room is made when it is used. */
void p5_memo_open(struct p5 *m, const struct mdl_config *cfg);
void p5_memo_close(struct p5 *m);

/* As p5_pipe_run(). Cost: of a block whose clocks are known, its looks and some host clocks. */
int p5_memo_run(struct p5 *m, const struct x86_block *b, const uint8_t *slots, unsigned n,
		uint64_t next, bool is_taken);

/* Bring the structs of all units up to date. To be called before anything but p5_memo_run() reads
 * or writes them. */
void p5_memo_leave(struct p5 *m);

/* As p5_memo_leave(), if an instruction waits for its partner: then m->time.pending says so. */
void p5_memo_leave_waiting(struct p5 *m);

/* Bring m->dyn and the executions of blocks up to date, n_insn and n_taken among them. */
void p5_memo_count(struct p5 *m);

/* Trees whose first outcome is seldom seen: where a step that goes on from another was used `least`
 * times and more than twice as often as that one, the tree is dropped, and the block is found out
 * anew, most likely with an outcome that is common. Nothing may be under way. Cost: the steps with
 * uses. */
void p5_memo_replant(struct p5 *m, uint64_t least);

/* Ids of blocks become void. */
void p5_memo_forget(struct p5 *m);

/* ---- memo_state.c ---------------------------------------------------------------------------- */

/* Write the state of what clocks move to out (MEMO_MAX_STATE bytes). Returns how many bytes it has;
 * 0: it cannot be written. States are equal when all that can follow is. */
unsigned p5_state_write(const struct p5 *m, uint8_t *out);

/* Put the state of these bytes in, as of m->time.now_clk. */
void p5_state_read(struct p5 *m, const uint8_t *bytes);

/* Does an instruction wait for its partner in the state of these bytes? */
bool p5_state_waits(const uint8_t *bytes);

#endif
