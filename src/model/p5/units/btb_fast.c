/* btb_fast.c -- unit btb: the usual slots of host code, as btb.c, btb_pair.c and btb_bank.c do them.
 *
 * COUNTING RULES   as btb.c; tests compare counts with and without host code.
 * MODELLED         Pentium: slots without a branch, or with one that can be predicted. With MMX: a branch with an entry of
 *                  its type, or with none, whose slot has no other entry.
 * NOT MODELLED     all other slots: btb.c does them.
 */
#include "model/p5/host/host.h"

/* Nothing but the entry of the branch that ends at `last` answers in a slot from u_pc on. */
static inline bool is_alone(const struct p5_btb *b, uint64_t u_pc, uint64_t last)
{
	uint64_t hits = p5_btb_first(p5_btb_bits(b, u_pc), (unsigned)(last - u_pc));

	for (; hits; hits &= hits - 1) {
		const uint64_t end = u_pc + (unsigned)__builtin_ctzll(hits);
		const struct p5_btb_entry *e = p5_btb_find(b, end);

		if (e && e->key == end)
			return false;
	}
	return true;
}

/* A branch without an entry. */
static uint64_t see_new(struct p5 *m, uint64_t last, uint64_t next, uint32_t what)
{
	struct p5_btb *b = &m->btb;
	const unsigned kind = what & P5_HOST_KIND_MASK;

	if (kind == P5_BR_RET)
		p5_rsb_ret(m, false);
	if (kind == P5_BR_CALL || kind == P5_BR_CALL_IND)
		p5_rsb_call(m, last + 1);
	b->had_flush = what & P5_HOST_TAKEN || next != last + 1;
	if (b->had_flush)
		b->flush_at = b->now;
	if (!(what & P5_HOST_TAKEN))
		return P5_SLOT_ASKED | P5_SLOT_RIGHT;
	p5_btb_bank_begin(m, last, next, kind);
	return P5_SLOT_ASKED;
}

/* Where an entry of this kind of branch sends the stream; 0: nowhere. *index receives its counter. */
static inline uint64_t guess(struct p5 *m, const struct p5_btb_entry *e, unsigned kind, unsigned *index)
{
	unsigned lag = 0;

	*index = 0;
	switch (kind) {
	case P5_BR_JCC:
		if (m->btb.now - e->seen[e->newest] <= m->par[P5_PAR_BTB_TIGHT_INSNS])
			lag = p5_btb_lag(m, e);
		*index = e->outcomes >> lag & P5_BTB_HISTORY_MASK;
		return e->counters >> (2 * *index) & 2 ? e->target : 0;
	case P5_BR_LOOP:
		return e->outcomes & 1 ? e->target : 0;
	case P5_BR_RET:
		return p5_rsb_ret(m, true);
	default:
		return e->target;
	}
}

/* As teach_outcome() in btb_bank.c, of counter `index`. */
static inline void teach(const struct p5_btb *b, struct p5_btb_entry *e, unsigned index, bool is_taken)
{
	static const uint8_t next[8] = {0, 1, 0, 2, 1, 3, 2, 3}; /* by counter * 2 + outcome */
	const unsigned at = 2 * index, old = e->counters >> at & 3;

	e->counters ^= (old ^ next[old * 2 + is_taken]) << at;
	e->outcomes = (uint16_t)(e->outcomes << 1 | is_taken);
	e->newest = (e->newest + 1) & (P5_BTB_SEEN - 1);
	e->seen[e->newest] = b->now;
}

/* The entry of the branch that ends at `last`, or NULL. */
static __attribute__((noinline)) struct p5_btb_entry *look_up(struct p5_btb *b, uint64_t last)
{
	struct p5_btb_entry *e = p5_btb_may_have(b, last) ? p5_btb_find(b, last) : NULL;

	if (!e || e->key != last)
		return NULL; /* there is none, or it is of another branch in the same 4 bytes */
	p5_btb_hint(b, last, e);
	return e;
}

uint64_t p5_btb_see_fast(struct p5 *m, uint64_t u_pc, uint64_t next, uint32_t what)
{
	struct p5_btb *b = &m->btb;
	const unsigned kind = what & P5_HOST_KIND_MASK;
	const uint64_t last = u_pc + (what >> P5_HOST_FROM_U_SHIFT & 15) + (what >> P5_HOST_LENGTH_SHIFT & 15) - 1;
	const bool is_taken = what & P5_HOST_TAKEN;
	struct p5_btb_entry *e;
	uint64_t target, seen;
	unsigned index;

	if (kind < P5_BR_JCC || kind > P5_BR_RET || !is_alone(b, u_pc, last))
		return P5_BTB_NOT_FAST;
	e = p5_btb_hinted(b, last);
	if (e->key != last)
		e = look_up(b, last);
	if (e && e->type != p5_btb_type_of(kind))
		return P5_BTB_NOT_FAST;
	b->now += 1 + (what & P5_HOST_WITH_V ? 1u : 0u);
	if (!e)
		return see_new(m, last, next, what);
	target = guess(m, e, kind, &index);
	teach(b, e, index, is_taken);
	seen = P5_SLOT_ASKED | P5_SLOT_HIT | (target ? P5_SLOT_TAKEN : 0u);
	if (is_taken)
		e->target = next;
	if (kind == P5_BR_CALL || kind == P5_BR_CALL_IND)
		p5_rsb_call(m, last + 1);
	if (is_taken ? target == next : !target) {
		b->had_flush = !is_taken && next != last + 1;
		seen |= P5_SLOT_RIGHT;
	} else {
		b->had_flush = true;
		seen |= target << P5_SLOT_TARGET_SHIFT;
	}
	if (b->had_flush)
		b->flush_at = b->now;
	return seen;
}

/* ---- the Pentium ------------------------------------------------------------------------------------------- */

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
static inline uint64_t see_unanswered(struct p5 *m, uint64_t key, uint64_t fall, uint64_t next, uint32_t what)
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
static inline uint64_t see_answered(struct p5 *m, struct p5_btb_entry *e, uint64_t fall, uint64_t next, uint32_t what)
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
	const uint64_t fall = u_pc + (what >> P5_HOST_FROM_U_SHIFT & 15) + (what >> P5_HOST_LENGTH_SHIFT & 15);
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
