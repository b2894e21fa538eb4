/* flush.c -- clocks of branches: where the stream goes on, and what a wrong one costs.
 *
 * COUNTING RULES   as in units/btb.c, which says what is seen of a slot.
 * MODELLED         the wrong stream is fetched until it is found wrong.
 * SOURCES          as units/btb.c. Clocks: catalog/p5/params.tsv.
 */
#include "model/p5/p5.h"

/* Clocks between the end of the slot and the first slot of the right stream. */
static unsigned penalty(const struct p5 *m, const struct p5_slot *s, bool is_false)
{
	if (is_false)
		return m->par[P5_PAR_BTB_FALSE_CLK];
	if (s->kind != P5_BR_JCC)
		return m->par[P5_PAR_BTB_OTHER_CLK];
	return m->par[s->is_in_v ? P5_PAR_BTB_JCC_V_CLK : P5_PAR_BTB_JCC_U_CLK];
}

/* The stream goes on where the slot's branch is predicted to go: as soon as it was fetched. */
static void follow(struct p5 *m, const struct p5_slot *s, uint64_t target)
{
	const bool is_early = s->fetch_clk && s->fetch_clk + 1 < s->end_clk;

	p5_pf_redirect(m, target, is_early ? s->fetch_clk + 1 : s->end_clk, false);
}

/* The stream was the wrong one from the end of the slot on. Returns the clocks lost. */
static unsigned flush_branch(struct p5 *m, const struct p5_slot *s, uint64_t seen)
{
	const unsigned clk = penalty(m, s, seen & P5_SLOT_FALSE);

	P5_RAISE(m, CORE_FLUSH, 1);
	if (seen & P5_SLOT_FALSE) {
		P5_RAISE(m, BTB_FALSE_ENTRY, 1);
	} else {
		P5_RAISE(m, CORE_FLUSH_BRANCH, 1);
		P5_RAISE(m, CORE_FLUSH_BRANCH_WB, s->kind == P5_BR_JCC && s->is_in_v);
	}
	if (seen & P5_SLOT_TAKEN)
		follow(m, s, (uint64_t)((int64_t)seen >> P5_SLOT_TARGET_SHIFT));
	if (s->next != P5_NOWHERE)
		p5_pf_redirect(m, s->next, s->end_clk + clk, true);
	return clk;
}

/* See p5_slot_is_left(). Returns the clocks lost. */
static unsigned leave(struct p5 *m, const struct p5_slot *s)
{
	if (!p5_slot_is_left(s))
		return 0;
	P5_RAISE(m, CORE_FLUSH, s->kind != P5_BR_STOP);
	if (s->next != P5_NOWHERE)
		p5_pf_redirect(m, s->next, s->end_clk, true);
	return 0;
}

static unsigned pass_asked(struct p5 *m, const struct p5_slot *s, uint64_t seen)
{
	P5_RAISE(m, BTB_HIT, (seen & P5_SLOT_HIT) != 0);
	P5_RAISE(m, BTB_TAKEN_OR_HIT, seen & P5_SLOT_HIT || s->is_taken);
	P5_RAISE(m, BTB_WRONG_TAKEN,
		 (seen & (P5_SLOT_TAKEN | P5_SLOT_FALSE)) == P5_SLOT_TAKEN && !s->is_taken &&
		     (s->kind == P5_BR_JCC || s->kind == P5_BR_LOOP));
	P5_RAISE(m, RSB_MISS, !(seen & P5_SLOT_RIGHT) && s->kind == P5_BR_RET);
	if (!(seen & P5_SLOT_RIGHT))
		return flush_branch(m, s, seen);
	if (!p5_slot_is_predictable(s) || !s->is_taken)
		return leave(m, s);
	if (s->next != P5_NOWHERE)
		follow(m, s, s->next);
	return 0;
}

unsigned p5_btb_slot(struct p5 *m, const struct p5_slot *s)
{
	const uint64_t seen = p5_look_slot(m, s);

	if (seen & P5_SLOT_ASKED)
		return pass_asked(m, s, seen);
	P5_RAISE(m, BTB_TAKEN_OR_HIT, s->kind != P5_BR_NONE);
	return leave(m, s);
}
