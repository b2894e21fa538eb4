/* retire_uops.c -- unit retire: micro-ops per instruction.
 *
 * COUNTING RULES   the row of catalog/p6/uops.tsv for the mnemonic and its operands; for
 *                  instructions that the P6 never had, the nearest class of catalog/p6/nearest.tsv.
 *                  REP forms depend on the count and are added when they run (strings.c); at least
 *                  one micro-op.
 * NOT MODELLED     the data-dependent part of transcendental x87 instructions and CPUID: the
 *                  table's number holds for all.
 * SOURCES          catalog/p6/uops.tsv, a source per row.
 */
#include "model/p6/p6.h"
#include "model/p6/units/retire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FORM_BYTES 48

/* One instruction form whose micro-ops were looked up. */
struct p6_form {
	uint64_t key; /* see form_key(); 0 = free */
	uint16_t uops;
	uint16_t p0123;
	struct p6_split split;
	struct cat_p6_timing timing;
};

/* Everything that the table distinguishes: mnemonic, operand kinds and sizes, LOCK, POP to SP, far
 * transfers, shifts by one, the level of ENTER (of an immediate operand, `reg`). Bit 18 is always
 * set, so that no key is 0. */
static uint64_t form_key(const struct x86_insn *n)
{
	uint64_t key = n->mnemonic | (uint64_t)((n->flags & X86_I_LOCK) != 0) << 16 |
		       (uint64_t)((n->flags & X86_I_STRING) != 0) << 17 | 1ull << 18 |
		       (uint64_t)((n->flags & X86_I_FAR) != 0) << 20 |
		       (uint64_t)((n->flags & X86_I_BY_ONE) != 0) << 21;

	if (n->n_op == 2 && n->op[1].kind == X86_OP_IMM)
		key |= (uint64_t)n->op[1].reg << 56;
	if (n->n_op == 1 && n->op[0].kind == X86_OP_GPR && n->op[0].reg == 4)
		key |= 1ull << 19;
	for (unsigned i = 0; i < n->n_op && i < X86_MAX_OPS; i++) {
		unsigned size =
		    n->op[i].bytes ? 1 + (unsigned)(31 - __builtin_clz(n->op[i].bytes)) : 0;

		if (n->op[i].bytes == 10)
			size = 15;
		key |= (uint64_t)((n->op[i].kind & 15) | (size & 15) << 4) << (24 + 8 * i);
	}
	return key;
}

static char letter_of(unsigned kind)
{
	switch (kind) {
	case X86_OP_GPR: return 'r';
	case X86_OP_SEG: return 's';
	case X86_OP_X87: return 'f';
	case X86_OP_MMX: return 'q';
	case X86_OP_XMM: return 'x';
	case X86_OP_YMM: return 'y';
	case X86_OP_ZMM: return 'z';
	case X86_OP_MASK: return 'k';
	case X86_OP_CR: return 'c';
	case X86_OP_MEM: return 'm';
	default: return 'i';
	}
}

static uint16_t vector_bits(unsigned kind)
{
	switch (kind) {
	case X86_OP_MMX: return 64;
	case X86_OP_XMM: return 128;
	case X86_OP_YMM: return 256;
	case X86_OP_ZMM: return 512;
	default: return 0;
	}
}

/* What is known of the ports of a row that counts as often as its micro-ops say. */
static void split(const struct cat_uops *row, const struct cat_uops_count *count,
		  struct p6_split *s)
{
	unsigned sum, times;

	*s = (struct p6_split){.uops = count->uops};
	if (!row || !row->uops)
		return;
	sum = row->p0 + row->p1 + row->p01 + row->p2 + row->p3 + row->p4;
	if (sum != row->uops)
		return;
	times = count->uops / row->uops;
	s->is_known = true;
	s->p0 = (uint16_t)(row->p0 * times);
	s->p1 = (uint16_t)(row->p1 * times);
	s->p01 = (uint16_t)(row->p01 * times);
	s->p2 = (uint16_t)(row->p2 * times);
	s->p3 = (uint16_t)(row->p3 * times);
	s->p4 = (uint16_t)(row->p4 * times);
}

static void look_up(const struct p6 *m, const struct x86_insn *n, const char *name,
		    struct p6_form *f)
{
	char sized[FORM_BYTES] = "", plain[FORM_BYTES] = "", far[FORM_BYTES];
	const unsigned n_op = n->n_op - (n->flags & X86_I_BY_ONE && n->n_op > 1);
	struct cat_uops_form form = {n->flags & X86_I_FAR ? far : name, sized, plain, 0,
				     (n->flags & X86_I_LOCK) != 0};
	struct cat_uops_count count;
	const struct cat_uops *row;
	size_t s = 0, p = 0;

	snprintf(far, sizeof(far), "%s_far", name);
	for (unsigned i = 0; i < n_op && i < X86_MAX_OPS; i++) {
		char c = letter_of(n->op[i].kind);
		uint16_t bits = vector_bits(n->op[i].kind);

		s += (size_t)snprintf(sized + s, sizeof(sized) - s,
				      c == 'r' || c == 'm' ? "%s%c%u" : "%s%c", i ? "," : "", c,
				      n->op[i].bytes * 8u);
		p += (size_t)snprintf(plain + p, sizeof(plain) - p, "%s%c", i ? "," : "", c);
		if (bits > form.vector_bits)
			form.vector_bits = bits;
	}
	if (!strcmp(name, "pop") && n->n_op == 1 && n->op[0].kind == X86_OP_GPR &&
	    n->op[0].reg == 4)
		strcpy(sized, "sp");
	if (n->n_op == 2 && n->op[1].kind == X86_OP_IMM && n->op[1].reg)
		strcpy(sized, "level");
	cat_count_uops(m->retire.uops, &form, &count);
	row = count.row;
	if (n->n_op == 2 && n->op[1].kind == X86_OP_IMM)
		count.uops = (uint16_t)(count.uops + count.per_item_x2 * n->op[1].reg / 2);
	f->uops = count.uops;
	f->p0123 = count.uops;
	split(row, &count, &f->split);
	*strchrnul(sized, ',') = 0;
	f->timing = cat_p6_timing_of(row ? row->mnemonic : name, sized, plain);
	if (row && row->p0 + row->p1 + row->p01 + row->p2 + row->p3 + row->p4 == row->uops &&
	    row->p4 < count.uops)
		f->p0123 = (uint16_t)(count.uops - row->p4);
}

/* The slot of `key` in the table of forms, found or free. NULL when memory is out. It holds until
 * the next call, which may move the table. At most half of the slots are in use: in a full table
 * the search for a new key would not end. */
static struct p6_form *find_form(struct p6 *m, uint64_t key)
{
	uint32_t at;

	if (m->retire.n_form >= m->retire.form_slots / 2) {
		uint32_t n_old = m->retire.form_slots, n = n_old ? 2 * n_old : 1024;
		struct p6_form *old = m->retire.form, *form = calloc(n, sizeof(*form));

		if (!form)
			return NULL;
		m->retire.form = form;
		m->retire.form_slots = n;
		m->retire.n_form = 0;
		for (uint32_t i = 0; i < n_old; i++)
			if (old[i].key)
				*find_form(m, old[i].key) = old[i], m->retire.n_form++;
		free(old);
	}
	at = (uint32_t)((key * 0x9e3779b97f4a7c15ull) >> 40) & (m->retire.form_slots - 1);
	while (m->retire.form[at].key && m->retire.form[at].key != key)
		at = (at + 1) & (m->retire.form_slots - 1);
	return &m->retire.form[at];
}

/* The form of n, looked up when it is new; NULL when memory is out. */
static const struct p6_form *form_of(struct p6 *m, const struct x86_insn *n)
{
	const uint64_t key = form_key(n);
	struct p6_form *f = find_form(m, key);
	const struct p6_mnemonic *mn = p6_mnemonic(m, n->mnemonic);

	if (!f || !mn)
		return NULL;
	if (!f->key) {
		look_up(m, n, mn->name, f);
		f->key = key;
		m->retire.n_form++;
	}
	return f;
}

unsigned p6_uops(struct p6 *m, const struct x86_insn *n, unsigned *p0123)
{
	const struct p6_form *f;

	*p0123 = 0;
	if (n->flags & X86_I_REP)
		return 0;
	f = form_of(m, n);
	if (!f)
		return 1;
	*p0123 = f->p0123;
	return f->uops;
}

void p6_uops_split(struct p6 *m, const struct x86_insn *n, struct p6_split *s,
		   struct cat_p6_timing *timing)
{
	const struct p6_form *f = n->flags & X86_I_REP ? NULL : form_of(m, n);

	*s = f ? f->split : (struct p6_split){.uops = 1};
	*timing = f ? f->timing : (struct cat_p6_timing){"", "", 1, 1, CAT_P6_NO_UNIT, ""};
}

uint64_t p6_uops_rep(const struct p6 *m, const char *name, uint64_t n, unsigned bytes, bool is_fast)
{
	char rep[FORM_BYTES];
	const struct cat_uops *row;
	uint64_t uops;

	/* movsb, movsd ... -> rep_movs */
	snprintf(rep, sizeof(rep), "rep_%.4s", name);
	row = cat_find_uops(m->retire.uops, rep, is_fast ? "fast" : "slow", "");
	if (!row)
		return 1;
	if (is_fast && bytes == 8) /* the P6 had none: as twice as many of 4 bytes */
		n *= 2;
	uops = row->uops + row->per_item_x2 * n / 2;
	return uops ? uops : 1;
}

uint64_t p6_uops_copied(const struct p6 *m, const char *name, uint64_t n, unsigned bytes)
{
	const uint64_t all = p6_uops_rep(m, name, n, bytes, true),
		       beginning = p6_uops_rep(m, name, 0, bytes, true);

	return all > beginning ? all - beginning : 0;
}
