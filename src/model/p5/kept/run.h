/* run.h -- one execution of a block whose clocks may be known. Private to memo*.c and host*.c.
 *
 * COUNTING RULES   see memo.h.
 */
#ifndef SOFTPMU_MODEL_P5_RUN_H
#define SOFTPMU_MODEL_P5_RUN_H

#include "model/p5/p5.h"

/* An execution of a block. */
struct p5_run {
	struct p5_code *code;
	const uint8_t *slots;
	uint64_t next;
	bool is_taken;
};

/* Do look a of a step of that block (look.h). Returns what was seen. Cost: 2 to 30 ns of the host.
 */
uint64_t p5_memo_look(struct p5 *m, const struct p5_run *x, const struct p5_act *a);

/* Which access look a, a P5_ACT_DATA, is. */
static inline struct p5_look p5_memo_access(const struct p5_act *a)
{
	return (struct p5_look){.part = (uint16_t)(a->b >> P5_ACT_PART_SHIFT),
				.is_second_half = a->b & P5_ACT_HALF,
				.is_write = a->b & P5_ACT_WRITE,
				.asks_fill = a->b & P5_ACT_ASKS_FILL};
}

/* The slot of look a, a P5_ACT_SLOT. */
void p5_memo_slot(const struct p5_run *x, const struct p5_act *a, struct p5_slot *out);

/* The slot of look a, a P5_ACT_PASS. */
void p5_memo_pass(const struct p5_run *x, const struct p5_act *a, struct p5_slot *out);

/* The address of the instruction whose boundary look a, a P5_ACT_NOTE, notes; *bytes receives its
 * length. */
static inline uint64_t p5_memo_noted(const struct x86_block *b, const struct p5_act *a,
				     unsigned *bytes)
{
	*bytes = a->b ? a->b : b->insn[a->a].bytes;
	return a->b ? b->pc - a->b : b->pc + b->insn[a->a].pc_off;
}

/* Do the looks of step s and of those aside from it, or let the pipes find out. s NULL: there is no
 * step behind turn *t; t->step NULL: nor any for the block in this state. m->memo.state is the
 * state before the block. Returns as p5_pipe_run(). */
int p5_memo_go_on(struct p5 *m, const struct p5_run *x, struct memo_step *s,
		  const struct p5_turn *t);

#endif
