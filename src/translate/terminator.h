/* terminator.h -- the emitter's state while one block is written, and how blocks end. */
#ifndef SOFTPMU_TRANSLATE_TERMINATOR_H
#define SOFTPMU_TRANSLATE_TERMINATOR_H

#include "translate/internal.h"

struct xlt_emitter {
	struct xlt *x;
	const struct x86_builder *b;
	struct x86_out *out;
	uint32_t start;	     /* code offset of the block */
	uint32_t first_cold; /* code offset of its cold part */
	uint32_t id;
	const struct x86_block
	    *shelved; /* its facts on the shelf, NULL = it is not for the shelf */
	uint32_t first_recover, first_exit;
	struct xlt_regs regs;
	unsigned insn; /* instruction being emitted */
	unsigned slots_done;
	unsigned state;	     /* enum shr_state */
	uint32_t flush_jump; /* code offset of the displacement to the flush exit, 0 = none */
	uint32_t flush_resume;
	unsigned flush_insn, flush_state;
	bool has_saved_flags;
	bool is_counted; /* tier 1: the head raises the counter (quantum.c) */
};

/* Note that from the current code offset on the machine's state is `state`. */
void xlt_mark(struct xlt_emitter *e, unsigned state);

/* Emit instruction e->insn as it runs in place, without its slots. */
void xlt_emit_instruction(struct xlt_emitter *e);

/* Emit everything after the last copied instruction: advance the record, put the stand-in back,
 * jump. */
void xlt_emit_terminator(struct xlt_emitter *e);

/* Tier 1: raise the block's counter, at o; without dead flags it takes four more instructions. */
void xlt_emit_counter(struct xlt_emitter *e, struct x86_out *o, bool flags_are_dead);
/* Index of the first instruction before which the counter can be raised by INC; n_insn: there is
 * none. */
unsigned xlt_counter_point(const struct xlt_emitter *e);

/* Tier 1: raise the counter of taken exits, in the cold part; leaves flags alone. */
void xlt_emit_taken_counter(struct xlt_emitter *e);

/* registers.c: choose the stand-in for r15 and the scratch register. Returns false when the block
 * uses too many. */
bool xlt_choose_registers(struct xlt_emitter *e);

/* slots.c: store the slots that belong before (is_after false) or after instruction e->insn. */
void xlt_emit_slots(struct xlt_emitter *e, bool is_after);
/* Spill the scratch register and take it back. */
void xlt_save_y(struct xlt_emitter *e);
void xlt_restore_y(struct xlt_emitter *e);

/* work.c: behind instruction e->insn and its slots: if it is a REP, add its elements to
 * shr_gs.work. */
void xlt_emit_work(struct xlt_emitter *e);

/* check.c: head of a self-checking block, whose source bytes are kept with *t. */
void xlt_emit_source_check(struct xlt_emitter *e, struct shr_block *t);

/* reuse.c: a copy of the facts on the shelf; NULL when they are not for the shelf, or it is full.
 */
const struct x86_block *xlt_facts_on_shelf(struct xlt *x, const struct x86_block *b);
/* Put the block just emitted, whose facts are there and which is not linked yet, on the shelf. */
void xlt_put_on_shelf(struct xlt *x, const struct xlt_emitter *e, uint32_t main_off,
		      uint32_t indirect_off);

#endif
