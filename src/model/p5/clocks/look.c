/* look.c -- looks: replayed from the tape, or done and put on it. */
#include "model/p5/p5.h"
#include "model/p5/blocks/address.h"

/* Addresses have 48 bits, the uppermost of which those above repeat. */
static bool is_address(uint64_t x)
{
	return (uint64_t)((int64_t)(x << 16) >> 16) == x;
}

/* Returns true if the next look is on the tape; *seen receives what it saw. */
static bool is_on_tape(struct p5 *m, uint64_t *seen)
{
	struct p5_tape *t = &m->time.tape;

	if (t->at == t->n)
		return false;
	*seen = t->act[t->at++].seen;
	return true;
}

static void note(struct p5 *m, struct p5_act act)
{
	struct p5_tape *t = &m->time.tape;

	if (!t->is_recording || t->is_lost)
		return;
	t->is_lost = t->n == P5_MOST_ACTS;
	if (t->is_lost)
		return;
	t->act[t->n++] = act;
	t->at = t->n;
}

unsigned p5_look_data(struct p5 *m, uint64_t lin, const struct p5_operand *op, struct p5_look *k)
{
	const unsigned ref = m->time.tape.ref;
	uint64_t seen;
	unsigned b;

	k->asks_fill = m->time.is_on && m->dcache.fill.end_clk > m->time.data_clk;
	if (is_on_tape(m, &seen))
		return (unsigned)seen;
	seen = p5_dcache_see(m, lin, op, k);
	b = (k->is_write ? P5_ACT_WRITE : 0u) | (k->is_second_half ? P5_ACT_HALF : 0u) |
	    (k->asks_fill ? P5_ACT_ASKS_FILL : 0u) | (unsigned)k->part << P5_ACT_PART_SHIFT;
	note(m, (struct p5_act){P5_ACT_DATA, (uint8_t)ref, (uint16_t)b, 0, seen});
	return (unsigned)seen;
}

bool p5_look_fast(struct p5 *m, const struct p5_ref *r, uint64_t lin)
{
	const struct p5_tape *t = &m->time.tape;

	if (t->at < t->n || r->bytes > 8 || m->debug.has_data ||
	    m->dcache.fill.end_clk > m->time.data_clk ||
	    !p5_ref_is_fast(m, r, lin, r->access & P5_WRITE))
		return false;
	if (r->access & P5_READ)
		note(m, (struct p5_act){P5_ACT_DATA, (uint8_t)t->ref, 0, 0, P5_SEEN_HIT});
	if (r->access & P5_WRITE)
		note(m,
		     (struct p5_act){P5_ACT_DATA, (uint8_t)t->ref, P5_ACT_WRITE, 0, P5_SEEN_HIT});
	return true;
}

unsigned p5_look_code(struct p5 *m, uint64_t unit, uint64_t want)
{
	uint64_t seen;

	if (is_on_tape(m, &seen))
		return (uint16_t)seen;
	seen = p5_icache_see(m, unit, want);
	m->time.tape.is_lost |= !is_address(unit);
	note(m, (struct p5_act){P5_ACT_CODE, 0, (uint16_t)(want - unit), 0, unit << 16 | seen});
	return (unsigned)seen;
}

/* The quick way past most slots. */
static bool is_passed(struct p5 *m, const struct p5_slot *s)
{
	if (s->kind || s->next != s->fall || m->is_plain ||
	    !p5_btb_is_silent(&m->btb, s->u_pc, s->fall))
		return false;
	p5_btb_go_on(&m->btb, s->u_pc, 1 + (s->v_pc != 0), s->could_pair);
	return true;
}

uint64_t p5_look_marks(struct p5 *m, struct p5_code *c, unsigned n)
{
	uint64_t seen;

	if (is_on_tape(m, &seen))
		return seen;
	seen = p5_code_marks(m, c, n);
	note(m, (struct p5_act){P5_ACT_MARKS, 0, 0, 0, seen});
	return seen;
}

/* Is the instruction at pc that which waited for its partner when the block began? */
static bool is_before(const struct p5_tape *t, uint64_t pc)
{
	return t->before && pc + t->before == t->pc;
}

void p5_look_note(struct p5 *m, const struct p5_fly *f)
{
	uint64_t seen;

	if (is_on_tape(m, &seen))
		return;
	p5_icache_is_marked(m, f->pc, f->bytes);
	if (is_before(&m->time.tape, f->pc))
		note(m, (struct p5_act){P5_ACT_NOTE, 0, f->bytes, 0, 0});
	else
		note(m, (struct p5_act){P5_ACT_NOTE, f->insn, 0, 0, 0});
}

/* A slot as an act; nothing answered for it when is_silent. */
static struct p5_act act_of(const struct p5_tape *t, const struct p5_slot *s, bool is_silent,
			    uint64_t seen)
{
	const bool has_u_before = is_before(t, s->u_pc);
	const uint32_t first = has_u_before ? t->before : (uint32_t)(s->u_pc - t->pc);
	const uint32_t last = has_u_before && !s->v_pc ? 0 : (uint32_t)(s->pc - t->pc);
	struct p5_act a = {.kind = P5_ACT_SLOT, .a = has_u_before ? 0 : s->insn, .seen = seen};

	a.b = (uint16_t)((s->v_pc ? P5_ACT_WITH_V : 0u) | (s->could_pair ? P5_ACT_COULD_PAIR : 0u) |
			 (has_u_before ? P5_ACT_BEFORE : 0u));
	if (!is_silent) {
		a.c = first | last << P5_ACT_LAST_SHIFT | (uint32_t)s->bytes << P5_ACT_BYTES_SHIFT |
		      (uint32_t)s->kind << P5_ACT_KIND_SHIFT;
		return a;
	}
	a.kind = P5_ACT_PASS;
	a.c = (uint32_t)(s->u_pc - t->pc);
	a.seen = s->fall - s->u_pc;
	return a;
}

uint64_t p5_look_slot(struct p5 *m, const struct p5_slot *s)
{
	struct p5_tape *t = &m->time.tape;
	uint64_t seen;
	bool is_silent;

	if (t->at < t->n && t->act[t->at].kind == P5_ACT_PASS) {
		t->at++;
		return 0;
	}
	if (is_on_tape(m, &seen))
		return seen;
	is_silent = is_passed(m, s);
	seen = is_silent ? 0 : p5_btb_see(m, s);
	if (t->is_recording)
		note(m, act_of(t, s, is_silent, seen));
	return seen;
}

bool p5_look_silent(struct p5 *m, const struct p5_fly *u, const struct p5_fly *v, bool could_pair,
		    uint64_t fall)
{
	struct p5_tape *t = &m->time.tape;

	if (t->at < t->n) {
		if (t->act[t->at].kind != P5_ACT_PASS)
			return false;
		t->at++;
		return true;
	}
	if (m->is_plain || !p5_btb_is_silent(&m->btb, u->pc, fall))
		return false;
	p5_btb_go_on(&m->btb, u->pc, 1 + (v != NULL), could_pair);
	if (t->is_recording)
		note(m, act_of(t,
			       &(struct p5_slot){.u_pc = u->pc,
						 .v_pc = v ? v->pc : 0,
						 .could_pair = could_pair,
						 .insn = u->insn,
						 .pc = (v ? v : u)->pc,
						 .fall = fall},
			       true, 0));
	return true;
}

bool p5_look_bank(struct p5 *m, const struct p5_fly *u, const struct p5_fly *v)
{
	const unsigned a = u->op->ref + u->op->n_ref - 1u, b = v->op->ref;
	uint64_t seen;

	if (is_on_tape(m, &seen))
		return seen;
	seen = p5_dcache_is_same_bank(p5_address(m, u->block, a, u->slots),
				      p5_address(m, v->block, b, v->slots));
	note(m, (struct p5_act){P5_ACT_BANK, (uint8_t)a, (uint16_t)b, 0, seen});
	return seen;
}

unsigned p5_look_facts(struct p5 *m, const struct p5_fly *f)
{
	uint64_t seen;

	if (f->op->fact == P5_NO_SLOT)
		return p5_fpu_facts(m, f->op, f->block, f->slots);
	if (is_on_tape(m, &seen))
		return (unsigned)seen;
	seen = p5_fpu_facts(m, f->op, f->block, f->slots);
	note(m, (struct p5_act){P5_ACT_FACTS, f->insn, 0, 0, seen});
	return (unsigned)seen;
}
