/* time.h -- the P5 in time: what its units ask and tell each other when clocks are counted.
 *
 * The loop of time_feed.c hands whole executions of blocks to pipe.c, one block late, so that every
 * branch knows where it went. pipe.c forms issue slots (one instruction, or a pair) in program
 * order, and for each asks the front end when its bytes are there, the BTB whether the stream
 * behind it is the right one, and the data side how long its accesses hold EX.
 *
 * COUNTING RULES   time is a sequence of issue slots: nothing enters EX before everything of the
 *                  slot before has left it. Outcomes (hits, misses) come from the structures in
 *                  program order and are the same without time; time only adds clocks.
 * CLOCKS           core clocks since the machine was opened. A clock that lies in the past means
 *                  nothing: state that only holds such clocks equals empty state (so that it can be
 *                  compared and reused).
 */
#ifndef SOFTPMU_MODEL_P5_TIME_H
#define SOFTPMU_MODEL_P5_TIME_H

#include <stdbool.h>
#include <stdint.h>

#include "model/p5/clocks/look.h"
#include "model/p5/clocks/pipe.h"
#include "model/p5/units/btb.h"
#include "model/p5/units/icache.h"
#include "x86/block.h"

struct p5;

/* Why clocks passed in which nothing entered EX, or why an instruction did not pair
 * (reasons.def). */
enum p5_why {
#define P5_WHY(id, name, text) P5_WHY_##id,
#include "model/p5/clocks/reasons.def"
#undef P5_WHY
	P5_N_WHY
};

/* What became of an instruction's accesses. */
enum p5_missed {
	P5_MISSED_READ = 1,  /* as P5_READ */
	P5_MISSED_WRITE = 2, /* as P5_WRITE */
	P5_NO_HIT = 4,	     /* a write found no line in E or M */
	P5_WAS_CUT = 8,	     /* an access was cut, and had the cache to itself */
};

/* Time of the whole machine. Each unit's part of it is named like the unit. */
struct p5_time {
	bool is_on;	  /* somebody wants a wire that needs clocks */
	uint64_t now_clk; /* the next slot may enter EX */
	/* the data access being done is in EX at this clock; p5_dcache_ref and what it calls
	 * move it on by what the access waits, and add that to wait[] */
	uint64_t data_clk;
	uint64_t
	    waited_to; /* clocks before this one are in wait[] already: both pipes wait at once */
	/* enum p5_missed of the instruction's accesses; set by what passes their clocks */
	uint8_t missed;
	uint32_t rep_clk; /* set before an instruction with REP is run: clocks of one iteration */
	/* set before an instruction is run: it went down V (write buffers are per pipe) */
	bool is_in_v;
	uint64_t lost;		 /* sum of what the data side added to wait[] */
	uint64_t wait[P5_N_WHY]; /* clocks lost so far, by reason */
	struct p5_tape tape;
	struct p5_pf pf;
	struct p5_icache_fill code_fill;
	/* the block that waits for the next record */
	const struct x86_block *held;
	uint32_t held_context;	/* with a ledger: whose it is */
	const uint8_t *held_at; /* its slots: in the stream, or held_slots */
	uint8_t held_slots[8 * X86_MAX_SLOTS];
	unsigned held_from, held_n; /* instructions of it that were executed */
	/* a bit per instruction of the block that was begun last: its boundary is known */
	uint64_t marks;
	/* the pipes */
	struct p5_fly
	    pending; /* an instruction that waits to see whether the next one pairs with it */
	uint8_t pending_slots[8 * X86_MAX_SLOTS];
	struct p5_begun
	    begun; /* or one that did not wait, because it was said what follows (TRC_AHEAD) */
	struct p5_stages stages;
	struct p5_fpu_time fpu;
	struct p5_mmx_time mmx;
	struct {
		uint16_t clk;
		uint8_t over_int;
	} divide[2][3]; /* FDIV, FIDIV by precision */
	/* compiled code: by block id, and of blocks kept when ids were made void */
	struct p5_code **code;
	/* ids below it may have some: blocks that were only asked about (p5_bounds), too */
	uint32_t n_code;
	struct x86_store *kept;
	struct p5_code *kept_code[P5_N_KEPT];
};

/* ---- time_feed.c ----------------------------------------------------------------------------- */

/* Instructions [from, to) of b were executed with these slot values; they are done when it is known
 * where execution went on. Returns as mdl_feed(). */
int p5_time_hold(struct p5 *m, const struct x86_block *b, const uint8_t *slots, unsigned from,
		 unsigned to);

/* As p5_time_hold(), for all of b, whose slots stay where they are until p5_time_settle(). */
int p5_time_hold_all(struct p5 *m, const struct x86_block *b, const uint8_t *slots);

/* The stream at hand ends: what is held keeps its slots itself. */
void p5_time_settle(struct p5 *m);

/* Do what is held. Execution goes on at `next`; is_taken: its last instruction, a conditional
 * branch, was taken. Nothing happens when nothing is held. Returns as mdl_feed(). */
int p5_time_go(struct p5 *m, uint64_t next, bool is_taken);

/* Set up and free what time needs. Returns 0 or -SPMU_ENOMEM. */
int p5_time_open(struct p5 *m);
void p5_time_close(struct p5 *m);

/* Block ids become void: what waits is kept with blocks of its own, the rest is dropped. */
void p5_time_forget(struct p5 *m);

/* Do all that waits, as at the end of the program: its branch is not taken. Totals are right then;
 * after the second one the structs are, too (p5_memo_leave). Return as mdl_feed(). */
int p5_time_catch_up(struct p5 *m);
int p5_time_finish(struct p5 *m);

/* ---- reasons.c ------------------------------------------------------------------------------- */

/* As mdl_reason(). */
bool p5_reason(unsigned why, const char **name, const char **sentence);

/* ---- pipe.c: issue slots --------------------------------------------------------------------- */

/* Execute instructions [from, n) of b. Advances m->time.now_clk, raises all wires of pairing and
 * stalls, and does everything to the state that p5_run_plain() does. The last instruction may stay
 * behind to pair with the first of the next call. Returns as mdl_feed(). */
int p5_pipe_run(struct p5 *m, const struct x86_block *b, const uint8_t *slots, unsigned from,
		unsigned n, uint64_t next, bool is_taken);

/* Instruction `insn` of b is next, of which no more is known yet. What stayed behind is issued,
 * beside it if it can be: then the slot ends when it comes. Returns as mdl_feed(). */
int p5_pipe_ahead(struct p5 *m, const struct x86_block *b, unsigned insn);

/* Issue what stayed behind, end what was begun. Returns as mdl_feed(). */
int p5_pipe_drain(struct p5 *m);

/* ---- pf.c (prefetch buffers), icache.c, itlb.c: the code side -------------------------------- */

/* The instruction at pc, `bytes` long, is the next in program order. Returns the first clock >=
 * at_clk in which D1 has all of it. What EX waits for that is added to wait[] by the caller. */
uint64_t p5_pf_ready(struct p5 *m, uint64_t pc, unsigned bytes, uint64_t at_clk);

/* ---- fetch.c --------------------------------------------------------------------------------- */

/* The prefetcher asks at clk for the `bytes` at `unit`, of which `want` is needed first. Sets
 * m->time.pf.ready of them, and returns the latest of these. */
uint64_t p5_icache_fetch(struct p5 *m, uint64_t unit, unsigned bytes, uint64_t want, uint64_t clk);

/* ---- icache.c -------------------------------------------------------------------------------- */

/* Were the boundaries of the instruction at pc stored when it was decoded before, and its line not
 * replaced since? (The P5 pairs by them; the first execution does not.) Asking notes it as
 * decoded. */
bool p5_icache_is_marked(struct p5 *m, uint64_t pc, unsigned bytes);

/* As p5_icache_is_marked(), for the first n instructions of c, one bit each, without noting
 * anything; n is not 0. */
uint64_t p5_code_marks(struct p5 *m, struct p5_code *c, unsigned n);

/* Fetch goes on at pc from clk on: after a taken branch (predicted right or not), signal, first
 * instruction. */
void p5_pf_redirect(struct p5 *m, uint64_t pc, uint64_t clk, bool is_flush);

/* ---- flush.c --------------------------------------------------------------------------------- */

/* A slot was issued. Looks it up, teaches the branch, raises wires of btb, rsb and core.flush*, and
 * moves the stream (p5_pf_redirect). Returns the clocks that the slots behind it lose: 0 when the
 * stream was right. The caller adds them to wait[]. */
unsigned p5_btb_slot(struct p5 *m, const struct p5_slot *s);

#endif
