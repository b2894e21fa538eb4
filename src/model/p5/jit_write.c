/* jit_write.c -- the forms of jit_write.h, and programs of them. */
#include "model/p5/jit_write.h"

#include <stdlib.h>

#include "trace/record.h"

#define MOST_BYTES 16384u /* of a program, and of its data */

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

/* add dword [btb.now], n */
void p5_write_now(struct p5_jit_writer *w, unsigned n)
{
	if (n)
		CODE_IMM32(w, "\x81\x83", &w->m->btb.now, n);
}

/* What was noted is written. */
static void write_noted(struct p5_jit_writer *w, const struct p5_noted *k)
{
	struct p5_btb *b = &w->m->btb;

	if (!k->is_any)
		return;
	p5_write_now(w, k->n);
	CODE_IMM8(w, "\xc6\x83", &b->had_flush, 0);		/* mov byte */
	CODE_IMM8(w, "\xc6\x83", &b->could_pair, k->could_pair); /* mov byte */
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

/* Data of the program. */
void *p5_jit_data(struct p5_jit *j, size_t n)
{
	j->data_low -= (uint32_t)((n + 15) & ~(size_t)15);
	return j->memory + j->data_low;
}

/* ---- the cold part ------------------------------------------------------------------------------------------- */

/* A new piece for look `at`. */
struct p5_cold *p5_write_new_cold(struct p5_jit_writer *w, enum p5_cold_kind kind, unsigned at)
{
	static const struct p5_cold none;
	struct p5_cold *c = &w->cold[w->n_cold < P5_MOST_COLD ? w->n_cold : P5_MOST_COLD - 1];

	w->h.is_bad |= w->n_cold == P5_MOST_COLD;
	w->n_cold += w->n_cold < P5_MOST_COLD;
	*c = none;
	c->kind = kind;
	c->at = at;
	c->before = w->noted;
	c->n_after = w->noted.n;
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

/* mov esi, at */
static void write_number(struct p5_jit_writer *w, unsigned at)
{
	CODE(&w->h, "\xbe");
	emit32(w->h.out, at);
}

/* Look `at` saw what it did: to where that leads. */
static void write_seen(struct p5_jit_writer *w, unsigned at)
{
	CODE_AT(&w->h, "\x48\x8b\x93", &w->m->jit.saw); /* mov rdx, [saw] */
	write_number(w, at);
	emit_jump(w->h.out, w->m->jit.seen);
}

static void write_cold(struct p5_jit_writer *w, const struct p5_cold *c)
{
	uint32_t other;

	for (unsigned k = 0; k < c->n_jump; k++)
		hostcode_land(&w->h, c->jump_at[k]);
	if (c->kind == P5_COLD_LINE)
		p5_write_other_way(w, c);
	if (c->kind == P5_COLD_PAGE)
		p5_write_other_page(w, c);
	if (c->kind == P5_COLD_SEEN) {
		write_seen(w, c->at);
		return;
	}
	write_noted(w, &c->before);
	switch (c->kind) {
	case P5_COLD_DATA:
		p5_write_access(w, c->data);
		break;
	case P5_COLD_SLOT:
		CODE_DATA(&w->h, "\x48\x8d\x35", c->data);		    /* lea rsi, [branch] */
		CODE(&w->h, "\x48\x89\xdf");				    /* mov rdi, rbx */
		CODE_AT(&w->h, "\xff\x93", &w->m->jit.helper[P5_JIT_SLOT]); /* call */
		CODE(&w->h, "\x48\x85\xc0");				    /* test rax, rax */
		other = JUMP(&w->h, JNE, 0);
		write_seen(w, c->at);
		hostcode_land(&w->h, other);
		break;
	default:
		write_number(w, c->at);
		JUMP(&w->h, "\xe8", w->m->jit.look); /* call */
	}
	p5_write_now(w, 0u - c->n_after);
	emit_jump(w->h.out, c->back);
}

void p5_write_access(struct p5_jit_writer *w, const struct p5_jit_access *a)
{
	CODE(&w->h, "\x48\x89\xc6");		  /* mov rsi, rax */
	CODE_DATA(&w->h, "\x48\x8d\x15", a);	  /* lea rdx, [access] */
	JUMP(&w->h, "\xe8", w->m->jit.data);	  /* call */
}

/* Look `at` in full, whatever it sees. */
void p5_write_in_full(struct p5_jit_writer *w, unsigned at)
{
	p5_write_settle(w);
	write_number(w, at);
	JUMP(&w->h, "\xe8", w->m->jit.look); /* call */
}

/* Look `at`, or several from there on. Returns the number of the last. */
static unsigned write_look(struct p5_jit_writer *w, unsigned at)
{
	switch (w->act[at].kind) {
	case P5_ACT_DATA:
		p5_write_data(w, at);
		return at;
	case P5_ACT_CODE:
		p5_write_code(w, at);
		return at;
	case P5_ACT_MARKS:
		p5_write_marks(w, at);
		return at;
	case P5_ACT_NOTE:
		return p5_write_note(w, at);
	case P5_ACT_PASS:
		p5_write_pass(w, at);
		return at;
	case P5_ACT_SLOT:
		p5_write_slot(w, at);
		return at;
	case P5_ACT_BANK:
		p5_write_bank(w, at);
		return at;
	default:
		p5_write_in_full(w, at);
		return at;
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
	CODE_IMM32(w, "\xc7\x83", &w->m->jit.way.n, 0); /* mov dword */
}

/* Bytes of a form ending in ModRM for [r13 + disp8], then the field. */
#define CODE_STEP(w, s, field)                                                                                        \
	do {                                                                                                           \
		CODE(&(w)->h, s);                                                                                      \
		emit8((w)->h.out, offsetof(struct memo_step, field));                                                  \
	} while (0)

/* The step holds: its use is counted; and on to the one that followed last. */
static void write_exit(struct p5_jit_writer *w, struct p5_blk *b)
{
	struct p5 *m = w->m;
	uint32_t first_use, back;

	p5_write_settle(w);
	CODE_STEP(w, "\x49\x8b\x45", times);		/* mov rax, [r13 + times] */
	CODE(&w->h, "\x48\x85\xc0");			/* test rax, rax */
	first_use = JUMP(&w->h, JE, 0);
	CODE(&w->h, "\x48\xff\xc0");			/* inc rax */
	CODE_STEP(w, "\x49\x89\x45", times);		/* mov [r13 + times], rax */
	back = w->h.out->off;
	CODE_STEP(w, "\x41\x8b\x45", clk);		/* mov eax, [r13 + clk] */
	CODE_AT(&w->h, "\x48\x01\x83", &m->time.now_clk); /* add [now_clk], rax */
	CODE_AT(&w->h, "\x48\xff\x83", &b->n_exec);	/* inc qword [n_exec] */
	CODE_IMM8(w, "\x48\x83\x83", &m->n_insn, b->n_insn); /* add qword [n_insn] */
	if (w->x->is_taken)
		CODE_AT(&w->h, "\x48\xff\x83", &m->n_taken); /* inc qword [n_taken] */
	CODE_AT(&w->h, "\x4c\x89\xab", &m->memo.last);	/* mov [last], r13 */
	CODE(&w->h, "\x49\x81\xc4");			/* add r12, bytes of the record */
	emit32(w->h.out, trc_block_bytes(b->head));
	CODE_STEP(w, "\x4d\x8b\x6d", then);		/* mov r13, [r13 + then] */
	CODE_AT(&w->h, "\x4c\x3b\xa3", &m->jit.limit);	/* cmp r12, [limit] */
	JUMP(&w->h, "\x0f\x83", m->jit.leave);		/* jae */
	CODE(&w->h, "\x4d\x85\xed");			/* test r13, r13 */
	JUMP(&w->h, JE, m->jit.next);
	CODE_STEP(w, "\x41\x8b\x45", own);		/* mov eax, [r13 + own] */
	CODE(&w->h, "\x3d");				/* cmp eax, P5_JIT_FIRST_CODE */
	emit32(w->h.out, P5_JIT_FIRST_CODE);
	JUMP(&w->h, "\x0f\x82", m->jit.next);		/* jb */
	CODE(&w->h, "\x4c\x01\xf8\xff\xe0");		/* add rax, r15; jmp rax */
	hostcode_land(&w->h, first_use);
	JUMP(&w->h, "\xe8", m->jit.list);		/* call */
	emit_jump(w->h.out, back);
}

uint32_t p5_jit_write(struct p5 *m, const struct p5_run *x, struct memo_step *s, bool is_first)
{
	struct p5_jit *j = &m->jit;
	struct p5_jit_writer *w;
	struct p5_blk *b = m->blk[x->code->block->id];
	const uint32_t start = j->out.off, data = j->data_low;
	bool is_bad;

	_Static_assert(offsetof(struct memo_step, own) < 128, "as emitted");
	if (s->n_extra / sizeof(struct p5_act) > P5_JIT_LOOKS || start + 2 * MOST_BYTES > data)
		return 0;
	w = calloc(1, sizeof(*w));
	if (!w)
		return 0;
	w->m = m;
	w->h = (struct hostcode){&j->out, m, false};
	w->x = x;
	w->act = memo_extra(s);
	w->n_act = s->n_extra / sizeof(struct p5_act);
	if (is_first)
		write_entry(w, b);
	CODE_STEP(w, "\x49\x8b\x45", then); /* mov rax, [r13 + then] */
	CODE(&w->h, "\x0f\x18\x08");	     /* prefetcht0 [rax] */
	for (unsigned at = 0; at < w->n_act && !w->h.is_bad; at++) {
		w->h.is_bad |= j->out.off - start > MOST_BYTES / 2;
		at = write_look(w, at);
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
	j->data_low = data;
	return 0;
}

/* ---- what programs share ----------------------------------------------------------------------------------------- */

/* r12, r13 = where host code goes on at rax; jmp rax */
static void write_go(struct hostcode *h, const struct p5 *m)
{
	CODE_AT(h, "\x4c\x8b\xa3", &m->jit.at);	  /* mov r12, [at] */
	CODE_AT(h, "\x4c\x8b\xab", &m->jit.step); /* mov r13, [step] */
	CODE(h, "\xff\xe0");
}

/* at, step = r12, r13; rdi = the machine; call helper */
static void write_help(struct hostcode *h, const struct p5 *m, enum p5_jit_helper helper)
{
	CODE_AT(h, "\x4c\x89\xa3", &m->jit.at);	  /* mov [at], r12 */
	CODE_AT(h, "\x4c\x89\xab", &m->jit.step); /* mov [step], r13 */
	CODE(h, "\x48\x89\xdf");		  /* mov rdi, rbx */
	CODE_AT(h, "\xff\x93", &m->jit.helper[helper]);
}

/* A part that is called: it returns when the helper returns 0, else host code goes on elsewhere. Returns its code offset. */
static uint32_t write_asking(struct hostcode *h, const struct p5 *m, enum p5_jit_helper helper)
{
	const uint32_t start = h->out->off;
	uint32_t go;

	CODE(h, "\x48\x83\xec\x08"); /* sub rsp, 8 */
	write_help(h, m, helper);
	CODE(h, "\x48\x83\xc4\x08\x48\x85\xc0"); /* add rsp, 8; test rax, rax */
	go = JUMP(h, JNE, 0);
	CODE(h, "\xc3");
	hostcode_land(h, go);
	CODE(h, "\x48\x83\xc4\x08"); /* nobody returns */
	write_go(h, m);
	return start;
}

void p5_jit_write_frame(struct p5 *m)
{
	struct p5_jit *j = &m->jit;
	struct hostcode h = {&j->out, m, false};
	CODE(&h, "\x53\x55\x41\x54\x41\x55\x41\x56\x41\x57\x48\x83\xec\x08"); /* push rbx rbp r12-r15; sub rsp, 8 */
	CODE(&h, "\x48\x89\xfb\x49\x89\xf4\x49\x89\xd5"); /* mov rbx, rdi; mov r12, rsi; mov r13, rdx */
	CODE_DATA(&h, "\x4c\x8d\x3d", j->memory);	  /* lea r15, [the code] */
	CODE(&h, "\xff\xe1");				  /* jmp rcx */

	j->leave = j->out.off;
	CODE_AT(&h, "\x4c\x89\xa3", &j->at);		  /* mov [at], r12 */
	CODE(&h, "\x48\x83\xc4\x08\x41\x5f\x41\x5e\x41\x5d\x41\x5c\x5d\x5b\xc3");

	j->look = write_asking(&h, m, P5_JIT_LOOK); /* called; esi: number of the look */
	j->data = write_asking(&h, m, P5_JIT_DATA); /* called; rsi: address; rdx: struct p5_jit_access */

	j->seen = j->out.off; /* esi: number of the look; rdx: what it saw */
	write_help(&h, m, P5_JIT_SEEN);
	write_go(&h, m);

	j->next = j->out.off;
	write_help(&h, m, P5_JIT_NEXT);
	write_go(&h, m);

	j->list = j->out.off; /* called */
	CODE(&h, "\x48\x89\xdf\x4c\x89\xee\x48\x83\xec\x08"); /* mov rdi, rbx; mov rsi, r13; sub rsp, 8 */
	CODE_AT(&h, "\xff\x93", &j->helper[P5_JIT_LIST]);
	CODE(&h, "\x48\x83\xc4\x08\xc3");

	j->first_program = j->out.off > P5_JIT_FIRST_CODE ? j->out.off : P5_JIT_FIRST_CODE;
	j->out.off = j->first_program;
}
