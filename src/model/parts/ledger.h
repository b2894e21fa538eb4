/* ledger.h -- what single instructions counted, beside the totals (mdl_config.has_ledger, decision
 * 028).
 *
 * A machine counts into numbers of its own: one per wire, and some that stand for several wires.
 * The ledger looks at those that somebody wants, its cells. Behind each thing that may have moved
 * one, the machine says whose that was, and the ledger books the difference. What a block counts
 * whenever it runs is not booked: executions times what its instructions always count.
 *
 * COUNTING RULES   what moved since the last booking goes to the instruction that is named;
 *                  ledger_skip() gives it to nobody, and the difference between totals and bookings
 *                  is the machine's.
 * NOT MODELLED     clocks: with them a machine has no ledger.
 */
#ifndef SOFTPMU_MODEL_PARTS_LEDGER_H
#define SOFTPMU_MODEL_PARTS_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

#include "model/model.h"

#define LEDGER_NOBODY UINT32_MAX

/* A number of the machine, and what one of it means: so much of each wire. */
struct ledger_share {
	uint16_t wire;
	int64_t times;
};

/* Instructions that stand in no block. */
struct ledger_alone {
	uint64_t pc;
	uint32_t row;
};

struct ledger {
	const struct x86_store *store; /* borrowed */
	/* 1: somebody reads the wire, or what is worked out from it */
	uint8_t wanted[WIRE_N];
	/* cells */
	const uint64_t **cell;	    /* the machine's numbers; they stay where they are */
	uint64_t *seen;		    /* as they were at the last booking */
	struct ledger_share *share; /* of all cells, one behind the other */
	uint32_t *share_end;	    /* by cell: behind its last share */
	unsigned n_cell, n_share, room_cell, room_share;
	unsigned n_memory; /* the first cells: all that caches, TLBs and the bus move */
	/* bookings */
	int64_t *row; /* n_cell numbers each */
	uint32_t n_row, room_row;
	uint32_t *first; /* by block: 0, or 1 + the place of its first instruction in slot[] */
	uint32_t *slot;	 /* 0, or 1 + a row */
	uint32_t n_slot, room_slot, n_block;
	uint64_t *booked; /* by block: executions that were handed out */
	struct ledger_alone *alone;
	uint32_t n_alone, room_alone;
	uint32_t waits;	   /* block whose transfer waits for its outcome, or LEDGER_NOBODY */
	uint64_t waits_pc; /* ... of a block that is forgotten: its address */
	bool is_lost;	   /* memory was out: bookings are not complete */
};

/* wanted: as mdl_config.wanted. Returns 0 or -SPMU_ENOMEM; ledger_close() may be called in any
 * case. */
int ledger_open(struct ledger **out, const struct x86_store *store, const uint8_t *wanted);
void ledger_close(struct ledger *l);

/* One of *number is share[0..n) of wires. It becomes a cell if one of these is wanted. Returns 0 or
 * -SPMU_ENOMEM. */
int ledger_add_cell(struct ledger *l, const uint64_t *number, const struct ledger_share *share,
		    unsigned n);
/* The usual case: it is one wire's own. */
int ledger_add_wire(struct ledger *l, const uint64_t *number, unsigned wire);

/* What moved since the last booking is instruction `insn`'s of block `id`; of an instruction at pc,
 * which is in none. Cost: a look at each cell. */
void ledger_book(struct ledger *l, uint32_t id, unsigned insn);
void ledger_book_alone(struct ledger *l, uint64_t pc);
/* The same behind what moved none of the other cells than the first n_memory. */
void ledger_book_memory(struct ledger *l, uint32_t id, unsigned insn);
/* It is nobody's. */
void ledger_skip(struct ledger *l);

/* Block `id` was executed, and where its transfer goes is not known yet; what that counts is booked
 * by ledger_resolve(). */
static inline void ledger_wait(struct ledger *l, uint32_t id)
{
	l->waits = id;
}
void ledger_book_waiting(struct ledger *l);
/* It is known. has_counted: it may have moved a cell. */
static inline void ledger_resolve(struct ledger *l, bool has_counted)
{
	if (has_counted)
		ledger_book_waiting(l);
	l->waits = LEDGER_NOBODY;
	l->waits_pc = 0;
}

/* How a machine gives what it knows of an execution: add what instruction `insn` of b counts
 * whenever it is executed to sum[WIRE_N], by way of ledger_sum(). */
struct ledger_sum {
	uint64_t total[WIRE_N]; /* modulo 2^64 */
	uint16_t touched[WIRE_N];
	uint8_t is_touched[WIRE_N];
	unsigned n_touched;
};

static inline void ledger_add(struct ledger_sum *s, unsigned wire, uint64_t n)
{
	if (!s->is_touched[wire]) {
		s->is_touched[wire] = 1;
		s->touched[s->n_touched++] = (uint16_t)wire;
	}
	s->total[wire] += n;
}

/* What a machine tells while bookings are handed out. */
struct ledger_machine {
	void *machine;
	/* executions of block id so far, 0 when it was not met */
	uint64_t (*executions)(void *machine, uint32_t id);
	/* what instruction insn of b always counts, `times` of it */
	void (*always)(void *machine, const struct x86_block *b, unsigned insn, uint64_t times,
		       struct ledger_sum *s);
	/* s has all of one instruction: add what is worked out of that; or NULL */
	void (*complete)(void *machine, struct ledger_sum *s);
};

/* Hand out all that was booked since the last time, instruction by instruction, in the order of
 * blocks; blocks [0, n_block). Returns 0, or -SPMU_ENOMEM when something was lost. Cost: a walk
 * over all blocks, and over what their instructions count. */
int ledger_take(struct ledger *l, const struct ledger_machine *of, uint32_t n_block,
		mdl_take_posting *take, void *ctx);

/* All block ids become void. What was not taken is lost. */
void ledger_forget(struct ledger *l);

#endif
