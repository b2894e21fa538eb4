/* jit_look.c -- looks at data, code lines and boundaries as host code. */
#include "model/p5/jit_write.h"

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
	if (disp && p5_is_imm32(disp)) {
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

static const uint64_t *line_of(const struct p5 *m, uint64_t line, unsigned way)
{
	return &m->icache.line_of[(line & (m->icache.cache.n_sets - 1)) * m->icache.cache.ways + way];
}

static uint32_t *marks_of(const struct p5 *m, uint64_t line, unsigned way)
{
	return &m->icache.marks[(line & (m->icache.cache.n_sets - 1)) * m->icache.cache.ways + way];
}

/* The line is in L1I, in another way: its use is noted. */
void p5_write_other_way(struct p5_jit_writer *w, const struct p5_cold *c)
{
	const struct cache *k = &w->m->icache.cache;
	const uint32_t set = (uint32_t)(c->number & (k->n_sets - 1));
	uint64_t *order = &cache_meta(k, set)->order;

	for (unsigned way = 0; !k->repl.is_lru && way < k->ways; way++) {
		const unsigned away = (unsigned)repl_touch(&k->repl, 0, way) & 0xff;
		const unsigned keep = (unsigned)repl_touch(&k->repl, 0xff, way) & 0xff & ~away;
		uint32_t other;

		p5_write_compare(w, line_of(w->m, c->number, way), c->number);
		other = JUMP(&w->h, JNE, 0);
		CODE_IMM8(w, "\x80\xa3", order, keep | away); /* and byte */
		CODE_IMM8(w, "\x80\x8b", order, away);	       /* or byte */
		CODE_IMM32(w, "\x48\xc7\x83", &w->m->icache.filter[set], (uint32_t)c->number); /* mov qword */
		emit_jump(w->h.out, c->back);
		hostcode_land(&w->h, other);
	}
}

/* ---- looks ----------------------------------------------------------------------------------------------------- */

/* The page of the address in rax is that used last, or known again. has_number: rcx is its number. */
static void write_page(struct p5_jit_writer *w, struct p5_cold *c, bool has_number)
{
	struct p5_dtlb *t = &w->m->dtlb;

	if (!has_number)
		CODE(&w->h, "\x48\x89\xc1\x48\xc1\xe9\x0c"); /* mov rcx, rax; shr rcx, 12 */
	if (!t->is_full) {
		CODE(&w->h, "\x89\xca\x83\xe2"); /* mov edx, ecx; and edx, set_mask */
		emit8(w->h.out, t->set_mask);
		CODE_AT(&w->h, "\x48\x3b\x8c\xd3", t->filter); /* cmp rcx, [filter + rdx * 8] */
		p5_write_jump_cold(w, c, JNE);
		return;
	}
	_Static_assert(sizeof(t->full.entry[0]) == 16 && FULLTLB_HINTS == 256, "entries as found here");
	CODE_AT(&w->h, "\x0f\xb6\xd1\x0f\xb6\x94\x13", t->full.hint); /* movzx edx, cl; movzx edx, byte [hint + rdx] */
	CODE(&w->h, "\x89\xd6\xc1\xe6\x04");		/* mov esi, edx; shl esi, 4 */
	CODE_AT(&w->h, "\x48\x3b\x8c\x33", &t->full.entry[0].key); /* cmp rcx, [key + rsi] */
	p5_write_jump_cold(w, c, JNE);
	CODE_AT(&w->h, "\x48\x8b\x8b", &t->full.now);	/* mov rcx, [now] */
	CODE(&w->h, "\x48\xff\xc1");			/* inc rcx */
	CODE_AT(&w->h, "\x48\x89\x8b", &t->full.now);	/* mov [now], rcx */
	CODE_AT(&w->h, "\x48\x89\x8c\xd3", t->full.used); /* mov [used + rdx * 8], rcx */
}

/* The line of the address in rax is, or is not, the one that came in last. */
static void write_filled(struct p5_jit_writer *w, struct p5_cold *c, uint64_t seen)
{
	const struct p5_dcache *d = &w->m->dcache;

	CODE(&w->h, "\x48\x89\xc1\x48\xc1\xe9"); /* mov rcx, rax; shr rcx, line_log2 */
	emit8(w->h.out, d->cache.line_log2);
	CODE_AT(&w->h, "\x48\x3b\x8b", &d->filled_line); /* cmp rcx, [filled_line] */
	if (seen == P5_SEEN_HIT) {
		p5_write_jump_cold(w, c, JE);
		return;
	}
	p5_write_jump_cold(w, c, JNE);
	CODE(&w->h, "\x89\xc1\xc1\xe9\x03");		/* mov ecx, eax; shr ecx, 3 */
	CODE_AT(&w->h, "\x32\x8b", &d->filled_first);	/* xor cl, [filled_first] */
	CODE(&w->h, "\x83\xe1\x03\x83\xf9");		/* and ecx, 3; cmp ecx, chunk */
	emit8(w->h.out, (unsigned)(seen >> P5_SEEN_CHUNK_SHIFT) & 3);
	p5_write_jump_cold(w, c, JNE);
}

static struct p5_jit_access *new_access(struct p5_jit_writer *w, unsigned at)
{
	struct p5_jit_access *n = p5_jit_data(&w->m->jit, sizeof(*n));
	const struct p5_act *a = &w->act[at];
	const struct p5_ref *r = &w->x->code->ref[a->a];

	n->op = (struct p5_operand){r->bytes, r->access, r->is_locked, r->is_mmx, r->is_fst};
	n->look = p5_memo_access(a);
	n->align_mask = r->align_mask;
	n->is_in_line = r->is_quick && !n->look.is_second_half && !n->look.part;
	n->at = at;
	n->seen = a->seen;
	return n;
}

void p5_write_data(struct p5_jit_writer *w, unsigned at)
{
	const struct p5_act *a = &w->act[at];
	const struct p5_ref *r = &w->x->code->ref[a->a];
	const struct p5_dcache *d = &w->m->dcache;
	const unsigned way_log2 = cache_way_log2(&d->cache), kind = a->seen & P5_SEEN_KIND;
	const bool asks_fill = a->b & P5_ACT_ASKS_FILL;
	struct p5_cold *c;

	if (!r->is_quick || a->b & P5_ACT_HALF || a->seen >> (P5_SEEN_CHUNK_SHIFT + 2) ||
	    (kind != P5_SEEN_HIT && (kind != P5_SEEN_FILLING || !asks_fill))) {
		p5_write_settle(w);
		write_address(w, r, 0);
		p5_write_access(w, new_access(w, at));
		return;
	}
	c = p5_write_new_cold(w, P5_COLD_DATA, at);
	c->data = new_access(w, at);
	write_address(w, r, 0);
	CODE(&w->h, "\x48\x89\xc1\x48\xc1\xe9"); /* mov rcx, rax; shr rcx, way_log2 */
	emit8(w->h.out, way_log2);
	CODE(&w->h, "\x89\xc2\xc1\xea");	/* mov edx, eax; shr edx, line_log2 */
	emit8(w->h.out, d->cache.line_log2);
	CODE(&w->h, "\x81\xe2");		/* and edx, n_sets - 1 */
	emit32(w->h.out, d->cache.n_sets - 1);
	/* cmp rcx, [filter + rdx * 8] */
	CODE_AT(&w->h, "\x48\x3b\x8c\xd3", a->b & P5_ACT_WRITE ? d->write_filter : d->read_filter);
	p5_write_jump_cold(w, c, JNE);
	if (r->align_mask) {
		CODE(&w->h, "\xa8"); /* test al, align_mask */
		emit8(w->h.out, r->align_mask);
		p5_write_jump_cold(w, c, JNE);
	}
	if (asks_fill)
		write_filled(w, c, a->seen);
	write_page(w, c, way_log2 == PAGE_LOG2 && !asks_fill);
	p5_write_come_back(w, c);
}

/* ---- code ----------------------------------------------------------------------------------------------------- */

void p5_write_other_page(struct p5_jit_writer *w, const struct p5_cold *c)
{
	struct p5_itlb *t = &w->m->itlb;
	const unsigned ways = t->sets.ways;
	const uint32_t set = t->is_full ? 0 : (uint32_t)(c->number & (t->sets.n_sets - 1));

	for (unsigned way = 0; !t->is_full && !t->sets.repl.is_lru && ways <= 8 && way < ways; way++) {
		const struct page *e = &t->sets.entry[(size_t)set * ways + way];
		const unsigned away = (unsigned)repl_touch(&t->sets.repl, 0, way) & 0xff;
		const unsigned keep = (unsigned)repl_touch(&t->sets.repl, 0xff, way) & 0xff & ~away;
		uint32_t other;

		p5_write_compare(w, &e->key, c->number);
		other = JUMP(&w->h, JNE, 0);
		CODE_IMM8(w, "\x80\xa3", &t->sets.order[set], keep | away); /* and byte */
		CODE_IMM8(w, "\x80\x8b", &t->sets.order[set], away);	     /* or byte */
		CODE_AT(&w->h, "\x48\x8b\x83", &e->id);			     /* mov rax, [id and colour] */
		CODE_AT(&w->h, "\x48\x89\x83", &t->last_id);		     /* mov [last_id and last_colour], rax */
		CODE_IMM32(w, "\x48\xc7\x83", &t->last_vpn, (uint32_t)c->number); /* mov qword */
		emit_jump(w->h.out, c->known);
		hostcode_land(&w->h, other);
	}
	if (t->is_full) {
		uint32_t other;

		CODE_AT(&w->h, "\x0f\xb6\x93", &t->full.hint[c->number & (FULLTLB_HINTS - 1)]); /* movzx edx, byte [hint] */
		CODE(&w->h, "\x89\xd6\xc1\xe6\x04");			  /* mov esi, edx; shl esi, 4 */
		CODE_IMM32(w, "\x48\x81\xbc\x33", &t->full.entry[0].key, (uint32_t)c->number); /* cmp qword [key + rsi] */
		other = JUMP(&w->h, JNE, 0);
		CODE_AT(&w->h, "\x48\x8b\x8b", &t->full.now);	  /* mov rcx, [now] */
		CODE(&w->h, "\x48\xff\xc1");			  /* inc rcx */
		CODE_AT(&w->h, "\x48\x89\x8b", &t->full.now);	  /* mov [now], rcx */
		CODE_AT(&w->h, "\x48\x89\x8c\xd3", t->full.used); /* mov [used + rdx * 8], rcx */
		CODE_AT(&w->h, "\x48\x8b\x84\x33", &t->full.entry[0].id); /* mov rax, [id and colour + rsi] */
		CODE_AT(&w->h, "\x48\x89\x83", &t->last_id);	  /* mov [last_id and last_colour], rax */
		CODE_IMM32(w, "\x48\xc7\x83", &t->last_vpn, (uint32_t)c->number); /* mov qword */
		emit_jump(w->h.out, c->known);
		hostcode_land(&w->h, other);
	}
}
_Static_assert(offsetof(struct page, colour) == offsetof(struct page, id) + 4 &&
		   offsetof(struct p5_itlb, last_colour) == offsetof(struct p5_itlb, last_id) + 4,
	       "as emitted");

void p5_write_code(struct p5_jit_writer *w, unsigned at)
{
	const struct p5_act *a = &w->act[at];
	const struct p5_icache *i = &w->m->icache;
	const uint64_t unit = (uint64_t)((int64_t)a->seen >> 16), page = unit >> PAGE_LOG2;
	const uint64_t line = unit >> i->cache.line_log2;
	struct p5_cold *of_page = NULL, *of_line;

	if ((a->seen & 0xffff) != P5_SEEN_HIT || !p5_is_imm32(line)) {
		p5_write_in_full(w, at);
		w->knows_page = false;
		return;
	}
	if (!w->knows_page || w->page != page) {
		of_page = p5_write_new_cold(w, P5_COLD_PAGE, at);
		of_page->number = page;
		p5_write_compare(w, &w->m->itlb.last_vpn, page);
		p5_write_jump_cold(w, of_page, JNE);
		of_page->known = w->h.out->off;
	}
	of_line = p5_write_new_cold(w, P5_COLD_LINE, at);
	of_line->number = line;
	p5_write_compare(w, &i->filter[line & (i->cache.n_sets - 1)], line);
	p5_write_jump_cold(w, of_line, JNE);
	p5_write_come_back(w, of_line);
	if (of_page)
		p5_write_come_back(w, of_page);
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

		p5_write_compare(w, line_of(w->m, line, way), line);
		other = JUMP(&w->h, JNE, 0);
		CODE_AT(&w->h, "\x8b\x83", marks_of(w->m, line, way)); /* mov eax, [marks] */
		done[way] = JUMP(&w->h, "\xe9", 0);
		hostcode_land(&w->h, other);
	}
	CODE(&w->h, "\x31\xc0"); /* xor eax, eax */
	for (unsigned way = 0; way < ways; way++)
		hostcode_land(&w->h, done[way]);
}

void p5_write_marks(struct p5_jit_writer *w, unsigned at)
{
	const struct x86_block *b = w->x->code->block;
	const unsigned line_log2 = w->m->icache.cache.line_log2;
	struct p5_cold *c;

	if (!p5_is_imm32((b->pc + 4096) >> line_log2)) {
		p5_write_in_full(w, at);
		return;
	}
	c = p5_write_new_cold(w, P5_COLD_LOOK, at);
	for (unsigned i = 0; i < b->n_insn;) {
		const uint64_t last = b->pc + b->insn[i].pc_off + b->insn[i].bytes - 1u;
		uint32_t all, known;

		i = marks_of_line(w, i, w->act[at].seen, &all, &known);
		write_marks_of(w, last >> line_log2);
		CODE(&w->h, "\x25"); /* and eax, all */
		emit32(w->h.out, all);
		CODE(&w->h, "\x3d"); /* cmp eax, known */
		emit32(w->h.out, known);
		p5_write_jump_cold(w, c, JNE);
	}
	p5_write_come_back(w, c);
}

static uint64_t noted_byte(const struct p5_jit_writer *w, unsigned at)
{
	const struct x86_insn *n = &w->x->code->block->insn[w->act[at].a];

	return w->x->code->block->pc + n->pc_off + n->bytes - 1u;
}

/* Looks from `at` on that note boundaries in one line, at once. Returns the number of the last of them. */
unsigned p5_write_note(struct p5_jit_writer *w, unsigned at)
{
	const unsigned line_log2 = w->m->icache.cache.line_log2, ways = w->m->icache.cache.ways;
	const uint64_t line = noted_byte(w, at) >> line_log2;
	uint32_t bits = 1u << (noted_byte(w, at) & 31), done[4];

	if (!p5_is_imm32(line)) {
		p5_write_in_full(w, at);
		return at;
	}
	while (at + 1 < w->n_act && w->act[at + 1].kind == P5_ACT_NOTE && noted_byte(w, at + 1) >> line_log2 == line)
		bits |= 1u << (noted_byte(w, ++at) & 31);
	for (unsigned way = 0; way < ways; way++) {
		uint32_t other;

		p5_write_compare(w, line_of(w->m, line, way), line);
		other = JUMP(&w->h, JNE, 0);
		CODE_IMM32(w, "\x81\x8b", marks_of(w->m, line, way), bits); /* or dword */
		done[way] = JUMP(&w->h, "\xe9", 0);
		hostcode_land(&w->h, other);
	}
	for (unsigned way = 0; way < ways; way++)
		hostcode_land(&w->h, done[way]);
	return at;
}

void p5_write_bank(struct p5_jit_writer *w, unsigned at)
{
	const struct p5_act *a = &w->act[at];
	const struct x86_block *b = w->x->code->block;
	const struct p5_ref u = p5_compile_ref(w->m, b, &b->ref[a->a]), v = p5_compile_ref(w->m, b, &b->ref[a->b]);
	struct p5_cold *c = p5_write_new_cold(w, P5_COLD_LOOK, at);

	write_address(w, &u, 0);
	write_address(w, &v, 2);
	CODE(&w->h, "\x31\xd0\xa8"); /* xor eax, edx; test al, bank */
	emit8(w->h.out, P5_BANK_MASK);
	p5_write_jump_cold(w, c, a->seen ? JNE : JE);
	p5_write_come_back(w, c);
}
