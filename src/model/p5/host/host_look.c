/* host_look.c -- looks at data, code lines and boundaries as host code. */
#include "model/p5/host/host_write.h"

/* Where the record has the value of a slot. */
static struct x86_operand value_of(unsigned slot)
{
	return MEM(R12, 4 + 8 * slot);
}

/* reg = linear address of r; changes rcx */
static void write_address(struct p5_host_writer *w, const struct p5_ref *r, struct x86_operand reg)
{
	struct x86_asm *a = &w->a;
	uint64_t disp = r->disp;

	if (r->slot != P5_NO_SLOT) {
		x86_mov(a, reg, value_of(r->slot));
	} else {
		x86_value(a, reg, disp);
		disp = 0;
	}
	if (r->slot2 != P5_NO_SLOT) {
		x86_mov(a, RCX, value_of(r->slot2));
		x86_lea(a, reg, MEM_X(reg, RCX, 1u << r->shift, 0));
	}
	if (disp && p5_is_imm32(disp)) {
		x86_lea(a, reg, MEM(reg, (int64_t)disp));
	} else if (disp) {
		x86_mov(a, RCX, IMM(disp));
		x86_lea(a, reg, MEM_X(reg, RCX, 1, 0));
	}
	if (r->has_fs)
		x86_add(a, reg, NEAR(a, &w->m->seg.fs_base));
}

/* ---- data ------------------------------------------------------------------------------------ */

/* The line of the address in rax is the one that came in last, and these 8 bytes of it are
 * wanted. */
static void write_filled(struct p5_host_writer *w, struct p5_cold *c, uint64_t seen)
{
	struct x86_asm *a = &w->a;
	const struct p5_dcache *d = &w->m->dcache;

	x86_mov(a, RCX, RAX);
	x86_shr(a, RCX, d->cache.line_log2);
	x86_cmp(a, RCX, NEAR(a, &d->filled_line));
	p5_write_jcc_cold(w, c, X86_CC_NE);
	x86_mov(a, ECX, EAX);
	x86_shr(a, ECX, 3); /* of 8 bytes */
	x86_xor(a, CL, NEAR(a, &d->filled_first));
	x86_and(a, ECX, IMM(3));
	x86_cmp(a, ECX, IMM(seen >> P5_SEEN_CHUNK_SHIFT & 3));
	p5_write_jcc_cold(w, c, X86_CC_NE);
}

/* An access as its helper wants it (enum p5_host_access); false: it cannot be said so. */
static bool is_said(const struct p5_host_writer *w, unsigned at, uint32_t *what)
{
	const struct p5_act *act = &w->act[at];
	const struct p5_ref *r = &w->x->code->ref[act->a];
	const struct p5_look k = p5_memo_access(act);

	*what = r->bytes | (k.is_write ? P5_HOST_WRITE : 0u) |
		(k.asks_fill ? P5_HOST_ASKS_FILL : 0u) | (k.is_second_half ? P5_HOST_HALF : 0u) |
		(r->is_locked ? P5_HOST_LOCKED : 0u) | (r->is_mmx ? P5_HOST_MMX : 0u) |
		(r->is_fst ? P5_HOST_FST : 0u) | (uint32_t)k.part << P5_HOST_PART_SHIFT |
		(r->is_fast && !k.is_second_half && !k.part ? P5_HOST_IN_LINE : 0u) |
		(uint32_t)r->align_mask << P5_HOST_ALIGN_SHIFT;
	return r->bytes <= P5_HOST_BYTES_MASK && k.part <= 127;
}

void p5_write_data(struct p5_host_writer *w, unsigned at)
{
	struct x86_asm *a = &w->a;
	const struct p5_act *act = &w->act[at];
	const struct p5_ref *r = &w->x->code->ref[act->a];
	const unsigned kind = act->seen & P5_SEEN_KIND;
	const bool asks_fill = act->b & P5_ACT_ASKS_FILL;
	struct p5_cold *c = p5_write_new_cold(w, P5_COLD_DATA, at);
	bool is_other_line;

	w->a.is_bad |= !is_said(w, at, &c->what);
	write_address(w, r, RAX);
	if (!r->is_fast || act->b & P5_ACT_HALF || act->seen >> (P5_SEEN_CHUNK_SHIFT + 2) ||
	    (kind != P5_SEEN_HIT && (kind != P5_SEEN_FILLING || !asks_fill))) {
		p5_write_ask(w, c);
		return;
	}
	if (r->align_mask) {
		x86_test(a, AL, IMM(r->align_mask));
		p5_write_jcc_cold(w, c, X86_CC_NE);
	}
	is_other_line = asks_fill && act->seen == P5_SEEN_HIT;
	x86_call_to(a, act->b & P5_ACT_WRITE ? w->m->host.write[is_other_line]
					     : w->m->host.read[is_other_line]);
	p5_write_jcc_cold(w, c, X86_CC_NE);
	if (asks_fill && !is_other_line)
		write_filled(w, c, act->seen);
	p5_write_come_back(w, c);
}

/* ---- code ------------------------------------------------------------------------------------ */

void p5_write_code(struct p5_host_writer *w, unsigned at)
{
	struct x86_asm *a = &w->a;
	const struct p5_act *act = &w->act[at];
	const struct p5_icache *i = &w->m->icache;
	const uint64_t unit = (uint64_t)((int64_t)act->seen >> 16), page = unit >> PAGE_LOG2;
	const uint64_t line = unit >> i->cache.line_log2;
	struct p5_cold *of_page = NULL, *of_line = p5_write_new_cold(w, P5_COLD_CODE, at);

	of_line->from = unit;
	of_line->to = unit + act->b;
	if ((act->seen & 0xffff) != P5_SEEN_HIT || !p5_is_imm32(line)) {
		p5_write_ask(w, of_line);
		w->knows_page = true;
		w->page = page;
		return;
	}
	if (!w->knows_page || w->page != page) {
		of_page = p5_write_new_cold(w, P5_COLD_CODE, at);
		*of_page = *of_line;
		x86_cmp(a, QWORD(NEAR(a, &w->m->itlb.last_vpn)), IMM(page));
		p5_write_jcc_cold(w, of_page, X86_CC_NE);
		of_page->part = w->m->host.page;
		of_page->number = (uint32_t)page;
		x86_land(a, &of_page->known);
	}
	x86_cmp(a, QWORD(NEAR(a, &i->filter[line & (i->cache.n_sets - 1)])), IMM(line));
	p5_write_jcc_cold(w, of_line, X86_CC_NE);
	of_line->part = w->m->host.line;
	of_line->number = (uint32_t)line;
	x86_land(a, &of_line->known);
	p5_write_come_back(w, of_line);
	if (of_page)
		p5_write_come_back(w, of_page);
	w->knows_page = true;
	w->page = page;
}

/* Bits of a line's marks that the boundaries `from` and those behind of the block in the same line
 * are, and those of them that are known by `seen`. Returns the number of the first that is in
 * another line. */
static unsigned marks_of_line(const struct p5_host_writer *w, unsigned from, uint64_t seen,
			      uint32_t *all, uint32_t *known)
{
	const struct x86_block *b = w->x->code->block;
	const unsigned line_log2 = w->m->icache.cache.line_log2;
	const uint64_t line =
	    (b->pc + b->insn[from].pc_off + b->insn[from].bytes - 1u) >> line_log2;
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

void p5_write_marks(struct p5_host_writer *w, unsigned at)
{
	struct x86_asm *a = &w->a;
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
		p5_write_call(w, w->m->host.marks, (uint32_t)(last >> line_log2));
		x86_and(a, EAX, IMM(all));
		x86_cmp(a, EAX, IMM(known));
		p5_write_jcc_cold(w, c, X86_CC_NE);
	}
	p5_write_come_back(w, c);
}

static uint64_t noted_byte(const struct p5_host_writer *w, unsigned at)
{
	unsigned bytes;
	const uint64_t pc = p5_memo_noted(w->x->code->block, &w->act[at], &bytes);

	return pc + bytes - 1u;
}

/* Does look `at` ask for this line of code? */
static bool is_code_of(const struct p5_host_writer *w, unsigned at, uint64_t line)
{
	const uint64_t unit = (uint64_t)((int64_t)w->act[at].seen >> 16);

	return w->act[at].kind == P5_ACT_CODE && unit >> w->m->icache.cache.line_log2 == line;
}

/* Look `at`, and all that note boundaries in the same line until that may come in anew. Nobody asks
 * for boundaries before the block is over, and whatever the looks between see, its other
 * instructions are decoded, too. */
void p5_write_note(struct p5_host_writer *w, unsigned at)
{
	struct x86_asm *a = &w->a;
	const unsigned line_log2 = w->m->icache.cache.line_log2;
	const uint64_t line = noted_byte(w, at) >> line_log2;
	uint32_t bits = 1u << (noted_byte(w, at) & 31);

	if (w->is_noted[at])
		return;
	if (!p5_is_imm32(line)) {
		p5_write_in_full(w, at);
		return;
	}
	for (unsigned k = at + 1; k < w->n_act && !is_code_of(w, k, line); k++) {
		if (w->act[k].kind != P5_ACT_NOTE || noted_byte(w, k) >> line_log2 != line)
			continue;
		bits |= 1u << (noted_byte(w, k) & 31);
		w->is_noted[k] = true;
	}
	x86_mov(a, ESI, IMM(bits));
	p5_write_call(w, w->m->host.note, (uint32_t)line);
}

void p5_write_bank(struct p5_host_writer *w, unsigned at)
{
	struct x86_asm *a = &w->a;
	const struct p5_act *act = &w->act[at];
	const struct x86_block *b = w->x->code->block;
	const struct p5_ref u = p5_compile_ref(w->m, b, &b->ref[act->a]),
			    v = p5_compile_ref(w->m, b, &b->ref[act->b]);
	struct p5_cold *c = p5_write_new_cold(w, P5_COLD_ANSWER, at);

	c->saw = !act->seen;
	write_address(w, &u, RAX);
	write_address(w, &v, RDX);
	x86_xor(a, EAX, EDX);
	x86_test(a, AL, IMM(P5_BANK_MASK));
	p5_write_jcc_cold(w, c, act->seen ? X86_CC_NE : X86_CC_E);
	p5_write_come_back(w, c);
}
