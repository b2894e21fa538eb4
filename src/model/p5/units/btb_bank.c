/* btb_bank.c -- unit btb: the one of the Pentium with MMX.
 *
 * COUNTING RULES   as btb.c.
 * MODELLED         4 banks (address bits 3:2 of a branch's last byte) of 16 sets (7:4) and 4 ways:
 *                  one branch per 4 aligned bytes, with the place of its last byte in them and its
 *                  type. Made when a branch is taken first, kept when it falls through. Conditional
 *                  jumps: 4 outcomes choose one of 16 2-bit counters of the entry, which start at 2
 *                  with a history of taken (chosen). A branch is looked up when it is fetched, some
 *                  instructions before it is executed: outcomes that came later are not in the
 *                  history that it uses (loops of up to 6 instructions), unless the pipe was
 *                  flushed between. LOOP and JCXZ go where they went last, indirect branches to
 *                  their last target, RET to what the return stack says. An entry that sends the
 *                  stream away where no such branch ends is dropped.
 * FAST FORM        p5_btb_see_fast(): slots of host code with a branch that has an entry of its
 *                  type, or with none, and no other entry. It does what p5_btb_see() does by ask
 *                  and teach; tests compare counts with and without host code.
 * NOT MODELLED     that complex integer instructions do not count among the 6; look-ups of code
 *                  that was fetched and flushed.
 * SOURCES          Intel 241428 (1997) 2.2, Tables 16-16 to 16-18; Intel 242816 (1997) 2.3.4; Agner
 *                  Fog, microarchitecture, 3.1 and 3.3. Agner Fog infers one bank of 16 sets and 16
 *                  ways: --set btb.is_banked=0.
 */
#include "model/p5/p5.h"

#define ALL_WEAK 0xaaaaaaaau /* sixteen counters at 2 */

static bool is_branch(const struct p5_slot *s)
{
	return s->kind >= P5_BR_JCC && s->kind <= P5_BR_RET;
}

/* 0 to P5_BTB_LAGS: the newest outcomes of e since the last flush that are at most
 * btb.tight_insns instructions old. */
unsigned p5_btb_lag(const struct p5 *m, const struct p5_btb_entry *e)
{
	const struct p5_btb *b = &m->btb;
	unsigned n = 0;

	for (; n < P5_BTB_LAGS; n++) {
		const uint32_t seen = e->seen[(e->newest - n) & (P5_BTB_SEEN - 1)];

		if (b->now - seen > m->par[P5_PAR_BTB_TIGHT_INSNS] ||
		    (int32_t)(seen - b->flush_at) <= 0)
			break;
	}
	return n;
}

/* What the entry of the slot's branch says. */
static void ask_own(struct p5 *m, const struct p5_slot *s, struct p5_guess *g)
{
	const struct p5_btb_entry *e = g->entry;

	g->target = e->target;
	switch (e->type) {
	case P5_BTB_JCC:
		g->index = e->outcomes >> p5_btb_lag(m, e) & P5_BTB_HISTORY_MASK;
		g->is_taken = e->counters >> (2 * g->index) & 2;
		break;
	case P5_BTB_LOOP: g->is_taken = e->outcomes & 1; break;
	case P5_BTB_RET:
		if (s->kind != P5_BR_RET) {
			g->is_taken = true;
			break;
		}
		g->target = p5_rsb_ret(m, true);
		g->is_taken = g->target;
		break;
	default: g->is_taken = true;
	}
	g->is_false = g->is_taken && e->type != p5_btb_type_of(s->kind);
}

/* An entry says that a branch ends at `last`, inside the slot, and is not of its branch. */
static void ask_stale(struct p5 *m, uint64_t last, struct p5_guess *g)
{
	struct p5_btb_entry *e = p5_btb_find(&m->btb, last);

	if (!e || e->key != last)
		return;
	g->is_hit = true;
	if (e->type != P5_BTB_JCC || e->counters >> (2 * (e->outcomes & P5_BTB_HISTORY_MASK)) & 2) {
		g->is_taken = g->is_false = true;
		g->target = e->target;
		p5_btb_drop(&m->btb, e);
	}
}

/* Once per slot, in program order: it moves p5_btb.now on, takes a RET off the return stack, and
 * drops what sends the stream away in vain. Its `entry` lies in p5_btb and holds until the next one
 * is made or dropped, so p5_btb_bank_teach() of the slot comes next. p5_btb_see() calls both, and
 * notes flushes behind them. */
struct p5_guess p5_btb_bank_ask(struct p5 *m, const struct p5_slot *s)
{
	struct p5_btb *b = &m->btb;
	const uint64_t last = s->pc + s->bytes - 1;
	uint64_t hits = p5_btb_first(p5_btb_bits(b, s->u_pc), (unsigned)(s->fall - s->u_pc));
	struct p5_guess g = {0};

	b->now += 1 + (s->v_pc != 0);
	if (is_branch(s) && p5_btb_may_have(b, last)) {
		struct p5_btb_entry *e = p5_btb_find(b, last);

		if (e && e->key == last) {
			g.entry = e;
			g.is_hit = true;
			ask_own(m, s, &g);
		}
	}
	if (s->kind == P5_BR_RET && !g.entry)
		p5_rsb_ret(m, false);
	for (; hits && !g.is_false; hits &= hits - 1) {
		const uint64_t end = s->u_pc + (unsigned)__builtin_ctzll(hits);

		if (!g.entry || end != last)
			ask_stale(m, end, &g);
	}
	return g;
}

/* What came of a conditional branch, or LOOP, that asked counter `index` of e. */
static inline void teach(const struct p5_btb *b, struct p5_btb_entry *e, unsigned index,
			 bool is_taken)
{
	static const uint8_t next[8] = {0, 1, 0, 2, 1, 3, 2, 3}; /* by counter * 2 + outcome */
	const unsigned at = 2 * index, old = e->counters >> at & 3;

	e->counters ^= (old ^ next[old * 2 + is_taken]) << at;
	e->outcomes = (uint16_t)(e->outcomes << 1 | is_taken);
	e->newest = (e->newest + 1) & (P5_BTB_SEEN - 1);
	e->seen[e->newest] = b->now;
}

void p5_btb_bank_begin(struct p5 *m, uint64_t last, uint64_t next, unsigned kind)
{
	struct p5_btb_entry *e = p5_btb_make(&m->btb, last);

	e->type = (uint8_t)p5_btb_type_of(kind);
	e->target = next;
	e->counters = ALL_WEAK;
	e->outcomes = 0xffff;
	for (unsigned i = 0; i < P5_BTB_SEEN; i++)
		e->seen[i] = m->btb.now - 1000; /* long ago */
}

void p5_btb_bank_teach(struct p5 *m, const struct p5_slot *s, const struct p5_guess *g)
{
	struct p5_btb_entry *e = g->entry;

	if (s->kind == P5_BR_CALL || s->kind == P5_BR_CALL_IND)
		p5_rsb_call(m, s->fall);
	if (!is_branch(s) || s->next == P5_NOWHERE)
		return;
	if (e && e->type == p5_btb_type_of(s->kind)) {
		teach(&m->btb, e, g->index, s->is_taken);
		if (s->is_taken)
			e->target = s->next;
		return;
	}
	if (s->is_taken)
		p5_btb_bank_begin(m, s->pc + s->bytes - 1, s->next, s->kind);
}

/* ---- the usual slots of host code -------------------------------------------------------------
 */

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

/* Where an entry of this kind of branch sends the stream; 0: nowhere. *index receives its
 * counter. */
static inline uint64_t guess(struct p5 *m, const struct p5_btb_entry *e, unsigned kind,
			     unsigned *index)
{
	unsigned lag = 0;

	*index = 0;
	switch (kind) {
	case P5_BR_JCC:
		if (m->btb.now - e->seen[e->newest] <= m->par[P5_PAR_BTB_TIGHT_INSNS])
			lag = p5_btb_lag(m, e);
		*index = e->outcomes >> lag & P5_BTB_HISTORY_MASK;
		return e->counters >> (2 * *index) & 2 ? e->target : 0;
	case P5_BR_LOOP: return e->outcomes & 1 ? e->target : 0;
	case P5_BR_RET: return p5_rsb_ret(m, true);
	default: return e->target;
	}
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

/* As p5_btb_see(): bits P5_SLOT_*, and the wrong target above them. */
uint64_t p5_btb_see_fast(struct p5 *m, uint64_t u_pc, uint64_t next, uint32_t what)
{
	struct p5_btb *b = &m->btb;
	const unsigned kind = what & P5_HOST_KIND_MASK;
	const uint64_t last =
	    u_pc + (what >> P5_HOST_FROM_U_SHIFT & 15) + (what >> P5_HOST_LENGTH_SHIFT & 15) - 1;
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
