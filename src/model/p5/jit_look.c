/* jit_look.c -- writing the programs of steps: looks as host code.
 *
 *   rbx  struct p5          r12  record of the block          r13  step          r15  the code
 *   rax  linear address; what was seen                        others: scratch
 */
#include "model/p5/jit.h"

#include <stdlib.h>
#include <string.h>

#include "model/parts/hostcode.h"
#include "trace/record.h"

#define MOST_BYTES 16384u /* of a program, and of its data */
#define MOST_COLD  (3u * P5_JIT_LOOKS + 8u)
#define MOST_JUMPS 5u

/* What slots without a branch have noted so far, not yet written. */
struct noted {
	bool is_any, could_pair;
	unsigned n; /* to be added to btb.now */
	uint64_t prev_u;
};

enum cold_kind {
	COLD_LOOK, /* do look `at` in full, and come back when it sees what it should */
	COLD_SEEN, /* look `at` saw rax */
	COLD_LINE, /* a code line was not used last in its set; then as COLD_LOOK */
};

/* A piece behind the program. */
struct cold {
	enum cold_kind kind;
	uint32_t jump_at[MOST_JUMPS];
	unsigned n_jump;
	uint32_t back;
	unsigned at;
	uint64_t line;	      /* COLD_LINE */
	struct noted before;  /* to be written before */
	unsigned n_after;     /* of btb.now, written by it although what follows writes it, too */
};

struct p5_jit_writer {
	struct p5 *m;
	struct hostcode h;
	const struct p5_run *x;
	const struct p5_act *act;
	unsigned n_act;
	struct noted noted;
	bool knows_prev; /* btb.prev_u, written or noted, is prev_u */
	uint64_t prev_u;
	bool knows_page; /* itlb.last_vpn */
	uint64_t page;
	struct cold cold[MOST_COLD];
	unsigned n_cold;
};

/* ---- forms -------------------------------------------------------------------------------------------------- */

static bool is_imm32(uint64_t x)
{
	return (uint64_t)(int64_t)(int32_t)x == x;
}

/* mov reg, [r12 + where the record has slot]; reg below 8 */
static void write_slot_value(struct p5_jit_writer *w, unsigned reg, unsigned slot)
{
	emit_load(w->h.out, reg, 12, (int32_t)(4 + 8 * slot));
}

/* reg (0: rax, 2: rdx) = linear address of r; changes rcx */
static void write_address(struct p5_jit_writer *w, const struct p5_ref *r, unsigned reg)
{
	struct x86_out *o = w->h.out;
	uint64_t disp = r->disp;

	if (r->slot != P5_NO_SLOT) {
		write_slot_value(w, reg, r->slot);
	} else {
		emit_mov_imm64(o, reg, disp);
		disp = 0;
	}
	if (r->slot2 != P5_NO_SLOT) {
		write_slot_value(w, 1, r->slot2);
		CODE(&w->h, "\x48\x8d"); /* lea reg, [reg + rcx << shift + 0] */
		emit8(o, 1 << 6 | reg << 3 | 4);
		emit8(o, (unsigned)r->shift << 6 | 1 << 3 | reg);
		emit8(o, 0);
	}
	if (disp && is_imm32(disp)) {
		emit_lea(o, reg, reg, (int32_t)disp);
	} else if (disp) {
		emit_mov_imm64(o, 1, disp);
		emit_lea_index(o, reg, reg, 1);
	}
	if (!r->has_fs)
		return;
	if (reg)
		CODE_AT(&w->h, "\x48\x03\x93", &w->m->fs_base); /* add rdx, [fs_base] */
	else
		CODE_AT(&w->h, "\x48\x03\x83", &w->m->fs_base); /* add rax, [fs_base] */
}

/* cmp qword [p], x, an immediate */
static void write_compare(struct p5_jit_writer *w, const uint64_t *p, uint64_t x)
{
	const int64_t d = (const uint8_t *)p - (const uint8_t *)w->m;

	w->h.is_bad |= d != (int32_t)d || !is_imm32(x);
	CODE(&w->h, "\x48\x81\xbb");
	emit32(w->h.out, (uint32_t)d);
	emit32(w->h.out, (uint32_t)x);
}

/* The forms `op [p], imm` with an immediate of one byte, or of four. */
static void write_imm8(struct p5_jit_writer *w, const char *op, unsigned n, const void *p, unsigned imm)
{
	hostcode_with_base(&w->h, op, n, p);
	emit8(w->h.out, imm);
}
#define CODE_IMM8(w, s, p, imm) write_imm8(w, s, sizeof(s) - 1, p, imm)

static void write_imm32(struct p5_jit_writer *w, const char *op, unsigned n, const void *p, uint32_t imm)
{
	hostcode_with_base(&w->h, op, n, p);
	emit32(w->h.out, imm);
}
#define CODE_IMM32(w, s, p, imm) write_imm32(w, s, sizeof(s) - 1, p, imm)

/* add dword [btb.now], n */
static void write_now(struct p5_jit_writer *w, unsigned n)
{
	if (n)
		CODE_IMM32(w, "\x81\x83", &w->m->btb.now, n);
}

/* What was noted is written. */
static void write_noted(struct p5_jit_writer *w, const struct noted *k)
{
	struct p5_btb *b = &w->m->btb;

	if (!k->is_any)
		return;
	write_now(w, k->n);
	CODE_IMM8(w, "\xc6\x83", &b->had_flush, 0);		/* mov byte */
	CODE_IMM8(w, "\xc6\x83", &b->could_pair, k->could_pair); /* mov byte */
	if (is_imm32(k->prev_u)) {
		CODE_IMM32(w, "\x48\xc7\x83", &b->prev_u, (uint32_t)k->prev_u); /* mov qword */
		return;
	}
	emit_mov_imm64(w->h.out, 1, k->prev_u);
	CODE_AT(&w->h, "\x48\x89\x8b", &b->prev_u); /* mov [prev_u], rcx */
}

static void settle(struct p5_jit_writer *w)
{
	write_noted(w, &w->noted);
	w->noted = (struct noted){.n = 0};
}

/* ---- the cold part ------------------------------------------------------------------------------------------- */

/* A new piece for look `at`. */
static struct cold *new_cold(struct p5_jit_writer *w, enum cold_kind kind, unsigned at)
{
	static const struct cold none;
	struct cold *c = &w->cold[w->n_cold < MOST_COLD ? w->n_cold : MOST_COLD - 1];

	w->h.is_bad |= w->n_cold == MOST_COLD;
	w->n_cold += w->n_cold < MOST_COLD;
	*c = none;
	c->kind = kind;
	c->at = at;
	c->before = w->noted;
	c->n_after = w->noted.n;
	return c;
}

/* A jump to it: op are its two bytes. */
static void jump_cold(struct p5_jit_writer *w, struct cold *c, const char *op)
{
	const uint32_t at = hostcode_jump(&w->h, op, 2, 0);

	w->h.is_bad |= c->n_jump == MOST_JUMPS;
	if (c->n_jump < MOST_JUMPS)
		c->jump_at[c->n_jump++] = at;
}
#define JNE "\x0f\x85"
#define JE  "\x0f\x84"

static void come_back(struct p5_jit_writer *w, struct cold *c)
{
	c->back = w->h.out->off;
}

/* mov esi, at */
static void write_number(struct p5_jit_writer *w, unsigned at)
{
	CODE(&w->h, "\xbe");
	emit32(w->h.out, at);
}

static const uint64_t *line_of(const struct p5 *m, uint64_t line, unsigned way)
{
	return &m->icache.line_of[(line & (m->icache.cache.n_sets - 1)) * m->icache.cache.ways + way];
}

static uint32_t *marks_of(const struct p5 *m, uint64_t line, unsigned way)
{
	return &m->icache.marks[(line & (m->icache.cache.n_sets - 1)) * m->icache.cache.ways + way];
}

/* The line is in L1I, in another way: its use is noted. */
static void write_other_way(struct p5_jit_writer *w, const struct cold *c)
{
	const struct cache *k = &w->m->icache.cache;
	const uint32_t set = (uint32_t)(c->line & (k->n_sets - 1));
	uint64_t *order = &cache_meta(k, set)->order;

	for (unsigned way = 0; !k->repl.is_lru && way < k->ways; way++) {
		const unsigned away = (unsigned)repl_touch(&k->repl, 0, way) & 0xff;
		const unsigned keep = (unsigned)repl_touch(&k->repl, 0xff, way) & 0xff & ~away;
		uint32_t other;

		write_compare(w, line_of(w->m, c->line, way), c->line);
		other = JUMP(&w->h, JNE, 0);
		CODE_IMM8(w, "\x80\xa3", order, keep | away); /* and byte */
		CODE_IMM8(w, "\x80\x8b", order, away);	       /* or byte */
		CODE_IMM32(w, "\x48\xc7\x83", &w->m->icache.filter[set], (uint32_t)c->line); /* mov qword */
		emit_jump(w->h.out, c->back);
		hostcode_land(&w->h, other);
	}
}

static void write_cold(struct p5_jit_writer *w, const struct cold *c)
{
	for (unsigned k = 0; k < c->n_jump; k++)
		hostcode_land(&w->h, c->jump_at[k]);
	if (c->kind == COLD_LINE)
		write_other_way(w, c);
	if (c->kind == COLD_SEEN) {
		CODE(&w->h, "\x48\x89\xc2"); /* mov rdx, rax */
		write_number(w, c->at);
		emit_jump(w->h.out, w->m->jit.seen);
		return;
	}
	write_noted(w, &c->before);
	write_number(w, c->at);
	JUMP(&w->h, "\xe8", w->m->jit.look); /* call */
	write_now(w, 0u - c->n_after);
	emit_jump(w->h.out, c->back);
}

/* ---- looks ----------------------------------------------------------------------------------------------------- */

/* Look `at` in full, whatever it sees. */
static void write_in_full(struct p5_jit_writer *w, unsigned at)
{
	settle(w);
	write_number(w, at);
	JUMP(&w->h, "\xe8", w->m->jit.look); /* call */
}

/* The page of the address in rax is that used last, or known again. */
static void write_page(struct p5_jit_writer *w, struct cold *c)
{
	struct p5_dtlb *t = &w->m->dtlb;

	CODE(&w->h, "\x48\x89\xc1\x48\xc1\xe9\x0c"); /* mov rcx, rax; shr rcx, 12 */
	if (!t->is_full) {
		CODE(&w->h, "\x89\xca\x83\xe2"); /* mov edx, ecx; and edx, set_mask */
		emit8(w->h.out, t->set_mask);
		CODE_AT(&w->h, "\x48\x3b\x8c\xd3", t->filter); /* cmp rcx, [filter + rdx * 8] */
		jump_cold(w, c, JNE);
		return;
	}
	_Static_assert(sizeof(t->full.entry[0]) == 16 && FULLTLB_HINTS == 256, "entries as found here");
	CODE_AT(&w->h, "\x0f\xb6\xd1\x0f\xb6\x94\x13", t->full.hint); /* movzx edx, cl; movzx edx, byte [hint + rdx] */
	CODE(&w->h, "\x89\xd6\xc1\xe6\x04");		/* mov esi, edx; shl esi, 4 */
	CODE_AT(&w->h, "\x48\x3b\x8c\x33", &t->full.entry[0].key); /* cmp rcx, [key + rsi] */
	jump_cold(w, c, JNE);
	CODE_AT(&w->h, "\x48\x8b\x8b", &t->full.now);	/* mov rcx, [now] */
	CODE(&w->h, "\x48\xff\xc1");			/* inc rcx */
	CODE_AT(&w->h, "\x48\x89\x8b", &t->full.now);	/* mov [now], rcx */
	CODE_AT(&w->h, "\x48\x89\x8c\xd3", t->full.used); /* mov [used + rdx * 8], rcx */
}

/* The line of the address in rax is, or is not, the one that came in last. */
static void write_filled(struct p5_jit_writer *w, struct cold *c, uint64_t seen)
{
	const struct p5_dcache *d = &w->m->dcache;

	CODE(&w->h, "\x48\x89\xc1\x48\xc1\xe9"); /* mov rcx, rax; shr rcx, line_log2 */
	emit8(w->h.out, d->cache.line_log2);
	CODE_AT(&w->h, "\x48\x3b\x8b", &d->filled_line); /* cmp rcx, [filled_line] */
	if (seen == P5_SEEN_HIT) {
		jump_cold(w, c, JE);
		return;
	}
	jump_cold(w, c, JNE);
	CODE(&w->h, "\x89\xc1\xc1\xe9\x03");		/* mov ecx, eax; shr ecx, 3 */
	CODE_AT(&w->h, "\x32\x8b", &d->filled_first);	/* xor cl, [filled_first] */
	CODE(&w->h, "\x83\xe1\x03\x83\xf9");		/* and ecx, 3; cmp ecx, chunk */
	emit8(w->h.out, (unsigned)(seen >> P5_SEEN_CHUNK_SHIFT) & 3);
	jump_cold(w, c, JNE);
}

static void write_data(struct p5_jit_writer *w, unsigned at)
{
	const struct p5_act *a = &w->act[at];
	const struct p5_ref *r = &w->x->code->ref[a->a];
	const struct p5_dcache *d = &w->m->dcache;
	const unsigned way_log2 = cache_way_log2(&d->cache), kind = a->seen & P5_SEEN_KIND;
	const bool asks_fill = a->b & P5_ACT_ASKS_FILL;
	struct cold *c;

	if (!r->is_quick || a->b & P5_ACT_HALF || a->seen >> (P5_SEEN_CHUNK_SHIFT + 2) ||
	    (kind != P5_SEEN_HIT && (kind != P5_SEEN_FILLING || !asks_fill))) {
		write_in_full(w, at);
		return;
	}
	c = new_cold(w, COLD_LOOK, at);
	write_address(w, r, 0);
	CODE(&w->h, "\x48\x89\xc1\x48\xc1\xe9"); /* mov rcx, rax; shr rcx, way_log2 */
	emit8(w->h.out, way_log2);
	CODE(&w->h, "\x89\xc2\xc1\xea");	/* mov edx, eax; shr edx, line_log2 */
	emit8(w->h.out, d->cache.line_log2);
	CODE(&w->h, "\x81\xe2");		/* and edx, n_sets - 1 */
	emit32(w->h.out, d->cache.n_sets - 1);
	/* cmp rcx, [filter + rdx * 8] */
	CODE_AT(&w->h, "\x48\x3b\x8c\xd3", a->b & P5_ACT_WRITE ? d->write_filter : d->read_filter);
	jump_cold(w, c, JNE);
	if (r->align_mask) {
		CODE(&w->h, "\xa8"); /* test al, align_mask */
		emit8(w->h.out, r->align_mask);
		jump_cold(w, c, JNE);
	}
	if (asks_fill)
		write_filled(w, c, a->seen);
	write_page(w, c);
	come_back(w, c);
}

static void write_code(struct p5_jit_writer *w, unsigned at)
{
	const struct p5_act *a = &w->act[at];
	const struct p5_icache *i = &w->m->icache;
	const uint64_t unit = (uint64_t)((int64_t)a->seen >> 16), page = unit >> PAGE_LOG2;
	const uint64_t line = unit >> i->cache.line_log2;
	struct cold *c;

	if ((a->seen & 0xffff) != P5_SEEN_HIT || !is_imm32(line)) {
		write_in_full(w, at);
		w->knows_page = false;
		return;
	}
	if (!w->knows_page || w->page != page) {
		c = new_cold(w, COLD_LOOK, at);
		write_compare(w, &w->m->itlb.last_vpn, page);
		jump_cold(w, c, JNE);
	} else {
		c = NULL;
	}
	{
		struct cold *k = new_cold(w, COLD_LINE, at);

		k->line = line;
		write_compare(w, &i->filter[line & (i->cache.n_sets - 1)], line);
		jump_cold(w, k, JNE);
		come_back(w, k);
	}
	if (c)
		come_back(w, c);
	w->knows_page = true;
	w->page = page;
}

/* Bits of a line's marks that the boundaries `from` and those behind of the block in the same line are, and those of
 * them that are known by `seen`. Returns the number of the first that is in another line. */
static unsigned marks_of_line(const struct p5_jit_writer *w, unsigned from, uint64_t seen, uint32_t *all, uint32_t *known)
{
	const struct x86_block *b = w->x->code->block;
	const unsigned line_log2 = w->m->icache.cache.line_log2;
	const uint64_t line = (b->pc + b->insn[from].pc_off + b->insn[from].bytes - 1u) >> line_log2;
	unsigned i = from;

	*all = *known = 0;
	for (; i < b->n_insn; i++) {
		const uint64_t last = b->pc + b->insn[i].pc_off + b->insn[i].bytes - 1u;

		if (last >> line_log2 != line)
			break;
		*all |= 1u << (last & 31);
		*known |= seen >> i & 1 ? 1u << (last & 31) : 0;
	}
	return i;
}

/* eax = marks of the line, 0 when L1I does not have it. */
static void write_marks_of(struct p5_jit_writer *w, uint64_t line)
{
	uint32_t done[4];
	const unsigned ways = w->m->icache.cache.ways;

	for (unsigned way = 0; way < ways; way++) {
		uint32_t other;

		write_compare(w, line_of(w->m, line, way), line);
		other = JUMP(&w->h, JNE, 0);
		CODE_AT(&w->h, "\x8b\x83", marks_of(w->m, line, way)); /* mov eax, [marks] */
		done[way] = JUMP(&w->h, "\xe9", 0);
		hostcode_land(&w->h, other);
	}
	CODE(&w->h, "\x31\xc0"); /* xor eax, eax */
	for (unsigned way = 0; way < ways; way++)
		hostcode_land(&w->h, done[way]);
}

static void write_marks(struct p5_jit_writer *w, unsigned at)
{
	const struct x86_block *b = w->x->code->block;
	const unsigned line_log2 = w->m->icache.cache.line_log2;
	struct cold *c;

	if (!is_imm32((b->pc + 4096) >> line_log2)) {
		write_in_full(w, at);
		return;
	}
	c = new_cold(w, COLD_LOOK, at);
	for (unsigned i = 0; i < b->n_insn;) {
		const uint64_t last = b->pc + b->insn[i].pc_off + b->insn[i].bytes - 1u;
		uint32_t all, known;

		i = marks_of_line(w, i, w->act[at].seen, &all, &known);
		write_marks_of(w, last >> line_log2);
		CODE(&w->h, "\x25"); /* and eax, all */
		emit32(w->h.out, all);
		CODE(&w->h, "\x3d"); /* cmp eax, known */
		emit32(w->h.out, known);
		jump_cold(w, c, JNE);
	}
	come_back(w, c);
}

static uint64_t noted_byte(const struct p5_jit_writer *w, unsigned at)
{
	const struct x86_insn *n = &w->x->code->block->insn[w->act[at].a];

	return w->x->code->block->pc + n->pc_off + n->bytes - 1u;
}

/* Looks from `at` on that note boundaries in one line, at once. Returns the number of the last of them. */
static unsigned write_note(struct p5_jit_writer *w, unsigned at)
{
	const unsigned line_log2 = w->m->icache.cache.line_log2, ways = w->m->icache.cache.ways;
	const uint64_t line = noted_byte(w, at) >> line_log2;
	uint32_t bits = 1u << (noted_byte(w, at) & 31), done[4];

	if (!is_imm32(line)) {
		write_in_full(w, at);
		return at;
	}
	while (at + 1 < w->n_act && w->act[at + 1].kind == P5_ACT_NOTE && noted_byte(w, at + 1) >> line_log2 == line)
		bits |= 1u << (noted_byte(w, ++at) & 31);
	for (unsigned way = 0; way < ways; way++) {
		uint32_t other;

		write_compare(w, line_of(w->m, line, way), line);
		other = JUMP(&w->h, JNE, 0);
		CODE_IMM32(w, "\x81\x8b", marks_of(w->m, line, way), bits); /* or dword */
		done[way] = JUMP(&w->h, "\xe9", 0);
		hostcode_land(&w->h, other);
	}
	for (unsigned way = 0; way < ways; way++)
		hostcode_land(&w->h, done[way]);
	return at;
}

/* Nothing in the map of the BTB answers for a slot: key is known. */
static void write_map_bit(struct p5_jit_writer *w, struct cold *c, uint64_t key)
{
	const uint64_t k = key >> w->m->btb.key_shift;

	CODE_IMM8(w, "\xf6\x83", (const uint8_t *)w->m->btb.map + (k >> 3 & 511), 1u << (k & 7)); /* test byte */
	jump_cold(w, c, JNE);
}

/* The same by btb.prev_u. */
static void write_map_of_prev(struct p5_jit_writer *w, struct cold *c)
{
	CODE_AT(&w->h, "\x48\x8b\x83", &w->m->btb.prev_u);	/* mov rax, [prev_u] */
	if (w->m->btb.key_shift) {
		CODE(&w->h, "\x48\xc1\xe8");			/* shr rax, key_shift */
		emit8(w->h.out, w->m->btb.key_shift);
	}
	CODE(&w->h, "\x25\xff\x0f\x00\x00\x89\xc1\xc1\xe9\x03"); /* and eax, 4095; mov ecx, eax; shr ecx, 3 */
	CODE_AT(&w->h, "\x0f\xb6\x8c\x0b", w->m->btb.map);	/* movzx ecx, byte [map + rcx] */
	CODE(&w->h, "\x83\xe0\x07\x0f\xa3\xc1");		/* and eax, 7; bt ecx, eax */
	jump_cold(w, c, "\x0f\x82");				/* jc */
}

static void write_pass(struct p5_jit_writer *w, unsigned at)
{
	const struct p5_act *a = &w->act[at];
	const struct p5_btb *b = &w->m->btb;
	const uint64_t u_pc = w->x->code->block->pc + a->c;
	const unsigned n = b->is_pair ? 1 : 1 + (a->b & P5_ACT_WITH_V);
	struct cold *c = new_cold(w, COLD_LOOK, at);

	if (!b->is_pair) {
		emit_mov_imm64(w->h.out, 0, a->seen);
		CODE_AT(&w->h, "\x48\x85\x83", &b->map[a->b >> P5_ACT_WORD_SHIFT]); /* test [map], rax */
		jump_cold(w, c, JNE);
	} else if (b->is_by_pair && !w->knows_prev) {
		write_map_of_prev(w, c);
	} else {
		write_map_bit(w, c, b->is_by_pair ? w->prev_u : u_pc);
	}
	c->n_after += n;
	come_back(w, c);
	w->noted = (struct noted){true, a->b & P5_ACT_COULD_PAIR, w->noted.n + n, u_pc};
	w->knows_prev = true;
	w->prev_u = u_pc;
}

/* Data of the program. */
static void *new_data(struct p5_jit *j, size_t n)
{
	j->data_low -= (uint32_t)((n + 15) & ~(size_t)15);
	return j->memory + j->data_low;
}

static void write_slot(struct p5_jit_writer *w, unsigned at)
{
	struct p5_slot *s = new_data(&w->m->jit, sizeof(*s));
	const uint64_t seen = w->act[at].seen;
	struct cold *c;

	p5_memo_slot(w->x, &w->act[at], s);
	settle(w);
	CODE(&w->h, "\x48\x89\xdf");		   /* mov rdi, rbx */
	CODE_DATA(&w->h, "\x48\x8d\x35", s);	   /* lea rsi, [slot] */
	CODE_AT(&w->h, "\xff\x93", &w->m->jit.helper[P5_JIT_SLOT]); /* call */
	if (is_imm32(seen)) {
		CODE(&w->h, "\x48\x3d"); /* cmp rax, seen */
		emit32(w->h.out, (uint32_t)seen);
	} else {
		emit_mov_imm64(w->h.out, 1, seen);
		CODE(&w->h, "\x48\x39\xc8"); /* cmp rax, rcx */
	}
	c = new_cold(w, COLD_SEEN, at);
	jump_cold(w, c, JNE);
	w->knows_prev = true;
	w->prev_u = s->u_pc;
}

static void write_bank(struct p5_jit_writer *w, unsigned at)
{
	const struct p5_act *a = &w->act[at];
	const struct x86_block *b = w->x->code->block;
	const struct p5_ref u = p5_compile_ref(w->m, b, &b->ref[a->a]), v = p5_compile_ref(w->m, b, &b->ref[a->b]);
	struct cold *c = new_cold(w, COLD_LOOK, at);

	write_address(w, &u, 0);
	write_address(w, &v, 2);
	CODE(&w->h, "\x31\xd0\xa8"); /* xor eax, edx; test al, bank */
	emit8(w->h.out, P5_BANK_MASK);
	jump_cold(w, c, a->seen ? JNE : JE);
	come_back(w, c);
}

/* Look `at`, or several from there on. Returns the number of the last. */
static unsigned write_look(struct p5_jit_writer *w, unsigned at)
{
	switch (w->act[at].kind) {
	case P5_ACT_DATA:
		write_data(w, at);
		return at;
	case P5_ACT_CODE:
		write_code(w, at);
		return at;
	case P5_ACT_MARKS:
		write_marks(w, at);
		return at;
	case P5_ACT_NOTE:
		return write_note(w, at);
	case P5_ACT_PASS:
		write_pass(w, at);
		return at;
	case P5_ACT_SLOT:
		write_slot(w, at);
		return at;
	case P5_ACT_BANK:
		write_bank(w, at);
		return at;
	default:
		write_in_full(w, at);
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

	settle(w);
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

void p5_jit_write_frame(struct p5 *m)
{
	struct p5_jit *j = &m->jit;
	struct hostcode h = {&j->out, m, false};
	uint32_t go;

	CODE(&h, "\x53\x55\x41\x54\x41\x55\x41\x56\x41\x57\x48\x83\xec\x08"); /* push rbx rbp r12-r15; sub rsp, 8 */
	CODE(&h, "\x48\x89\xfb\x49\x89\xf4\x49\x89\xd5"); /* mov rbx, rdi; mov r12, rsi; mov r13, rdx */
	CODE_DATA(&h, "\x4c\x8d\x3d", j->memory);	  /* lea r15, [the code] */
	CODE(&h, "\xff\xe1");				  /* jmp rcx */

	j->leave = j->out.off;
	CODE_AT(&h, "\x4c\x89\xa3", &j->at);		  /* mov [at], r12 */
	CODE(&h, "\x48\x83\xc4\x08\x41\x5f\x41\x5e\x41\x5d\x41\x5c\x5d\x5b\xc3");

	j->look = j->out.off; /* called; esi: number of the look */
	CODE(&h, "\x48\x83\xec\x08"); /* sub rsp, 8 */
	write_help(&h, m, P5_JIT_LOOK);
	CODE(&h, "\x48\x83\xc4\x08\x48\x85\xc0"); /* add rsp, 8; test rax, rax */
	go = JUMP(&h, JNE, 0);
	CODE(&h, "\xc3");
	hostcode_land(&h, go);
	CODE(&h, "\x48\x83\xc4\x08"); /* nobody returns */
	write_go(&h, m);

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
