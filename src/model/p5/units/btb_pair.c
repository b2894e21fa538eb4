/* btb_pair.c -- unit btb: the one of the Pentium without MMX.
 *
 * COUNTING RULES   as btb.c. An entry in state 0 is none.
 * MODELLED         4 ways of 64 sets, chosen by bits 5:0 of the U address of the slot before the branch's, so that
 *                  the target can be fetched while the branch is decoded: an entry is applied to whatever
 *                  comes next, a branch or not, this one or another, and decremented when nothing jumps. A 2-bit
 *                  counter; a branch taken in state 0 goes to 3, but to 1 when it is met again within
 *                  4 slots, before the buffer was written. No entry is made while a pair was missed because
 *                  boundaries were not known, nor for a branch to the next instruction. In the slot behind a
 *                  flush no target is loaded: predicted not taken, but taught. RET and indirect branches go where
 *                  they went last. Replacement: a free entry, else pseudo-random.
 * NOT MODELLED     the order of updates that are in flight other than the above.
 * SOURCES          Agner Fog, microarchitecture, 3.2 (measured); Intel 241428 (1997) 2.2, Table 16-16. Intel says
 *                  that the address in D1 is looked up: --set btb.is_by_pair=0 uses the branch's own slot.
 */
#include "model/p5/p5.h"

enum { STRONG_TAKEN = 3, TAKEN = 2, WEAK_NOT_TAKEN = 1 };

static uint64_t key_of(const struct p5 *m, const struct p5_slot *s)
{
	return m->btb.is_by_pair ? m->btb.prev_u : s->u_pc;
}

bool p5_btb_pair_sends(struct p5 *m, struct p5_btb_entry *e)
{
	const struct p5_btb *b = &m->btb;

	if (e->is_fresh && b->now - e->seen[0] <= m->par[P5_PAR_BTB_TIGHT_SLOTS])
		e->counters = WEAK_NOT_TAKEN;
	e->is_fresh = false;
	return e->counters >= TAKEN && !b->had_flush;
}

struct p5_guess p5_btb_pair_ask(struct p5 *m, const struct p5_slot *s)
{
	struct p5_btb *b = &m->btb;
	const uint64_t key = key_of(m, s);
	const bool is_branch = s->kind >= P5_BR_JCC && s->kind <= P5_BR_RET;
	struct p5_guess g = {0};

	b->now++;
	if (!p5_btb_may_have(b, key))
		return g;
	g.entry = p5_btb_find(b, key);
	if (!g.entry)
		return g;
	g.is_hit = true;
	g.is_taken = p5_btb_pair_sends(m, g.entry);
	g.is_false = g.is_taken && !is_branch;
	g.target = g.entry->target;
	return g;
}

void p5_btb_pair_learn(struct p5_btb *b, struct p5_btb_entry *e, bool is_jump, uint64_t next)
{
	if (is_jump) {
		e->counters += e->counters < STRONG_TAKEN;
		e->target = next;
	} else if (!--e->counters) {
		p5_btb_drop(b, e);
	}
}

void p5_btb_pair_begin(const struct p5_btb *b, struct p5_btb_entry *e, uint64_t next)
{
	e->counters = STRONG_TAKEN;
	e->target = next;
	e->seen[0] = b->now;
	e->is_fresh = true;
}

void p5_btb_pair_teach(struct p5 *m, const struct p5_slot *s, const struct p5_guess *g)
{
	struct p5_btb *b = &m->btb;
	struct p5_btb_entry *e = g->entry;
	const bool is_jump = s->is_taken && s->kind >= P5_BR_JCC && s->kind <= P5_BR_RET;

	if (e) {
		p5_btb_pair_learn(b, e, is_jump, s->next);
	} else if (is_jump && s->next != s->fall && s->next != P5_NOWHERE && !s->could_pair && !b->could_pair &&
		   key_of(m, s) != P5_BTB_NO_KEY) {
		e = p5_btb_make(b, key_of(m, s));
		p5_btb_pair_begin(b, e, s->next);
	}
}
