/* host_slot.c -- looks at the BTB as host code. */
#include "model/p5/host/host_write.h"

/* Nothing in the map of the BTB answers for a slot: key is known. */
static void write_map_bit(struct p5_host_writer *w, struct p5_cold *c, uint64_t key)
{
	struct x86_asm *a = &w->a;

	x86_test(a, BYTE(NEAR(a, w->m->btb.map + (key >> 3 & (P5_BTB_MAP_BYTES - 1)))),
		 IMM(1u << (key & 7)));
	p5_write_jcc_cold(w, c, X86_CC_NE);
}

void p5_write_map_bits(struct p5_host_writer *w, struct p5_cold *c, uint64_t first, unsigned n)
{
	struct x86_asm *a = &w->a;
	const uint8_t *at = w->m->btb.map + (first >> 3 & (P5_BTB_MAP_BYTES - 1));
	const uint64_t bits = ((1ull << n) - 1) << (first & 7);

	if (bits >> 8 == 0) {
		x86_test(a, BYTE(NEAR(a, at)), IMM(bits));
	} else if (bits >> 32 == 0) {
		x86_test(a, DWORD(NEAR(a, at)), IMM(bits));
	} else {
		x86_mov(a, RAX, IMM(bits));
		x86_test(a, NEAR(a, at), RAX);
	}
	p5_write_jcc_cold(w, c, X86_CC_NE);
}

/* Nothing answers for a slot of so many bytes from u_pc on: the map says so. */
static void write_silence(struct p5_host_writer *w, struct p5_cold *c, uint64_t u_pc,
			  unsigned bytes)
{
	struct x86_asm *a = &w->a;
	const struct p5_btb *b = &w->m->btb;

	if (!b->is_pair) {
		p5_write_map_bits(w, c, u_pc, bytes);
	} else if (b->is_by_pair && !w->knows_prev) {
		x86_call_to(a, w->m->host.prev_bit);
		p5_write_jcc_cold(w, c, X86_CC_C);
	} else {
		write_map_bit(w, c, b->is_by_pair ? w->prev_u : u_pc);
	}
}

/* What the map says may be of another key: c looks for the entry itself first. */
static void doubt(const struct p5_host_writer *w, struct p5_cold *c, uint64_t u_pc, uint64_t last)
{
	const struct p5_btb *b = &w->m->btb;

	if (!w->m->host.entry)
		return;
	c->doubt = P5_DOUBT_KEYS;
	if (!b->is_pair) {
		c->first_key = u_pc >> b->key_shift;
		c->last_key = last >> b->key_shift;
	} else if (b->is_by_pair && !w->knows_prev) {
		c->doubt = P5_DOUBT_PREV;
	} else {
		c->first_key = c->last_key = b->is_by_pair ? w->prev_u : u_pc;
	}
}

/* A slot from u_pc on is done as p5_btb_go_on() does; c comes back behind it. */
static void note(struct p5_host_writer *w, struct p5_cold *c, uint64_t u_pc, bool with_v,
		 bool could_pair)
{
	const unsigned n = w->m->btb.is_pair ? 1 : 1 + with_v;

	c->n_after = w->noted.n + n;
	p5_write_come_back(w, c);
	w->noted = (struct p5_noted){true, could_pair, w->noted.n + n, u_pc};
	w->knows_prev = true;
	w->prev_u = u_pc;
}

/* A new cold piece that asks for slot s, look `at`. */
static struct p5_cold *new_question(struct p5_host_writer *w, unsigned at, const struct p5_slot *s)
{
	struct p5_cold *c = p5_write_new_cold(w, P5_COLD_SLOT, at);

	c->from = s->u_pc;
	c->to = s->next;
	c->what = s->kind | (s->is_in_v ? P5_HOST_WITH_V : 0u) |
		  (s->could_pair ? P5_HOST_COULD_PAIR : 0u) | (s->is_taken ? P5_HOST_TAKEN : 0u) |
		  (uint32_t)(s->pc - s->u_pc) << P5_HOST_FROM_U_SHIFT |
		  (uint32_t)s->bytes << P5_HOST_LENGTH_SHIFT;
	w->a.is_bad |= s->pc - s->u_pc > 15 || s->bytes > 15 || s->kind > P5_HOST_KIND_MASK;
	return c;
}

void p5_write_pass(struct p5_host_writer *w, unsigned at)
{
	struct p5_slot s;
	struct p5_cold *c;

	p5_memo_pass(w->x, &w->act[at], &s);
	c = new_question(w, at, &s);
	c->what |= P5_HOST_PASS;
	write_silence(w, c, s.u_pc, (unsigned)(s.next - s.u_pc));
	doubt(w, c, s.u_pc, s.next - 1);
	note(w, c, s.u_pc, s.is_in_v, s.could_pair);
}

/* ---- branches -------------------------------------------------------------------------------- */

/* A conditional branch that falls through, or no branch, without an entry. */
static bool write_fall_through(struct p5_host_writer *w, unsigned at, const struct p5_slot *s)
{
	const uint64_t seen = w->act[at].seen;
	const bool is_jcc = s->kind == P5_BR_JCC || s->kind == P5_BR_LOOP;
	struct p5_cold *c;

	if (!(is_jcc ? seen == (P5_SLOT_ASKED | P5_SLOT_RIGHT) && !s->is_taken
		     : s->kind == P5_BR_NONE && !seen) ||
	    s->next != s->fall)
		return false;
	c = new_question(w, at, s);
	write_silence(w, c, s->u_pc, (unsigned)(s->fall - s->u_pc));
	doubt(w, c, s->u_pc, s->fall - 1);
	note(w, c, s->u_pc, s->is_in_v, s->could_pair);
	return true;
}

void p5_write_hinted(struct p5_host_writer *w, uint64_t key)
{
	struct x86_asm *a = &w->a;

	x86_movzx(a, ECX, WORD(NEAR(a, &w->m->btb.hint[key & (P5_BTB_HINTS - 1)])));
	x86_add(a, RCX, NEAR(a, &w->m->btb.entry));
}

/* rcx = the same of the key in rax */
static void write_hinted_by(struct p5_host_writer *w)
{
	struct x86_asm *a = &w->a;

	x86_mov(a, ECX, EAX);
	x86_and(a, ECX, IMM(P5_BTB_HINTS - 1));
	x86_movzx(a, ECX, WORD(NEAR_X(a, w->m->btb.hint, RCX, 2)));
	x86_add(a, RCX, NEAR(a, &w->m->btb.entry));
}

/* A branch that is taken to where the Pentium's entry, found where it was the last time, says. */
static bool write_taken(struct p5_host_writer *w, unsigned at, const struct p5_slot *s)
{
	struct x86_asm *a = &w->a;
	const struct p5_btb *b = &w->m->btb;
	const bool is_first = !w->noted.is_any, knows_key = !b->is_by_pair || w->knows_prev;
	const uint64_t key = b->is_by_pair ? w->prev_u : s->u_pc;
	struct p5_cold *c;

	if (!b->is_pair ||
	    w->act[at].seen != (P5_SLOT_ASKED | P5_SLOT_HIT | P5_SLOT_TAKEN | P5_SLOT_RIGHT) ||
	    !p5_is_imm32(s->next) || (knows_key && !p5_is_imm32(key)))
		return false;
	c = new_question(w, at, s);
	if (knows_key) {
		p5_write_hinted(w, key);
		x86_cmp(a, QWORD(ENTRY(key)), IMM(key));
	} else {
		x86_mov(a, RAX, NEAR(a, &b->prev_u));
		x86_cmp(a, RAX, IMM(P5_BTB_NO_KEY));
		p5_write_jcc_cold(w, c, X86_CC_E);
		write_hinted_by(w);
		x86_cmp(a, RAX, ENTRY(key));
	}
	p5_write_jcc_cold(w, c, X86_CC_NE);
	if (is_first) {
		x86_cmp(a, BYTE(NEAR(a, &b->had_flush)), IMM(0));
		p5_write_jcc_cold(w, c, X86_CC_NE);
	}
	x86_cmp(a, BYTE(ENTRY(is_fresh)), IMM(0));
	p5_write_jcc_cold(w, c, X86_CC_NE);
	x86_cmp(a, DWORD(ENTRY(counters)), IMM(2));
	p5_write_jcc_cold(w, c, X86_CC_B);
	x86_cmp(a, QWORD(ENTRY(target)), IMM(s->next));
	p5_write_jcc_cold(w, c, X86_CC_NE);
	x86_mov(a, DWORD(ENTRY(counters)), IMM(3));
	note(w, c, s->u_pc, s->is_in_v, s->could_pair);
	return true;
}

/* A branch that goes where the entry of the Pentium with MMX says. */
static bool write_known(struct p5_host_writer *w, unsigned at, const struct p5_slot *s)
{
	struct p5_cold *c = new_question(w, at, s);

	if (p5_write_known_branch(w, s, c, w->act[at].seen))
		return true;
	w->n_cold--;
	return false;
}

void p5_write_slot(struct p5_host_writer *w, unsigned at)
{
	struct p5_slot s;
	struct p5_cold *c;

	p5_memo_slot(w->x, &w->act[at], &s);
	if (w->m->ledger && w->m->rsb.size &&
	    s.kind > P5_BR_JMP) { /* what the return stack counts is booked */
		p5_write_in_full(w, at);
		w->knows_prev = true;
		w->prev_u = s.u_pc;
		return;
	}
	if (write_fall_through(w, at, &s) || write_taken(w, at, &s))
		return;
	if (!w->m->btb.is_pair && write_known(w, at, &s))
		return;
	p5_write_settle(w);
	c = new_question(w, at, &s);
	p5_write_ask(w, c);
	w->knows_prev = true;
	w->prev_u = s.u_pc;
}
