/* jit_slot.c -- looks at the BTB as host code. */
#include "model/p5/host/jit_write.h"

/* Nothing in the map of the BTB answers for a slot: key is known. */
static void write_map_bit(struct p5_jit_writer *w, struct p5_cold *c, uint64_t key)
{
	CODE_IMM8(w, "\xf6\x83", w->m->btb.map + (key >> 3 & (P5_BTB_MAP_BYTES - 1)), 1u << (key & 7)); /* test byte */
	p5_write_jump_cold(w, c, JNE);
}

void p5_write_map_bits(struct p5_jit_writer *w, struct p5_cold *c, uint64_t first, unsigned n)
{
	const uint8_t *at = w->m->btb.map + (first >> 3 & (P5_BTB_MAP_BYTES - 1));
	const uint64_t bits = ((1ull << n) - 1) << (first & 7);

	if (bits >> 8 == 0) {
		CODE_IMM8(w, "\xf6\x83", at, (unsigned)bits); /* test byte */
	} else if (bits >> 32 == 0) {
		CODE_IMM32(w, "\xf7\x83", at, (uint32_t)bits); /* test dword */
	} else {
		emit_mov_imm64(w->h.out, 0, bits);
		CODE_AT(&w->h, "\x48\x85\x83", at); /* test [map], rax */
	}
	p5_write_jump_cold(w, c, JNE);
}

/* Nothing answers for a slot of so many bytes from u_pc on: the map says so. */
static void write_silence(struct p5_jit_writer *w, struct p5_cold *c, uint64_t u_pc, unsigned bytes)
{
	const struct p5_btb *b = &w->m->btb;

	if (!b->is_pair) {
		p5_write_map_bits(w, c, u_pc, bytes);
	} else if (b->is_by_pair && !w->knows_prev) {
		JUMP(&w->h, "\xe8", w->m->jit.prev_bit); /* call */
		p5_write_jump_cold(w, c, "\x0f\x82"); /* jc */
	} else {
		write_map_bit(w, c, b->is_by_pair ? w->prev_u : u_pc);
	}
}

/* What the map says may be of another key: c looks for the entry itself first. */
static void doubt(const struct p5_jit_writer *w, struct p5_cold *c, uint64_t u_pc, uint64_t last)
{
	const struct p5_btb *b = &w->m->btb;

	if (!w->m->jit.entry)
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
static void note(struct p5_jit_writer *w, struct p5_cold *c, uint64_t u_pc, bool with_v, bool could_pair)
{
	const unsigned n = w->m->btb.is_pair ? 1 : 1 + with_v;

	c->n_after = w->noted.n + n;
	p5_write_come_back(w, c);
	w->noted = (struct p5_noted){true, could_pair, w->noted.n + n, u_pc};
	w->knows_prev = true;
	w->prev_u = u_pc;
}

/* A new cold piece that asks for slot s, look `at`. */
static struct p5_cold *new_question(struct p5_jit_writer *w, unsigned at, const struct p5_slot *s)
{
	struct p5_cold *c = p5_write_new_cold(w, P5_COLD_SLOT, at);

	c->from = s->u_pc;
	c->to = s->next;
	c->what = s->kind | (s->is_in_v ? P5_JIT_WITH_V : 0u) | (s->could_pair ? P5_JIT_COULD_PAIR : 0u) |
		  (s->is_taken ? P5_JIT_TAKEN : 0u) | (uint32_t)(s->pc - s->u_pc) << P5_JIT_FROM_U_SHIFT |
		  (uint32_t)s->bytes << P5_JIT_LENGTH_SHIFT;
	w->h.is_bad |= s->pc - s->u_pc > 15 || s->bytes > 15 || s->kind > P5_JIT_KIND_MASK;
	return c;
}

void p5_write_pass(struct p5_jit_writer *w, unsigned at)
{
	struct p5_slot s;
	struct p5_cold *c;

	p5_memo_pass(w->x, &w->act[at], &s);
	c = new_question(w, at, &s);
	c->what |= P5_JIT_PASS;
	write_silence(w, c, s.u_pc, (unsigned)(s.next - s.u_pc));
	doubt(w, c, s.u_pc, s.next - 1);
	note(w, c, s.u_pc, s.is_in_v, s.could_pair);
}

/* ---- branches --------------------------------------------------------------------------------------------------- */

/* A conditional branch that falls through, or no branch, without an entry. */
static bool write_fall_through(struct p5_jit_writer *w, unsigned at, const struct p5_slot *s)
{
	const uint64_t seen = w->act[at].seen;
	const bool is_jcc = s->kind == P5_BR_JCC || s->kind == P5_BR_LOOP;
	struct p5_cold *c;

	if (!(is_jcc ? seen == (P5_SLOT_ASKED | P5_SLOT_RIGHT) && !s->is_taken : s->kind == P5_BR_NONE && !seen) ||
	    s->next != s->fall)
		return false;
	c = new_question(w, at, s);
	write_silence(w, c, s->u_pc, (unsigned)(s->fall - s->u_pc));
	doubt(w, c, s->u_pc, s->fall - 1);
	note(w, c, s->u_pc, s->is_in_v, s->could_pair);
	return true;
}

void p5_write_hinted(struct p5_jit_writer *w, uint64_t key)
{
	CODE_AT(&w->h, "\x0f\xb7\x8b", &w->m->btb.hint[key & (P5_BTB_HINTS - 1)]); /* movzx ecx, word [hint] */
	CODE_AT(&w->h, "\x48\x03\x8b", &w->m->btb.entry);			    /* add rcx, [entry] */
}

/* rcx = the same of the key in rax */
static void write_hinted_by(struct p5_jit_writer *w)
{
	CODE(&w->h, "\x89\xc1\x81\xe1"); /* mov ecx, eax; and ecx, P5_BTB_HINTS - 1 */
	emit32(w->h.out, P5_BTB_HINTS - 1);
	CODE_AT(&w->h, "\x0f\xb7\x8c\x4b", w->m->btb.hint); /* movzx ecx, word [hint + rcx * 2] */
	CODE_AT(&w->h, "\x48\x03\x8b", &w->m->btb.entry);   /* add rcx, [entry] */
}

/* A branch that is taken to where the Pentium's entry, found where it was the last time, says. */
static bool write_taken(struct p5_jit_writer *w, unsigned at, const struct p5_slot *s)
{
	const struct p5_btb *b = &w->m->btb;
	const bool is_first = !w->noted.is_any, knows_key = !b->is_by_pair || w->knows_prev;
	const uint64_t key = b->is_by_pair ? w->prev_u : s->u_pc;
	struct p5_cold *c;

	if (!b->is_pair || w->act[at].seen != (P5_SLOT_ASKED | P5_SLOT_HIT | P5_SLOT_TAKEN | P5_SLOT_RIGHT) ||
	    !p5_is_imm32(s->next) || (knows_key && !p5_is_imm32(key)))
		return false;
	c = new_question(w, at, s);
	if (knows_key) {
		p5_write_hinted(w, key);
		CODE(&w->h, "\x48\x81\x39"); /* cmp qword [rcx], key */
		emit32(w->h.out, (uint32_t)key);
	} else {
		CODE_AT(&w->h, "\x48\x8b\x83", &b->prev_u); /* mov rax, [prev_u] */
		CODE(&w->h, "\x48\x83\xf8\xff");	     /* cmp rax, P5_BTB_NO_KEY */
		p5_write_jump_cold(w, c, JE);
		write_hinted_by(w);
		CODE(&w->h, "\x48\x3b\x01"); /* cmp rax, [rcx] */
	}
	p5_write_jump_cold(w, c, JNE);
	if (is_first) {
		CODE_IMM8(w, "\x80\xbb", &b->had_flush, 0); /* cmp byte [had_flush] */
		p5_write_jump_cold(w, c, JNE);
	}
	CODE_ENTRY(&w->h, "\x80\x79", is_fresh);   /* cmp byte [rcx + is_fresh], 0 */
	emit8(w->h.out, 0);
	p5_write_jump_cold(w, c, JNE);
	CODE_ENTRY(&w->h, "\x83\x79", counters);   /* cmp dword [rcx + counters], 2 */
	emit8(w->h.out, 2);
	p5_write_jump_cold(w, c, "\x0f\x82"); /* jb */
	CODE_ENTRY(&w->h, "\x48\x81\x79", target); /* cmp qword [rcx + target], next */
	emit32(w->h.out, (uint32_t)s->next);
	p5_write_jump_cold(w, c, JNE);
	CODE_ENTRY(&w->h, "\xc7\x41", counters);   /* mov dword [rcx + counters], 3 */
	emit32(w->h.out, 3);
	note(w, c, s->u_pc, s->is_in_v, s->could_pair);
	return true;
}

/* A branch that goes where the entry of the Pentium with MMX says. */
static bool write_known(struct p5_jit_writer *w, unsigned at, const struct p5_slot *s)
{
	struct p5_cold *c = new_question(w, at, s);

	if (p5_write_known_branch(w, s, c, w->act[at].seen))
		return true;
	w->n_cold--;
	return false;
}

void p5_write_slot(struct p5_jit_writer *w, unsigned at)
{
	struct p5_slot s;
	struct p5_cold *c;

	p5_memo_slot(w->x, &w->act[at], &s);
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
