/* ledger.h -- what single instructions counted, beside the totals (mdl_config.has_ledger, decision
 * 028).
 *
 * A machine counts into numbers of its own: one for each wire, and some that stand for several
 * wires. The ledger watches those that the caller wants: its cells. After each step that may have
 * moved a cell, the machine names the instruction that caused it, and the ledger books how much the
 * cells have moved since the last booking. What a block counts whenever it runs is not booked: it
 * is executions times what its instructions always count, worked out in ledger_take().
 *
 * COUNTING RULES   what moved since the last booking goes to the instruction that is named. What
 *                  ledger_skip() passes over is booked to no instruction: totals less bookings are
 *                  what the machine did by itself.
 *                  What moves outside of all contexts (mdl_set_context) is booked to nobody.
 * KEPT UP          the machine books after every step that moves a cell, before the step of another
 *                  instruction: what it books too late goes to the instruction that is named then.
 *                  Totals do not depend on it.
 * NOT MODELLED     comparisons in each clock (CMASK, INV, EDGE): nobody knows whose clock it was.
 */
#ifndef SOFTPMU_MODEL_PARTS_LEDGER_H
#define SOFTPMU_MODEL_PARTS_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

#include "model/model.h"
#include "model/parts/tally.h"

#define LEDGER_NOBODY	UINT32_MAX
#define LEDGER_NO_CELL	0xffffu
#define LEDGER_OUTSIDE	MDL_OUTSIDE
#define LEDGER_MOST_OWN 16u

/* A number of the machine, and what one of it means: so much of each wire. */
struct ledger_share {
	uint16_t wire;
	int64_t times;
};

/* How much of some cells an instruction counted. Few of them move more, so an instruction has a
 * chain of these, which are lines of the host's caches. */
#define LEDGER_CELLS 6
struct ledger_entry {
	int64_t n[LEDGER_CELLS];
	uint16_t cell[LEDGER_CELLS]; /* those behind the last one are LEDGER_NO_CELL */
	uint32_t next;		     /* 0, or 1 + the number of an entry */
};
_Static_assert(sizeof(struct ledger_entry) == 64, "a line");

/* Instructions that stand in no block. */
struct ledger_alone {
	uint64_t pc;
	uint32_t first; /* as ledger.slot */
};

/* A booking: a cell moved by n for an instruction of a block. */
struct ledger_note {
	uint32_t id;
	uint16_t cell;
	uint8_t insn;
	uint8_t age; /* as ledger.age */
	int32_t n;
};

struct ledger {
	const struct x86_store *store; /* borrowed */
	/* 1: the caller reads the wire, or something that is worked out from it */
	uint8_t wanted[WIRE_N];
	/* cells */
	const uint64_t **cell;	    /* the machine's numbers; they stay where they are */
	uint64_t *seen;		    /* as they were at the last booking */
	struct ledger_share *share; /* of all cells, one after the other */
	uint32_t *share_end;	    /* by cell: the place after its last share */
	unsigned n_cell, n_share, room_cell, room_share;
	uint16_t own[LEDGER_MOST_OWN]; /* cells of ledger_skip_own() */
	unsigned n_own;
	unsigned n_memory; /* the first cells are those that caches, TLBs and the bus move */
	/* bookings */
	struct ledger_entry *entry; /* at a line */
	uint32_t n_entry, room_entry;
	uint32_t *first; /* by block: 0, or 1 + the place of its first instruction in slot[] */
	uint32_t *slot;	 /* its first entry: 0, or 1 + the number of an entry */
	uint32_t n_slot, room_slot, n_block;
	uint64_t *booked; /* by block: executions that were handed out */
	struct ledger_alone *alone;
	uint32_t n_alone, room_alone;
	/* by calling context, when the caller says so (contexts.h) */
	uint32_t context;	/* of what is counted now */
	uint32_t waits_context; /* ... of the block that waits */
	uint64_t *context_seen; /* by cell: as it was when a context was booked last */
	uint32_t
	    *context_row; /* [0, n_context): 0, or 1 + a row of context_count; NULL: nobody asks */
	int64_t *context_count; /* n_cell numbers each */
	uint32_t n_context, n_context_row, room_context_row;
	/* instructions of several contexts are under way at once: the machine sets .context before
	 * it books, and a booking goes to the context there and then */
	bool is_at_once, has_contexts;
	uint8_t age;	   /* of what is booked now; the machine sets it for readers of notes */
	uint32_t waits;	   /* block whose transfer waits for its outcome, or LEDGER_NOBODY */
	uint64_t waits_pc; /* ... of a block that is forgotten: its address */
	unsigned clock;	   /* the cell of clocks, or LEDGER_NO_CELL */
	/* with is_noting, what is booked is noted, too; has_missed: not all of it */
	struct ledger_note *note;
	uint32_t n_note, room_note;
	bool is_noting, has_missed;
	bool is_lost; /* memory was out: bookings are not complete */
};

/* Make *out without a cell. wanted: as mdl_config.wanted. Returns 0 or -SPMU_ENOMEM; call
 * ledger_close() in both cases. */
int ledger_open(struct ledger **out, const struct x86_store *store, const uint8_t *wanted);
void ledger_close(struct ledger *l);

/* Make *number a cell if one of its wires is wanted: each one of it counts share[0..n). It must
 * stay where it is. Returns 0 or -SPMU_ENOMEM. */
int ledger_add_cell(struct ledger *l, const uint64_t *number, const struct ledger_share *share,
		    unsigned n);
/* As ledger_add_cell(), for a number that one wire has for itself. */
int ledger_add_wire(struct ledger *l, const uint64_t *number, unsigned wire);

/* Book what moved since the last booking to instruction `insn` of block `id`; or to the
 * instruction at pc, which is in no block. Cost: a look at each cell. */
void ledger_book(struct ledger *l, uint32_t id, unsigned insn);
void ledger_book_alone(struct ledger *l, uint64_t pc);
/* As ledger_book(), after a step that can have moved the first n_memory cells alone. */
void ledger_book_memory(struct ledger *l, uint32_t id, unsigned insn);
/* As ledger_book(), for instruction `insn` of b, which may be a copy of a block that was forgotten.
 */
void ledger_book_of(struct ledger *l, const struct x86_block *b, unsigned insn);
/* Is b a block of the store, and no copy? */
bool ledger_has(const struct ledger *l, const struct x86_block *b);
/* Has all that moved been booked? Cost: a look at each cell. */
bool ledger_is_settled(const struct ledger *l);
/* Note all bookings from now on, until is_noting is false. */
static inline void ledger_begin_notes(struct ledger *l)
{
	l->n_note = 0;
	l->has_missed = false;
	l->is_noting = true;
}
/* What `cell` moved is booked otherwise. */
static inline void ledger_pass(struct ledger *l, unsigned cell)
{
	l->seen[cell] = *l->cell[cell];
}
/* n of what `cell` moved are booked otherwise. */
static inline void ledger_pass_some(struct ledger *l, unsigned cell, uint64_t n)
{
	l->seen[cell] += n;
}
/* Book what moved to no instruction. */
void ledger_skip(struct ledger *l);

/* A caller may count some cells by instruction itself. It marks these cells, passes them over
 * before anything else moves cells, and adds up later.
 *   cell_of     returns the cell of a number, or LEDGER_NO_CELL
 *   mark_own    the cell is one of them; at most LEDGER_MOST_OWN are
 *   skip_own    what they moved is booked to no instruction
 *   add_to      n of the cell were instruction insn's, of block id */
unsigned ledger_cell_of(const struct ledger *l, const uint64_t *number);
void ledger_mark_own(struct ledger *l, unsigned cell);
void ledger_skip_own(struct ledger *l);
void ledger_add_to(struct ledger *l, uint32_t id, unsigned insn, unsigned cell, uint64_t n);

/* Block `id` was executed, and it is not known yet where its transfer goes; ledger_resolve()
 * books what the transfer counts. */
static inline void ledger_wait(struct ledger *l, uint32_t id)
{
	l->waits = id;
	l->waits_context = l->context;
}
void ledger_book_waiting(struct ledger *l);
/* It is known where the waiting transfer goes. has_counted: that may have moved a cell. */
static inline void ledger_resolve(struct ledger *l, bool has_counted)
{
	if (has_counted)
		ledger_book_waiting(l);
	l->waits = LEDGER_NOBODY;
	l->waits_pc = 0;
}

/* As ledger_add_to(), with is_at_once in this context. */
void ledger_add_in(struct ledger *l, uint32_t context, uint32_t id, unsigned insn, unsigned cell,
		   uint64_t n);

/* What one instruction counted, while it is being summed. */
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

/* Add `times` of what t has of wanted wires to s, and empty t. */
void ledger_add_tally(const struct ledger *l, struct ledger_sum *s, struct tally *t,
		      uint64_t times);

/* What ledger_take() asks the machine. */
struct ledger_machine {
	void *machine;
	/* returns the executions of block id so far; 0 for a block that was not met */
	uint64_t (*executions)(void *machine, uint32_t id);
	/* adds what instruction insn of b always counts, `times` times, to s */
	void (*always)(void *machine, const struct x86_block *b, unsigned insn, uint64_t times,
		       struct ledger_sum *s);
	/* adds to s, which has all of one instruction, what is worked out from that; or NULL */
	void (*complete)(void *machine, struct ledger_sum *s);
};

/* Call take(ctx, ...) for each instruction of blocks [0, n_block), in their order, with what it
 * has counted since the last time. visit[0..n): so often were blocks executed; NULL: as the machine
 * says. Returns 0, or -SPMU_ENOMEM when something was lost. Cost: a walk over all blocks and what
 * their instructions count. */
int ledger_take(struct ledger *l, const struct ledger_machine *of, uint32_t n_block,
		const struct mdl_visit *visit, size_t n, mdl_take_posting *take, void *ctx);

/* The sum is complete: complete it as the machine does, hand it to take() with the rest of *p, and
 * empty it. */
void ledger_hand_out(const struct ledger_machine *of, struct ledger_sum *s, struct mdl_posting *p,
		     mdl_take_posting *take, void *ctx);

/* All block ids become void. What was not taken is lost: call ledger_take() before. */
void ledger_forget(struct ledger *l);

#endif
