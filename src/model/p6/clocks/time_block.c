/* time_block.c -- the clocks of one execution of a block, when what it did to the structures is
 * known.
 *
 * COUNTING RULES   see the stages: decode.c, rat.c and those behind it.
 */
#include "model/p6/clocks/templates.h"
#include "model/p6/p6.h"

#include "model/p6/clocks/time_fast.h"
#include "model/p6/clocks/bogus.h"
#include "model/p6/clocks/decode.h"
#include "model/p6/clocks/fill.h"
#include "model/p6/clocks/int.h"
#include "model/p6/clocks/rat.h"
#include "model/p6/clocks/time_block.h"
#include "model/p6/units/fpu.h"
#include "model/p6/blocks/ledger.h"

/* Micro-ops of 16 bytes in the fast forms of REP MOVS and REP STOS. */
#define MOVS_UOPS 8u
#define STOS_UOPS 6u

const struct p6_effect p6_quiet;

static const struct p6_effect *effect_of(const struct p6_accesses *a, unsigned k)
{
	return k != 0xff && a->loud_ref[k / 64] >> k % 64 & 1 ? &a->ref[k] : &p6_quiet;
}

static const struct p6_effect *code_of(const struct p6_accesses *a, unsigned i)
{
	return a->loud_code >> i & 1 ? &a->code[i] : &p6_quiet;
}

/* The micro-ops of instruction i. */
static void time_insn(struct p6 *m, const struct x86_block *b, const struct p6_tblk *t, unsigned i,
		      bool is_taken)
{
	const struct p6_code *c = &t->code[i];
	const struct p6_step *s = p6_templates_step(m->time.templates, t, i);
	const struct p6_accesses *a = &m->time.access;
	const uint64_t pc = b->pc + b->insn[i].pc_off;
	const uint64_t ready = p6_decode(m, c, pc, code_of(a, i));
	const uint64_t per_clk = c->is_microcoded ? m->time.par.sequencer_uops : 0;
	const unsigned precision = p6_fpu_precision(c, m->time.held_at);
	const unsigned zero_rest = p6_zero_step(&m->time.zero, s);
	const uint8_t decoded = m->time.on_line ? p6_line_decoded(&m->time) : 0;

	p6_stack_decoded(&m->time.stack);
	if (c->may_be_bogus)
		p6_bogus_decode(m, c, pc);
	p6_ledger_of(m, b, i); /* what follows may be an older one's */
	for (unsigned k = 0; k < c->n_uop; k++) {
		const struct p6_place at = t->uop[c->first_uop + k];
		const struct p6_uop *u = &p6_templates_content(m->time.templates, at.content)->uop;
		const uint64_t ready_clk = ready + (per_clk ? k / per_clk : 0);

		*p6_rat_next(m, u, s, ready_clk) = (struct p6_pend){
		    .uop = u,
		    .step = s,
		    .block = b,
		    .insn = (uint8_t)i,
		    .ready_clk = ready_clk,
		    .effect = effect_of(a, at.ref),
		    .is_again = at.is_again,
		    .is_taken = is_taken && u->flags & P6_U_BRANCH,
		    .precision = u->flags & P6_U_X87_DIVIDE ? (uint8_t)precision : P6_PC_64,
		    .front = m->time.stack.front,
		    .decoded = decoded,
		    .zero_rest = u->flags & P6_U_LAST ? (uint8_t)zero_rest : 0,
		};
	}
}

/* Instruction i, a REP: the machine does nothing else meanwhile. */
static void time_rep(struct p6 *m, const struct x86_block *b, const struct p6_code *s, unsigned i)
{
	struct p6_time *t = &m->time;
	const struct p6_accesses *a = &t->access;
	const struct p6_mnemonic *mn = p6_mnemonic(m, b->insn[i].mnemonic);
	const unsigned copy_uops = mn && mn->kinds & P6_K_STRING_STOS ? STOS_UOPS : MOVS_UOPS;
	uint64_t clk, ready = p6_decode(m, s, b->pc + b->insn[i].pc_off, code_of(a, i));

	p6_ledger_of(m, b, i);
	p6_rat_flush(m);
	clk = p6_later(ready, t->retire_clk) +
	      (a->rep_uops[i] - a->rep_copied[i] + t->par.sequencer_uops - 1) /
		  t->par.sequencer_uops +
	      (a->rep_copied[i] * t->par.copy_clk + copy_uops - 1) / copy_uops;
	if (a->rep[i].lines | a->rep[i].walks)
		clk = p6_later(clk, p6_fill_data(m, &a->rep[i], clk));
	if (t->stack.is_on) {
		p6_stack_decoded(&t->stack);
		p6_stack_rep(m, ready, a->rep_uops[i], clk);
	}
	t->retire_clk = clk;
	t->retired = (uint8_t)t->par.retire_uops;
	t->ren.next_clk = clk;
	if (t->front.clk < clk)
		t->front.clk = clk;
	if (t->on_line)
		p6_line_decode(t, P6_WHY_MICROCODE);
	if (a->rep[i].is_smc)
		p6_decode_clear(m, clk);
	p6_ledger_of(m, b, i);
}

/* Collected micro-ops outlive what their block did. */
static void keep_touches(struct p6_rename *r)
{
	for (unsigned i = 0; i < r->n; i++) {
		const struct p6_effect x = *r->pend[i].effect;

		if (r->pend[i].effect == &p6_quiet)
			continue;
		r->kept_effect[i] = x;
		r->pend[i].effect = &r->kept_effect[i];
	}
}

void p6_block_run(struct p6 *m, const struct x86_block *b, const struct p6_tblk *t, unsigned from,
		  unsigned n, bool is_taken)
{
	for (unsigned i = p6_fast_run(m, b, t, from, n, is_taken) ? n : from; i < n; i++) {
		if (m->time.timer_period_clk)
			p6_int_accept(m);
		if (m->ledger)
			ledger_skip(m->ledger); /* an interrupt is no instruction's */
		if (b->insn[i].flags & X86_I_REP)
			time_rep(m, b, &t->code[i], i);
		else
			time_insn(m, b, t, i, is_taken && i + 1 == n);
		if (m->time.watch && b->insn[i].flags & X86_I_REP)
			p6_watch_rep(m, b, i, m->time.access.rep_uops[i], m->time.retire_clk);
		if (m->time.watch)
			p6_watch_insn(m);
	}
	keep_touches(&m->time.ren);
}

void p6_block_leave(struct p6 *m, enum p6_guess guess, bool is_taken, uint64_t fall)
{
	if (guess == P6_GUESS_WRONG)
		p6_decode_restart(m, m->time.branch_clk);
	else if (guess == P6_GUESS_BY_DECODER)
		p6_decode_baclear(m);
	else if (is_taken)
		p6_decode_jump(m, fall);
}
