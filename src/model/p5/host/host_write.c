/* host_write.c -- programs of looks, and the pieces behind them. */
#include "model/p5/host/host_write.h"

#include <stdlib.h>
#include <string.h>

#include "model/p5/kept/memo_owners.h"
#include "trace/record.h"

#define MOST_BYTES 16384u /* of a program */

/* ---- what slots note ------------------------------------------------------------------------- */

/* What was noted is written. */
static void write_noted(struct p5_host_writer *w, const struct p5_noted *k)
{
	struct x86_asm *a = &w->a;
	struct p5_btb *b = &w->m->btb;

	if (!k->is_any)
		return;
	x86_add(a, DWORD(NEAR(a, &b->now)), IMM(k->n));
	if (!b->is_pair) /* nothing asks for the rest */
		return;
	_Static_assert(
	    offsetof(struct p5_btb, had_flush) % 4 == 0 &&
		offsetof(struct p5_btb, could_pair) == offsetof(struct p5_btb, had_flush) + 1 &&
		offsetof(struct p5_btb, reserved) == offsetof(struct p5_btb, had_flush) + 2,
	    "as emitted");
	x86_mov(a, DWORD(NEAR(a, &b->had_flush)),
		IMM((uint32_t)k->could_pair << 8)); /* false, and that */
	if (p5_is_imm32(k->prev_u)) {
		x86_mov(a, QWORD(NEAR(a, &b->prev_u)), IMM(k->prev_u));
		return;
	}
	x86_mov(a, RCX, IMM(k->prev_u));
	x86_mov(a, NEAR(a, &b->prev_u), RCX);
}

void p5_write_settle(struct p5_host_writer *w)
{
	write_noted(w, &w->noted);
	w->noted = (struct p5_noted){.n = 0};
}

/* ---- asking ---------------------------------------------------------------------------------- */

/* What was noted before look `at`, and the look, as one word. */
static uint32_t noted_word(const struct p5_noted *k, unsigned at)
{
	return at |
	       (k->is_any ? k->n << P5_HOST_N_SHIFT | (uint32_t)k->could_pair << P5_HOST_PAIR_SHIFT
			  : 0);
}

/* ecx = what was noted, rsi = the last one's first address */
static void write_noted_values(struct p5_host_writer *w, const struct p5_noted *k, unsigned at)
{
	struct x86_asm *a = &w->a;

	x86_mov(a, ECX, IMM(noted_word(k, at)));
	if (k->is_any && w->m->btb.is_pair)
		x86_value(a, RSI, k->prev_u);
}

/* rax is what the look of c saw, and not what the step says. */
static void write_turn(struct p5_host_writer *w, const struct p5_cold *c, const struct p5_noted *k)
{
	struct x86_asm *a = &w->a;

	write_noted_values(w, k, c->at);
	x86_jmp_to(a, k->is_any ? w->m->host.turn_noted : w->m->host.turn);
}

/* rax = what the helper sees */
static void write_question(struct p5_host_writer *w, const struct p5_cold *c)
{
	struct x86_asm *a = &w->a;

	/* with a ledger what it moves is booked, so the helper must know which look it is */
	switch (w->m->ledger && c->kind != P5_COLD_SLOT ? P5_COLD_LOOK : c->kind) {
	case P5_COLD_DATA:
		x86_mov(a, EDX, IMM(c->what));
		x86_call_to(a, w->m->host.ask[P5_HOST_DATA]);
		break;
	case P5_COLD_CODE:
		x86_value(a, RSI, c->from);
		x86_mov(a, EDX, IMM((uint32_t)(c->to - c->from)));
		x86_call_to(a, w->m->host.ask[P5_HOST_CODE]);
		break;
	case P5_COLD_SLOT:
		x86_value(a, RSI, c->from);
		x86_value(a, RDX, c->to);
		x86_mov(a, ECX, IMM(c->what));
		x86_call_to(a, w->m->host.ask[P5_HOST_SLOT]);
		break;
	default: x86_mov(a, ESI, IMM(c->at)); x86_call_to(a, w->m->host.ask[P5_HOST_LOOK]);
	}
}

/* ZF: rax is x */
static void write_is_seen(struct p5_host_writer *w, enum p5_cold_kind kind, uint64_t x)
{
	struct x86_asm *a = &w->a;

	if (!x) {
		x86_test(a, RAX, RAX);
		return;
	}
	if (kind == P5_COLD_CODE ||
	    (kind == P5_COLD_DATA &&
	     x > 127)) { /* the unit above these bits is that of the question */
		x86_cmp(a, EAX, IMM((uint32_t)x));
	} else if (p5_is_imm32(x)) {
		x86_cmp(a, RAX, IMM(x));
	} else {
		x86_mov(a, RCX, IMM(x));
		x86_cmp(a, RAX, RCX);
	}
}

void p5_write_ask(struct p5_host_writer *w, struct p5_cold *c)
{
	write_question(w, c);
	write_is_seen(w, c->kind, c->seen);
	c->kind = P5_COLD_SEEN;
	p5_write_jcc_cold(w, c, X86_CC_NE);
}

void p5_write_in_full(struct p5_host_writer *w, unsigned at)
{
	p5_write_settle(w);
	p5_write_ask(w, p5_write_new_cold(w, P5_COLD_LOOK, at));
}

/* ---- the cold part --------------------------------------------------------------------------- */

struct p5_cold *p5_write_new_cold(struct p5_host_writer *w, enum p5_cold_kind kind, unsigned at)
{
	struct p5_cold *c = &w->cold[w->n_cold < P5_MOST_COLD ? w->n_cold : P5_MOST_COLD - 1];

	w->a.is_bad |= w->n_cold == P5_MOST_COLD;
	w->n_cold += w->n_cold < P5_MOST_COLD;
	*c = (struct p5_cold){.kind = kind, .at = at, .noted = w->noted, .seen = w->act[at].seen};
	return c;
}

void p5_write_jcc_cold(struct p5_host_writer *w, struct p5_cold *c, enum x86_cc cc)
{
	x86_jcc(&w->a, cc, &c->way_in);
}

void p5_write_come_back(struct p5_host_writer *w, struct p5_cold *c)
{
	x86_land(&w->a, &c->back);
}

void p5_write_call(struct p5_host_writer *w, uint32_t part, uint32_t number)
{
	struct x86_asm *a = &w->a;

	x86_mov(a, ECX, IMM(number));
	x86_call_to(a, part);
}

#define MOST_DOUBTS 4u /* keys that are looked for one by one */

/* The map of the BTB has bits of the slot: back, unless an entry answers. */
static void write_doubt(struct p5_host_writer *w, struct p5_cold *c)
{
	struct x86_asm *a = &w->a;
	struct x86_label found = {0};

	if (c->doubt == P5_DOUBT_NONE || c->last_key - c->first_key >= MOST_DOUBTS)
		return;
	if (c->doubt == P5_DOUBT_PREV) {
		x86_call_to(a, w->m->host.prev_entry);
		x86_jcc(a, X86_CC_E, &c->back);
		return;
	}
	for (uint64_t key = c->first_key; key <= c->last_key; key++) {
		x86_value(a, RAX, key);
		x86_call_to(a, w->m->host.entry);
		if (key == c->last_key)
			x86_jcc(a, X86_CC_E, &c->back);
		else
			x86_jcc(a, X86_CC_NE, &found);
	}
	x86_land(a, &found);
}

/* A slot: what was noted before is written, so that the BTB can be asked. */
static void write_cold_slot(struct p5_host_writer *w, struct p5_cold *c)
{
	struct x86_asm *a = &w->a;
	struct x86_label other = {0};

	write_doubt(w, c);

	if (c->noted.is_any) {
		write_noted_values(w, &c->noted, c->at);
		x86_call_to(a, w->m->host.noted);
	}
	write_question(w, c);
	write_is_seen(w, c->kind, c->what & P5_HOST_PASS ? 0 : c->seen);
	x86_jcc(a, X86_CC_NE, &other);
	if (c->n_after)
		x86_sub(a, DWORD(NEAR(a, &w->m->btb.now)), IMM(c->n_after));
	x86_jmp(a, &c->back);
	x86_land(a, &other);
	write_turn(w, c, &(struct p5_noted){.n = 0});
}

static void write_cold(struct p5_host_writer *w, struct p5_cold *c)
{
	struct x86_asm *a = &w->a;

	x86_land(a, &c->way_in);
	switch (c->kind) {
	case P5_COLD_ANSWER: x86_value(a, RAX, c->saw); break;
	case P5_COLD_SLOT: write_cold_slot(w, c); return;
	case P5_COLD_CODE:
		if (c->part) {
			p5_write_call(w, c->part, c->number);
			x86_jcc(a, X86_CC_E, &c->known);
		}
		break;
	default: break;
	}
	if (c->kind >= P5_COLD_LOOK) {
		write_question(w, c);
		write_is_seen(w, c->kind, c->seen);
		x86_jcc(a, X86_CC_E, &c->back);
	}
	write_turn(w, c, &c->noted);
}

static void write_look(struct p5_host_writer *w, unsigned at)
{
	switch (w->act[at].kind) {
	case P5_ACT_DATA: p5_write_data(w, at); break;
	case P5_ACT_CODE: p5_write_code(w, at); break;
	case P5_ACT_MARKS: p5_write_marks(w, at); break;
	case P5_ACT_NOTE: p5_write_note(w, at); break;
	case P5_ACT_PASS: p5_write_pass(w, at); break;
	case P5_ACT_SLOT: p5_write_slot(w, at); break;
	case P5_ACT_BANK: p5_write_bank(w, at); break;
	default: p5_write_in_full(w, at); break;
	}
}

/* ---- programs -------------------------------------------------------------------------------- */

/* The way in of a first step: the records are those of its block and of the one behind, which is
 * not known yet. */
static void write_entry(struct p5_host_writer *w, const struct p5_blk *b)
{
	struct x86_asm *a = &w->a;
	const uint32_t start = x86_here(a);

	x86_cmp(a, DWORD(MEM(R12, 0)), IMM32(b->head));
	x86_jcc_to(a, X86_CC_NE, w->m->host.next);
	x86_cmp(a, DWORD(DISP32(MEM(R12, trc_block_bytes(b->head)))), IMM32(UINT32_MAX));
	a->is_bad |= x86_here(a) - 4 - start != P5_HOST_NEXT_HEAD;
	x86_jcc_to(a, X86_CC_NE, w->m->host.next);
	a->is_bad |= x86_here(a) - start != P5_HOST_NO_COMPARE;
}

/* The step holds: it is counted, and on to the one that followed last. */
static void write_exit(struct p5_host_writer *w, const struct p5_blk *b)
{
	struct x86_asm *a = &w->a;
	struct p5 *m = w->m;

	p5_write_settle(w);
	x86_add(a, R12, IMM(trc_block_bytes(b->head)));
	x86_call_to(a, m->host.tail);
	x86_jmp_by(a, RAX);
}

bool p5_host_has_room(const struct p5_host *j)
{
	return j->out.off + 2 * MOST_BYTES <= j->limit_off;
}

uint32_t p5_host_write(struct p5 *m, const struct p5_run *x, struct memo_step *s, bool is_first)
{
	struct p5_host *j = &m->host;
	struct p5_host_writer *w;
	const struct p5_blk *b = m->blk[x->code->block->id];
	const uint32_t start = j->out.off;
	bool is_bad;

	if (p5_step_looks(m, s) > P5_HOST_LOOKS || !p5_host_has_room(j))
		return 0;
	w = malloc(sizeof(*w));
	if (!w)
		return 0;
	memset(w, 0, offsetof(struct p5_host_writer, cold)); /* pieces are set as they come */
	w->m = m;
	w->a = p5_host_assembler(m);
	w->x = x;
	w->act = memo_extra(s);
	w->n_act = p5_step_looks(m, s);
	if (is_first)
		write_entry(w, b);
	for (unsigned at = 0; at < w->n_act && !w->a.is_bad; at++) {
		w->a.is_bad |= j->out.off - start > MOST_BYTES / 2;
		write_look(w, at);
	}
	write_exit(w, b);
	for (unsigned k = 0; k < w->n_cold && !w->a.is_bad; k++) {
		w->a.is_bad |= j->out.off - start > MOST_BYTES - 512;
		write_cold(w, &w->cold[k]);
	}
	is_bad = w->a.is_bad;
	free(w);
	if (!is_bad)
		return start;
	j->out.off = start;
	return 0;
}
