/* jit_write.c -- the forms of jit_write.h, and programs of them. */
#include "model/p5/host/jit_write.h"

#include <stdlib.h>
#include <string.h>

#include "trace/record.h"

#define MOST_BYTES 16384u /* of a program */

/* ---- forms -------------------------------------------------------------------------------------------------- */

/* cmp qword [p], x, an immediate */
void p5_write_compare(struct p5_jit_writer *w, const uint64_t *p, uint64_t x)
{
	const int64_t d = (const uint8_t *)p - (const uint8_t *)w->m;

	w->h.is_bad |= d != (int32_t)d || !p5_is_imm32(x);
	CODE(&w->h, "\x48\x81\xbb");
	emit32(w->h.out, (uint32_t)d);
	emit32(w->h.out, (uint32_t)x);
}

/* The forms `op [p], imm` with an immediate of one byte, or of four. */
void p5_write_imm8(struct p5_jit_writer *w, const char *op, unsigned n, const void *p, unsigned imm)
{
	hostcode_with_base(&w->h, op, n, p);
	emit8(w->h.out, imm);
}

void p5_write_imm32(struct p5_jit_writer *w, const char *op, unsigned n, const void *p, uint32_t imm)
{
	hostcode_with_base(&w->h, op, n, p);
	emit32(w->h.out, imm);
}

/* What was noted is written. */
static void write_noted(struct p5_jit_writer *w, const struct p5_noted *k)
{
	struct p5_btb *b = &w->m->btb;

	if (!k->is_any)
		return;
	if (k->n <= 127)
		CODE_IMM8(w, "\x83\x83", &b->now, k->n);	/* add dword */
	else
		CODE_IMM32(w, "\x81\x83", &b->now, k->n);
	if (!b->is_pair) /* nothing asks for the rest */
		return;
	_Static_assert(offsetof(struct p5_btb, had_flush) % 4 == 0 &&
			   offsetof(struct p5_btb, could_pair) == offsetof(struct p5_btb, had_flush) + 1 &&
			   offsetof(struct p5_btb, reserved) == offsetof(struct p5_btb, had_flush) + 2,
		       "as emitted");
	CODE_IMM32(w, "\xc7\x83", &b->had_flush, (uint32_t)k->could_pair << 8); /* mov dword: false, and that */
	if (p5_is_imm32(k->prev_u)) {
		CODE_IMM32(w, "\x48\xc7\x83", &b->prev_u, (uint32_t)k->prev_u); /* mov qword */
		return;
	}
	emit_mov_imm64(w->h.out, 1, k->prev_u);
	CODE_AT(&w->h, "\x48\x89\x8b", &b->prev_u); /* mov [prev_u], rcx */
}

void p5_write_settle(struct p5_jit_writer *w)
{
	write_noted(w, &w->noted);
	w->noted = (struct p5_noted){.n = 0};
}

/* ---- asking --------------------------------------------------------------------------------------------------- */

/* What was noted before look `at`, and the look, as one word. */
static uint32_t noted_word(const struct p5_noted *k, unsigned at)
{
	return at | (k->is_any ? k->n << P5_JIT_N_SHIFT | (uint32_t)k->could_pair << P5_JIT_PAIR_SHIFT : 0);
}

/* mov ecx, what was noted; mov rsi, the last one's first address */
static void write_noted_values(struct p5_jit_writer *w, const struct p5_noted *k, unsigned at)
{
	CODE(&w->h, "\xb9");
	emit32(w->h.out, noted_word(k, at));
	if (k->is_any && w->m->btb.is_pair)
		hostcode_value(&w->h, 6, k->prev_u);
}

/* rax is what the look of c saw, and not what the step says. */
static void write_turn(struct p5_jit_writer *w, const struct p5_cold *c, const struct p5_noted *k)
{
	write_noted_values(w, k, c->at);
	emit_jump(w->h.out, k->is_any ? w->m->jit.turn_noted : w->m->jit.turn);
}

/* rax = what the helper sees */
static void write_question(struct p5_jit_writer *w, const struct p5_cold *c)
{
	struct x86_out *o = w->h.out;

	switch (c->kind) {
	case P5_COLD_DATA:
		CODE(&w->h, "\xba"); /* mov edx, what */
		emit32(o, c->what);
		JUMP(&w->h, "\xe8", w->m->jit.ask[P5_JIT_DATA]);
		break;
	case P5_COLD_CODE:
		hostcode_value(&w->h, 6, c->from);
		CODE(&w->h, "\xba"); /* mov edx, want */
		emit32(o, (uint32_t)(c->to - c->from));
		JUMP(&w->h, "\xe8", w->m->jit.ask[P5_JIT_CODE]);
		break;
	case P5_COLD_SLOT:
		hostcode_value(&w->h, 6, c->from);
		hostcode_value(&w->h, 2, c->to);
		CODE(&w->h, "\xb9"); /* mov ecx, what */
		emit32(o, c->what);
		JUMP(&w->h, "\xe8", w->m->jit.ask[P5_JIT_SLOT]);
		break;
	default:
		CODE(&w->h, "\xbe"); /* mov esi, at */
		emit32(o, c->at);
		JUMP(&w->h, "\xe8", w->m->jit.ask[P5_JIT_LOOK]);
	}
}

/* ZF: rax is x */
static void write_is_seen(struct p5_jit_writer *w, enum p5_cold_kind kind, uint64_t x)
{
	if (!x) {
		CODE(&w->h, "\x48\x85\xc0"); /* test rax, rax */
		return;
	}
	if (kind == P5_COLD_CODE || (kind == P5_COLD_DATA && x > 127)) { /* the unit above these bits is that of the question */
		CODE(&w->h, "\x3d"); /* cmp eax, x */
	} else if (x <= 127) {
		CODE(&w->h, "\x48\x83\xf8"); /* cmp rax, x */
		emit8(w->h.out, (unsigned)x);
		return;
	} else if (p5_is_imm32(x)) {
		CODE(&w->h, "\x48\x3d"); /* cmp rax, x */
	} else {
		emit_mov_imm64(w->h.out, 1, x);
		CODE(&w->h, "\x48\x39\xc8"); /* cmp rax, rcx */
		return;
	}
	emit32(w->h.out, (uint32_t)x);
}

void p5_write_ask(struct p5_jit_writer *w, struct p5_cold *c)
{
	write_question(w, c);
	write_is_seen(w, c->kind, c->seen);
	c->kind = P5_COLD_SEEN;
	p5_write_jump_cold(w, c, JNE);
}

void p5_write_in_full(struct p5_jit_writer *w, unsigned at)
{
	p5_write_settle(w);
	p5_write_ask(w, p5_write_new_cold(w, P5_COLD_LOOK, at));
}

/* ---- the cold part ------------------------------------------------------------------------------------------- */

struct p5_cold *p5_write_new_cold(struct p5_jit_writer *w, enum p5_cold_kind kind, unsigned at)
{
	struct p5_cold *c = &w->cold[w->n_cold < P5_MOST_COLD ? w->n_cold : P5_MOST_COLD - 1];

	w->h.is_bad |= w->n_cold == P5_MOST_COLD;
	w->n_cold += w->n_cold < P5_MOST_COLD;
	*c = (struct p5_cold){.kind = kind, .at = at, .noted = w->noted, .seen = w->act[at].seen};
	return c;
}

/* A jump to it: op are its two bytes. */
void p5_write_jump_cold(struct p5_jit_writer *w, struct p5_cold *c, const char *op)
{
	const uint32_t at = hostcode_jump(&w->h, op, 2, 0);

	w->h.is_bad |= c->n_jump == P5_COLD_JUMPS;
	if (c->n_jump < P5_COLD_JUMPS)
		c->jump_at[c->n_jump++] = at;
}

void p5_write_come_back(struct p5_jit_writer *w, struct p5_cold *c)
{
	c->back = w->h.out->off;
}

void p5_write_call(struct p5_jit_writer *w, uint32_t part, uint32_t number)
{
	CODE(&w->h, "\xb9"); /* mov ecx, number */
	emit32(w->h.out, number);
	JUMP(&w->h, "\xe8", part);
}

#define MOST_DOUBTS 4u /* keys that are looked for one by one */

/* The map of the BTB has bits of the slot: back, unless an entry answers. */
static void write_doubt(struct p5_jit_writer *w, const struct p5_cold *c)
{
	uint32_t found[MOST_DOUBTS];
	unsigned n = 0;

	if (c->doubt == P5_DOUBT_NONE || c->last_key - c->first_key >= MOST_DOUBTS)
		return;
	if (c->doubt == P5_DOUBT_PREV) {
		JUMP(&w->h, "\xe8", w->m->jit.prev_entry); /* call */
		JUMP(&w->h, JE, c->back);
		return;
	}
	for (uint64_t key = c->first_key; key <= c->last_key; key++) {
		hostcode_value(&w->h, 0, key);
		JUMP(&w->h, "\xe8", w->m->jit.entry);
		if (key == c->last_key)
			JUMP(&w->h, JE, c->back);
		else
			found[n++] = JUMP(&w->h, JNE, 0);
	}
	while (n)
		hostcode_land(&w->h, found[--n]);
}

/* A slot: what was noted before is written, so that the BTB can be asked. */
static void write_cold_slot(struct p5_jit_writer *w, const struct p5_cold *c)
{
	uint32_t other;

	write_doubt(w, c);

	if (c->noted.is_any) {
		write_noted_values(w, &c->noted, c->at);
		JUMP(&w->h, "\xe8", w->m->jit.noted); /* call */
	}
	write_question(w, c);
	write_is_seen(w, c->kind, c->what & P5_JIT_PASS ? 0 : c->seen);
	other = JUMP(&w->h, JNE, 0);
	if (c->n_after)
		CODE_IMM32(w, "\x81\xab", &w->m->btb.now, c->n_after); /* sub dword */
	emit_jump(w->h.out, c->back);
	hostcode_land(&w->h, other);
	write_turn(w, c, &(struct p5_noted){.n = 0});
}

static void write_cold(struct p5_jit_writer *w, const struct p5_cold *c)
{
	for (unsigned k = 0; k < c->n_jump; k++)
		hostcode_land(&w->h, c->jump_at[k]);
	switch (c->kind) {
	case P5_COLD_ANSWER:
		hostcode_value(&w->h, 0, c->saw);
		break;
	case P5_COLD_SLOT:
		write_cold_slot(w, c);
		return;
	case P5_COLD_CODE:
		if (c->part) {
			p5_write_call(w, c->part, c->number);
			JUMP(&w->h, JE, c->known);
		}
		break;
	default:
		break;
	}
	if (c->kind >= P5_COLD_LOOK) {
		write_question(w, c);
		write_is_seen(w, c->kind, c->seen);
		JUMP(&w->h, JE, c->back);
	}
	write_turn(w, c, &c->noted);
}

static void write_look(struct p5_jit_writer *w, unsigned at)
{
	switch (w->act[at].kind) {
	case P5_ACT_DATA:
		p5_write_data(w, at);
		break;
	case P5_ACT_CODE:
		p5_write_code(w, at);
		break;
	case P5_ACT_MARKS:
		p5_write_marks(w, at);
		break;
	case P5_ACT_NOTE:
		p5_write_note(w, at);
		break;
	case P5_ACT_PASS:
		p5_write_pass(w, at);
		break;
	case P5_ACT_SLOT:
		p5_write_slot(w, at);
		break;
	case P5_ACT_BANK:
		p5_write_bank(w, at);
		break;
	default:
		p5_write_in_full(w, at);
		break;
	}
}

/* ---- programs ------------------------------------------------------------------------------------------------- */

/* The way in of a first step: the records are those of its block and of the one behind, which is not known yet. */
static void write_entry(struct p5_jit_writer *w, const struct p5_blk *b)
{
	const uint32_t start = w->h.out->off;

	CODE(&w->h, "\x41\x81\x3c\x24"); /* cmp dword [r12], head */
	emit32(w->h.out, b->head);
	JUMP(&w->h, JNE, w->m->jit.next);
	CODE(&w->h, "\x41\x81\xbc\x24"); /* cmp dword [r12 + bytes], head of the next */
	emit32(w->h.out, trc_block_bytes(b->head));
	w->h.is_bad |= w->h.out->off - start != P5_JIT_NEXT_HEAD;
	emit32(w->h.out, UINT32_MAX);
	JUMP(&w->h, JNE, w->m->jit.next);
	w->h.is_bad |= w->h.out->off - start != P5_JIT_NO_COMPARE;
}

/* The step holds: it is counted, and on to the one that followed last. */
static void write_exit(struct p5_jit_writer *w, const struct p5_blk *b)
{
	struct p5 *m = w->m;

	p5_write_settle(w);
	CODE(&w->h, "\x49\x81\xc4");			     /* add r12, bytes of the record */
	emit32(w->h.out, trc_block_bytes(b->head));
	JUMP(&w->h, "\xe8", m->jit.tail);		     /* call */
	CODE(&w->h, "\xff\xe0");			     /* jmp rax */
}

bool p5_jit_has_room(const struct p5_jit *j)
{
	return j->out.off + 2 * MOST_BYTES <= j->limit_off;
}

uint32_t p5_jit_write(struct p5 *m, const struct p5_run *x, struct memo_step *s, bool is_first)
{
	struct p5_jit *j = &m->jit;
	struct p5_jit_writer *w;
	const struct p5_blk *b = m->blk[x->code->block->id];
	const uint32_t start = j->out.off;
	bool is_bad;

	if (memo_n_extra(s) / sizeof(struct p5_act) > P5_JIT_LOOKS || !p5_jit_has_room(j))
		return 0;
	w = malloc(sizeof(*w));
	if (!w)
		return 0;
	memset(w, 0, offsetof(struct p5_jit_writer, cold)); /* pieces are set as they come */
	w->m = m;
	w->h = (struct hostcode){&j->out, m, false};
	w->x = x;
	w->act = memo_extra(s);
	w->n_act = memo_n_extra(s) / sizeof(struct p5_act);
	if (is_first)
		write_entry(w, b);
	for (unsigned at = 0; at < w->n_act && !w->h.is_bad; at++) {
		w->h.is_bad |= j->out.off - start > MOST_BYTES / 2;
		write_look(w, at);
	}
	write_exit(w, b);
	for (unsigned k = 0; k < w->n_cold && !w->h.is_bad; k++) {
		w->h.is_bad |= j->out.off - start > MOST_BYTES - 512;
		write_cold(w, &w->cold[k]);
	}
	is_bad = w->h.is_bad;
	free(w);
	if (!is_bad)
		return start;
	j->out.off = start;
	return 0;
}
