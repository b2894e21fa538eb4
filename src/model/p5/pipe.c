/* pipe.c -- units core and d1 in time: issue slots.
 *
 * MODELLED         one instruction per slot and clock, what the front end, the data side and branches add.
 * NOT MODELLED     pairing, interlocks, prefixes, instructions of several clocks.
 */
#include "model/p5/p5.h"

#include <string.h>

static uint8_t branch_kind(const struct x86_block *b, unsigned i)
{
	if (i + 1u < b->n_insn)
		return P5_BR_NONE;
	switch (b->term) {
	case X86_TERM_JCC:
		return P5_BR_JCC;
	case X86_TERM_JMP:
		return P5_BR_JMP;
	case X86_TERM_CALL:
		return P5_BR_CALL;
	case X86_TERM_JMP_IND:
		return P5_BR_JMP_IND;
	case X86_TERM_CALL_IND:
		return P5_BR_CALL_IND;
	case X86_TERM_RET:
		return P5_BR_RET;
	case X86_TERM_SYSCALL:
		return P5_BR_STOP;
	default:
		return P5_BR_NONE;
	}
}

/* Tell the line of instruction i, which went down U alone, with the clocks lost since the line before. */
static void tell(struct p5 *m, const struct x86_block *b, unsigned i, const struct p5_slot *s)
{
	struct mdl_line l = {.block = b, .insn = (uint8_t)i, .pipe = MDL_PIPE_U, .pc = s->u_pc, .clk = s->ex_clk,
			     .held_clk = (uint32_t)(s->end_clk - s->ex_clk)};

	for (unsigned why = 1; why < P5_N_WHY && l.n_stall < MDL_LINE_STALLS; why++)
		if (m->time.wait[why] != m->told[why])
			l.stall[l.n_stall++] = (struct mdl_stall){(uint8_t)why,
								  (uint32_t)(m->time.wait[why] - m->told[why])};
	memcpy(m->told, m->time.wait, sizeof(m->told));
	m->on_line(m->line_ctx, &l);
}

int p5_pipe_run(struct p5 *m, const struct x86_block *b, const uint8_t *slots, unsigned n, uint64_t next,
		bool is_taken)
{
	struct p5_time *t = &m->time;

	for (unsigned i = 0; i < n; i++) {
		const struct x86_insn *in = &b->insn[i];
		struct p5_slot s = {.u_pc = b->pc + in->pc_off, .kind = branch_kind(b, i)};
		int rc;

		s.ex_clk = p5_pf_ready(m, s.u_pc, in->bytes, t->now_clk);
		t->wait[P5_WHY_FETCH] += s.ex_clk - t->now_clk;
		t->data_clk = s.ex_clk;
		rc = p5_run_insn(m, b, slots, i, true);
		if (rc)
			return rc;
		s.end_clk = t->data_clk + 1;
		if (m->on_line)
			tell(m, b, i, &s);
		s.pc = s.u_pc;
		s.bytes = in->bytes;
		s.fall = s.u_pc + in->bytes;
		s.next = i + 1u < n ? s.fall : next;
		s.is_taken = s.kind && (s.kind != P5_BR_JCC || is_taken);
		t->now_clk = s.end_clk + p5_btb_slot(m, &s);
		t->wait[P5_WHY_FLUSH] += t->now_clk - s.end_clk;
	}
	P5_SET(m, CORE_CLK, t->now_clk);
	return 0;
}
