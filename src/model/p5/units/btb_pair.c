/* btb_pair.c -- unit btb: the one of the Pentium without MMX.
 *
 * COUNTING RULES   as btb.c. An entry in state 0 is none.
 * MODELLED         4 ways of 64 sets, chosen by bits 5:0 of the U address of the slot before the
 *                  branch's, so that the target can be fetched while the branch is decoded: an
 *                  entry is applied to whatever comes next, a branch or not, this one or another,
 *                  and decremented when nothing jumps. A 2-bit counter; a branch taken in state 0
 *                  goes to 3, but to 1 when it is met again within 4 slots, before the buffer was
 *                  written. No entry is made while a pair was missed because boundaries were not
 *                  known, nor for a branch to the next instruction. In the slot behind a flush no
 *                  target is loaded: predicted not taken, but taught. RET and indirect branches go
 *                  where they went last. Replacement: a free entry, else pseudo-random.
 * FAST FORM        slots of host code without a branch, or with one that can be predicted. It does
 *                  what ask and teach do; tests compare counts with and without host code.
 * NOT MODELLED     the order of updates that are in flight other than the above.
 * SOURCES          Agner Fog, microarchitecture, 3.2 (measured); Intel 241428 (1997) 2.2, Table
 *                  16-16. Intel says that the address in D1 is looked up: --set btb.is_by_pair=0
 *                  uses the branch's own slot.
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
	} else if (is_jump && s->next != s->fall && s->next != P5_NOWHERE && !s->could_pair &&
		   !b->could_pair && key_of(m, s) != P5_BTB_NO_KEY) {
		e = p5_btb_make(b, key_of(m, s));
		p5_btb_pair_begin(b, e, s->next);
	}
}

/* ---- the usual slots of host code -------------------------------------------------------------
 */

/* The entry of `key`, or NULL. */
static inline struct p5_btb_entry *entry_of(struct p5_btb *b, uint64_t key)
{
	struct p5_btb_entry *e = p5_btb_hinted(b, key);

	if (e->key == key && key != P5_BTB_NO_KEY)
		return e;
	if (!p5_btb_may_have(b, key))
		return NULL;
	e = p5_btb_find(b, key);
	if (e)
		p5_btb_hint(b, key, e);
	return e;
}

/* A slot that nothing answers for. */
static inline uint64_t see_unanswered(struct p5 *m, uint64_t key, uint64_t fall, uint64_t next,
				      uint32_t what)
{
	struct p5_btb *b = &m->btb;
	const bool is_branch = what & P5_HOST_KIND_MASK;
	struct p5_btb_entry *e;

	if (!is_branch || !(what & P5_HOST_TAKEN)) {
		b->had_flush = next != fall;
		return is_branch ? P5_SLOT_ASKED | P5_SLOT_RIGHT : 0;
	}
	b->had_flush = true;
	if (next == fall || what & P5_HOST_COULD_PAIR || b->could_pair || key == P5_BTB_NO_KEY)
		return P5_SLOT_ASKED;
	e = p5_btb_make_new(b, key);
	p5_btb_pair_begin(b, e, next);
	return P5_SLOT_ASKED;
}

/* One for which entry e answers. */
static inline uint64_t see_answered(struct p5 *m, struct p5_btb_entry *e, uint64_t fall,
				    uint64_t next, uint32_t what)
{
	struct p5_btb *b = &m->btb;
	const bool is_branch = what & P5_HOST_KIND_MASK, is_jump = what & P5_HOST_TAKEN;
	const bool is_sent = p5_btb_pair_sends(m, e);
	const uint64_t target = e->target;
	uint64_t seen = P5_SLOT_ASKED | P5_SLOT_HIT | (is_sent ? P5_SLOT_TAKEN : 0u);

	if (is_sent && !is_branch)
		seen |= P5_SLOT_FALSE;
	else if (is_sent ? is_jump && target == next : !is_jump)
		seen |= P5_SLOT_RIGHT;
	b->had_flush = !(seen & P5_SLOT_RIGHT) || (!is_jump && next != fall);
	if (is_sent && !(seen & P5_SLOT_RIGHT))
		seen |= target << P5_SLOT_TARGET_SHIFT;
	p5_btb_pair_learn(b, e, is_jump, next);
	return seen;
}

uint64_t p5_btb_see_pair(struct p5 *m, uint64_t u_pc, uint64_t next, uint32_t what)
{
	struct p5_btb *b = &m->btb;
	const uint64_t key = b->is_by_pair ? b->prev_u : u_pc;
	const uint64_t fall =
	    u_pc + (what >> P5_HOST_FROM_U_SHIFT & 15) + (what >> P5_HOST_LENGTH_SHIFT & 15);
	struct p5_btb_entry *e;
	uint64_t seen;

	if ((what & P5_HOST_KIND_MASK) > P5_BR_RET)
		return P5_BTB_NOT_FAST;
	b->now++;
	e = entry_of(b, key);
	seen = e ? see_answered(m, e, fall, next, what) : see_unanswered(m, key, fall, next, what);
	if (b->had_flush)
		b->flush_at = b->now;
	b->prev_u = u_pc;
	b->could_pair = what & P5_HOST_COULD_PAIR;
	return seen && what & P5_HOST_PASS ? seen | P5_SLOT_NOT_PASSED : seen;
}
