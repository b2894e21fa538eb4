/* look.h -- where clocks meet structures: what the machine in time sees outside of its pipes.
 *
 * How long an instruction takes depends on the state of the pipes and buffers, which memo_state.c
 * writes down, and on what caches, TLBs, the branch target buffer and the record say. Each time the
 * pipes need one of those they look: the structure does its part at once (a line comes in, a
 * counter moves, P5_SEE() wires are raised) and returns what was seen, a small number. The clocks
 * of what was seen are worked out apart from that. So when the clocks of a block are known, its
 * looks are done without the pipes. When such a look sees what was never seen there, the pipes
 * start over from the state before the block. The looks that were done already are on the tape, and
 * the pipes replay what these saw: a structure does its part once.
 *
 * COUNTING RULES   a look may raise wires by P5_SEE() alone, and nothing but a look may change a
 *                  structure.
 */
#ifndef SOFTPMU_MODEL_P5_LOOK_H
#define SOFTPMU_MODEL_P5_LOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "model/p5/units/seen.h"
#include "model/parts/ledger.h"

struct p5;
struct p5_code;
struct p5_fly;
struct p5_operand;
struct p5_ref;
struct p5_slot;

/* What a slot saw of the BTB; 0: nothing answered, and nothing was to be predicted. */
enum p5_slot_seen {
	P5_SLOT_ASKED =
	    1 << 0, /* a live entry answered, or there is a branch that can be predicted */
	P5_SLOT_HIT = 1 << 1,
	P5_SLOT_TAKEN = 1 << 2,	      /* the stream was sent away */
	P5_SLOT_FALSE = 1 << 3,	      /* although there is no such branch */
	P5_SLOT_RIGHT = 1 << 4,	      /* to where it goes on */
	P5_SLOT_NOT_PASSED = 1 << 15, /* of a P5_ACT_PASS: no slot has so many bytes */
	P5_SLOT_TARGET_SHIFT = 16,    /* where the stream was sent, if that was wrong */
};

/* Which access of an operand is looked at. */
struct p5_look {
	uint16_t part;	     /* 8 bytes of it */
	bool is_second_half; /* of a part that is cut */
	bool is_write;
	bool asks_fill; /* a line is coming in: is it that one? */
};

/* Kinds of looks. */
enum p5_act_kind {
	/* a: number of the reference; b: enum p5_act_data + part; seen: enum p5_seen */
	P5_ACT_DATA,
	/* seen: unit << 16 | enum p5_seen; b: which byte of the unit is wanted first */
	P5_ACT_CODE,
	P5_ACT_MARKS, /* seen: which boundaries of the block are known */
	/* a: number of an instruction, whose boundary is noted; or b: bytes of the one before
	 * the block; seen: 0 */
	P5_ACT_NOTE,
	/* a: number of the U instruction; b: enum p5_act_slot; c: struct p5_slot in short; seen:
	 * enum p5_slot_seen */
	P5_ACT_SLOT,
	/* a slot without a branch for which nothing answers; a, b as above; c: where it begins
	 * in the block, negative for one that begins before it; seen: its bytes */
	P5_ACT_PASS,
	P5_ACT_BANK,  /* a, b: references of U and V; seen: 1: they want the same bank */
	P5_ACT_FACTS, /* a: number of the instruction; seen: enum p5_fpu_fact */
};

enum p5_act_data { P5_ACT_WRITE = 1, P5_ACT_HALF = 2, P5_ACT_ASKS_FILL = 4, P5_ACT_PART_SHIFT = 3 };

/* P5_ACT_BEFORE: U stands before the block: it waited for its partner (p5_tape.before). */
enum p5_act_slot { P5_ACT_WITH_V = 1, P5_ACT_COULD_PAIR = 2, P5_ACT_BEFORE = 4 };

/* c of a P5_ACT_SLOT: offsets of the U instruction (backwards for one before the block) and of the
 * last one in the block, bytes and kind of the last. */
enum p5_act_slot_bits {
	P5_ACT_LAST_SHIFT = 12,
	P5_ACT_BYTES_SHIFT = 24,
	P5_ACT_KIND_SHIFT = 28,
	P5_ACT_OFFSET = 0xfff
};

/* A look that was done, and what it saw. */
struct p5_act {
	uint8_t kind, a;
	uint16_t b;
	uint32_t c;
	uint64_t seen;
};

#define P5_MOST_ACTS 200u

/* The looks of a block in the order in which the pipes do them. */
struct p5_tape {
	struct p5_act act[P5_MOST_ACTS];
	unsigned n;	   /* looks on the tape */
	unsigned at;	   /* the next one to replay; n: none is left, looks are done */
	bool is_recording; /* looks that are done go on the tape */
	bool is_lost;	   /* it cannot be kept: too long, or something that no act can say */
	uint64_t pc;	   /* of the block */
	/* bytes of the instruction right before it that waits for a partner; 0: none waits */
	unsigned before;
	unsigned ref; /* number of the reference being done */
	/* with a ledger, while recording: who[i] is the instruction that the looks from the end of
	 * who[i - 1] up to number who[i].n belong to */
	struct ledger_note who[P5_MOST_ACTS];
	unsigned n_who;
	unsigned n_owned; /* the looks below this number have an owner, or were replayed */
};

/* ---- look.c ---------------------------------------------------------------------------------- */

/* Each of these functions replays a look while p5_tape.at < n. Else it has the structure do its
 * part, by the function that its comment names. */

/* As p5_dcache_see(). k->asks_fill is set here. */
unsigned p5_look_data(struct p5 *m, uint64_t lin, const struct p5_operand *op, struct p5_look *k);

/* Returns true if all accesses of operand r at lin hit in the quick way (p5_ref_is_fast()) and no
 * line is on its way: their looks are done. Returns false, and does nothing, if they must be looked
 * at in full. */
bool p5_look_fast(struct p5 *m, const struct p5_ref *r, uint64_t lin);

/* As p5_icache_see(). */
unsigned p5_look_code(struct p5 *m, uint64_t unit, uint64_t want);

/* As p5_code_marks(). The Pentium with MMX does not need it. */
uint64_t p5_look_marks(struct p5 *m, struct p5_code *c, unsigned n);

/* f is decoded: note its boundary (p5_icache_is_marked()). */
void p5_look_note(struct p5 *m, const struct p5_fly *f);

/* As p5_btb_see(). */
uint64_t p5_look_slot(struct p5 *m, const struct p5_slot *s);

/* A slot whose last instruction is no branch and ends before `fall`, where execution goes on.
 * Returns true when no entry of the BTB answers for it: its look is done. Returns false, and does
 * nothing, when p5_look_slot() must be called. */
bool p5_look_silent(struct p5 *m, const struct p5_fly *u, const struct p5_fly *v, bool could_pair,
		    uint64_t fall);

/* Do the last access of u and the first of v want the same bank of L1D? */
bool p5_look_bank(struct p5 *m, const struct p5_fly *u, const struct p5_fly *v);

/* As p5_fpu_facts(). */
unsigned p5_look_facts(struct p5 *m, const struct p5_fly *f);

#endif
