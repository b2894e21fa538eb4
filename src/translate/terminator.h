/* terminator.h -- the emitter's state while one block is written, and how blocks end. */
#ifndef SOFTPMU_TRANSLATE_TERMINATOR_H
#define SOFTPMU_TRANSLATE_TERMINATOR_H

#include "translate/internal.h"

struct xlt_emitter {
	struct xlt *x;
	const struct x86_builder *b;
	struct x86_out *out;
	uint32_t start;            /* code offset of the block */
	uint32_t id;
	uint32_t first_recover, first_exit;
	struct xlt_regs regs;
	unsigned insn;             /* instruction being emitted */
	unsigned slots_done;
	unsigned state;            /* enum shr_state */
	uint32_t flush_jump;       /* code offset of the displacement to the flush exit, 0 = none */
	uint32_t flush_resume;
	unsigned flush_insn, flush_state;
	bool has_saved_flags;
};

/* Note that from the current code offset on the machine's state is `state`. */
void xlt_mark(struct xlt_emitter *e, unsigned state);

/* Emit everything after the last copied instruction: advance the record, put the stand-in back, jump. */
void xlt_emit_terminator(struct xlt_emitter *e);

/* Tier 1: raise the counter of taken exits, in the cold part; leaves flags alone. */
void xlt_emit_taken_counter(struct xlt_emitter *e);

#define XLT_JUMP_BYTES 5u

#endif
