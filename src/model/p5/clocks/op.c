/* op.c -- instructions as the pipes see them, compiled per block when clocks are counted.
 *
 * COUNTING RULES   clocks, overlap and the way of pairing are the row of catalog/p5/timing.tsv;
 *                  registers, prefixes and lengths are those of the encoding. REX and VEX prefixes,
 *                  which the P5 had not, cost nothing and make nothing longer. A prefix byte costs
 *                  one clock of D1 on the Pentium, 0FH one more except in front of Jcc; on the
 *                  Pentium with MMX 66H and 67H two clocks of F and the others one, 0FH none.
 * MODELLED         displacement together with an immediate: never pairs on the Pentium, in U on the
 *                  Pentium with MMX. A prefixed instruction pairs in U only; on the Pentium with
 *                  MMX one with 66H, 67H or 0FH in V, too. MOV from the accumulator to an absolute
 *                  address pairs as if it wrote the accumulator. Implicit changes of the stack
 *                  pointer delay no address, those of RET n do.
 * NOT MODELLED     clocks that depend on operand values (BSF, FPREM ...): the row's middle.
 * SOURCES          Agner Fog; Intel 242816-003 (1997) 3.6 to 3.10; Intel 241428 (1997) chapter 2.
 */
#include "model/p5/p5.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/record.h"
#include "x86/facts.h"

#define FORM_BYTES 48
#define SP	   (1u << 4)
#define AX	   1u

/* Operands as timing.tsv spells them. */
struct form {
	char special[FORM_BYTES], sized[FORM_BYTES], plain[FORM_BYTES];
	unsigned vector_bits;
};

static char letter_of(unsigned kind)
{
	static const char letter[] = {
	    [X86_OP_GPR] = 'r', [X86_OP_SEG] = 's', [X86_OP_X87] = 'f', [X86_OP_MMX] = 'q',
	    [X86_OP_XMM] = 'x', [X86_OP_YMM] = 'y', [X86_OP_ZMM] = 'z', [X86_OP_MASK] = 'k',
	    [X86_OP_CR] = 'c',	[X86_OP_MEM] = 'm', [X86_OP_IMM] = 'i'};

	return kind < sizeof(letter) && letter[kind] ? letter[kind] : 'i';
}

/* Is it a shift or rotate of opcode group 2? */
static bool is_group2(const struct x86_facts *f)
{
	return f->map == X86_MAP_ONE && ((f->opcode & 0xfe) == 0xc0 || (f->opcode & 0xfc) == 0xd0);
}

/* What tells forms apart beyond kinds and sizes of operands. */
static void spell_special(struct form *o, const struct x86_insn *n, const struct x86_facts *f)
{
	const bool is_one = f->map == X86_MAP_ONE;
	const char *dst = n->n_op && n->op[0].kind == X86_OP_MEM ? "m" : "r";

	if (is_group2(f) && (f->opcode & 0xfe) == 0xd0)
		snprintf(o->special, sizeof(o->special), "%s,1", dst);
	else if (is_group2(f) && (f->opcode & 0xfe) == 0xd2)
		snprintf(o->special, sizeof(o->special), "%s,c", dst);
	else if (is_one && (f->opcode & 0xfe) == 0xa8)
		strcpy(o->special, "a,i");
	else if (is_one && (f->opcode & 0xfe) == 0xa0)
		strcpy(o->special, "a,o");
	else if (is_one && (f->opcode & 0xfe) == 0xa2)
		strcpy(o->special, "o,a");
	else if (is_one && f->opcode > 0x90 && f->opcode < 0x98)
		strcpy(o->special, "a,r");
	else if (is_one && (f->opcode == 0x9a || f->opcode == 0xea || f->opcode == 0xcb ||
			    (f->opcode == 0xff && (f->reg == 3 || f->reg == 5))))
		strcpy(o->special, "far");
	else if (is_one && f->opcode == 0xca)
		strcpy(o->special, "far,i");
}

static void spell(struct form *o, const struct x86_insn *n, const struct x86_facts *f)
{
	static const uint16_t bits[] = {
	    [X86_OP_MMX] = 64, [X86_OP_XMM] = 128, [X86_OP_YMM] = 256, [X86_OP_ZMM] = 512};
	size_t s = 0, p = 0;

	memset(o, 0, sizeof(*o));
	for (unsigned i = 0; i < n->n_op && i < X86_MAX_OPS; i++) {
		const char c = letter_of(n->op[i].kind);
		const char *comma = i ? "," : "";

		s += (size_t)snprintf(o->sized + s, sizeof(o->sized) - s,
				      c == 'r' || c == 'm' ? "%s%c%u" : "%s%c", comma, c,
				      n->op[i].bytes * 8u);
		p += (size_t)snprintf(o->plain + p, sizeof(o->plain) - p, "%s%c", comma, c);
		if (n->op[i].kind < sizeof(bits) / sizeof(bits[0]) &&
		    bits[n->op[i].kind] > o->vector_bits)
			o->vector_bits = bits[n->op[i].kind];
	}
	spell_special(o, n, f);
	if (!*o->special)
		strcpy(o->special, o->sized);
}

static const struct cat_timing *row_of(const struct x86_insn *n, const struct x86_facts *f,
				       unsigned *parts)
{
	const char *name = x86_mnemonic_name(n->mnemonic);
	const struct cat_timing *row;
	char rep[16];
	struct form o;
	bool is_pattern;

	spell(&o, n, f);
	if (n->flags & X86_I_REP) { /* movsb, movsd ... -> rep_movs; insb -> rep_ins */
		const int length = (int)strlen(name) - 1;

		snprintf(rep, sizeof(rep), "rep_%.*s", length < 8 ? length : 8, name);
		name = rep;
	}
	row = cat_find_timing(name, o.special, o.sized, o.plain, &is_pattern);
	*parts =
	    row->part_bits && o.vector_bits > row->part_bits ? o.vector_bits / row->part_bits : 1;
	return row;
}

static uint8_t branch_kind(const struct x86_block *b, unsigned i, uint32_t kinds,
			   const struct x86_facts *f)
{
	if (i + 1u < b->n_insn)
		return P5_BR_NONE;
	switch (b->term) {
	case X86_TERM_JCC:
		return f->map == X86_MAP_ONE && (f->opcode & 0xfc) == 0xe0 ? P5_BR_LOOP : P5_BR_JCC;
	case X86_TERM_JMP: return P5_BR_JMP;
	case X86_TERM_CALL: return P5_BR_CALL;
	case X86_TERM_JMP_IND: return P5_BR_JMP_IND;
	case X86_TERM_CALL_IND: return P5_BR_CALL_IND;
	case X86_TERM_RET: return P5_BR_RET;
	case X86_TERM_SYSCALL: return P5_BR_STOP;
	default: break;
	}
	if (kinds & (P5_K_TRAP | P5_K_SERIAL))
		return P5_BR_STOP;
	return kinds & P5_K_TRANSFER ? P5_BR_FAR : P5_BR_NONE;
}

static unsigned bits_of(unsigned x)
{
	return (unsigned)__builtin_popcount(x);
}

static uint8_t decode_clk(const struct p5 *m, const struct x86_facts *f)
{
	const unsigned rex = f->prefixes & X86_PFX_REX && f->map != X86_MAP_OTHER;
	const unsigned n = f->n_prefix > rex ? f->n_prefix - rex : 0;
	const unsigned wide = bits_of(f->prefixes & (X86_PFX_66 | X86_PFX_67));

	if (f->map == X86_MAP_OTHER && f->prefixes & X86_PFX_REX)
		return 0;
	if (m->cpu->has_mmx)
		return (uint8_t)(n + wide);
	return (uint8_t)(n + (f->map != X86_MAP_ONE &&
			      (f->map != X86_MAP_0F || (f->opcode & 0xf0) != 0x80)));
}

/* Why op can not be the first, or the second, of a pair. */
static void pairing(const struct p5 *m, struct p5_op *op, const struct x86_facts *f)
{
	const unsigned length = m->cpu->has_mmx ? op->bare : op->bytes;
	const bool is_jcc = op->branch == P5_BR_JCC;
	const bool has_both = f->disp_bytes && f->imm_bytes && f->reg != 8;
	const uint8_t u_only = X86_PFX_SEG | X86_PFX_LOCK | X86_PFX_REP;

	switch (op->pair) {
	case CAT_PAIR_NONE:
		op->why_u = P5_WHY_NP;
		op->why_v = P5_WHY_NP_NEXT;
		return;
	case CAT_PAIR_U: op->why_v = P5_WHY_V_NOT; break;
	case CAT_PAIR_V: op->why_u = P5_WHY_U_NOT; break;
	case CAT_PAIR_FX: op->why_v = P5_WHY_FP_ALONE; break;
	case CAT_PAIR_FXCH: op->why_u = P5_WHY_FP_ALONE; break;
	default:
		if (op->flags & P5_OP_MMX_U && m->par[P5_PAR_CORE_PAIR_MMX_MEMORY])
			op->why_v = P5_WHY_MMX_MEMORY;
		break;
	}
	if (has_both && !m->par[P5_PAR_CORE_DISP_IMM_PAIRS])
		op->why_u = op->why_v = P5_WHY_DISP_IMM;
	else if (has_both && !op->why_v)
		op->why_v = P5_WHY_DISP_IMM;
	if (!op->why_v && m->par[P5_PAR_CORE_PAIR_PREFIX] &&
	    (m->cpu->has_mmx ? f->prefixes & u_only : op->decode_clk && !is_jcc))
		op->why_v = P5_WHY_V_PREFIX;
	if (!op->why_u && length > m->par[P5_PAR_CORE_PAIR_U_BYTES])
		op->why_u = P5_WHY_LENGTH;
	if (!op->why_v && length > m->par[P5_PAR_CORE_PAIR_V_BYTES])
		op->why_v = P5_WHY_LENGTH;
}

static uint16_t flags_of(const struct x86_insn *n, uint32_t kinds, const struct x86_facts *f,
			 const char *name)
{
	uint16_t flags = 0;

	flags |= n->flags & X86_I_REP ? P5_OP_REP : 0;
	flags |= n->group == X86_GRP_INT && kinds & P5_K_INT_MUL ? P5_OP_INT_MUL : 0;
	if (n->group == X86_GRP_X87) {
		flags |= P5_OP_X87;
		flags |=
		    strncmp(name, "fdiv", 4) == 0 || strncmp(name, "fidiv", 5) == 0 ? P5_OP_DIV : 0;
		flags |= strncmp(name, "fmul", 4) == 0 ? P5_OP_FMUL : 0;
		flags |= strcmp(name, "fnstsw") == 0 ? P5_OP_STATUS : 0;
		flags |= f->x87 == X86_X87_STATE ? P5_OP_SYNC : 0;
	}
	if (n->group == X86_GRP_MMX) {
		const bool has_mm = f->mmx_read | f->mmx_written,
			   has_gpr = f->gpr_read | f->gpr_written;

		flags |= P5_OP_MMX;
		flags |= has_mm && (f->has_memory || has_gpr) ? P5_OP_MMX_U : 0;
		flags |= has_mm && !f->mmx_written ? P5_OP_MMX_STORE : 0;
	}
	return flags;
}

/* References of instruction i, and when the last of its accesses is. */
static void references(struct p5_op *op, const struct x86_block *b, unsigned i)
{
	bool is_rmw = false;

	for (unsigned k = 0; k < b->n_ref; k++) {
		const struct x86_ref *r = &b->ref[k];

		if (r->insn != i || r->flags & X86_REF_PREFETCH)
			continue;
		if (!op->n_ref++) {
			op->ref = (uint8_t)k;
			op->first = r->flags & X86_REF_READ ? P5_READ : P5_WRITE;
		}
		op->last = r->flags & X86_REF_WRITE ? P5_WRITE : P5_READ;
		is_rmw |= (r->flags & X86_REF_READ) && (r->flags & X86_REF_WRITE);
	}
	op->flags |= op->n_ref ? P5_OP_MEMORY : 0;
	if (is_rmw && op->clk > 1)
		op->write_clk = (uint8_t)(op->clk > 255 ? 255 : op->clk - 1);
}

/* Rows that the sources do not agree on: what the switches of params.tsv say. */
static void choose_source(const struct p5 *m, struct p5_op *op, const struct x86_insn *n,
			  const struct x86_facts *f, const char *name)
{
	const bool is_by_imm = is_group2(f) && (f->opcode & 0xfe) == 0xc0;

	if (is_by_imm && f->reg < 2 && !f->has_memory && m->par[P5_PAR_CORE_ROTATE_IMM_PAIRS])
		op->pair = CAT_PAIR_U;
	if (op->flags & P5_OP_INT_MUL && n->n_op && n->op[0].bytes >= 4)
		op->clk = m->par[P5_PAR_CORE_MULTIPLY_CLK];
	if (strcmp(name, "ftst") == 0 && m->par[P5_PAR_FPU_FTST_IS_FX])
		op->pair = CAT_PAIR_FX;
	if (f->prefixes & (X86_PFX_66 | X86_PFX_67) && m->par[P5_PAR_D1_WIDE_PREFIX_IS_ALONE])
		op->flags |= P5_OP_ALONE_IN_F;
}

/* Where the record has its operand values, and which of them it divides by. */
static void operand_values(struct p5_op *op, const struct x86_block *b, unsigned i,
			   const struct x86_facts *f, const char *name)
{
	const struct x86_insn *n = &b->insn[i];
	const bool is_reversed = strncmp(name, "fdivr", 5) == 0 || strncmp(name, "fidivr", 6) == 0;
	const bool is_to_first = f->has_memory || n->n_op < 2 || n->op[0].reg == 0;

	op->fact = P5_NO_SLOT;
	for (unsigned k = b->n_slot; k-- > 0;)
		if (b->slot[k].insn == i && b->slot[k].kind == X86_SLOT_X87)
			op->fact = (uint8_t)k;
	if (op->flags &
	    P5_OP_DIV) /* ST(0) / second, unless the result goes to the second or it is reversed */
		op->divisor = is_to_first != is_reversed ? P5_DIVISOR_SECOND : P5_DIVISOR_FIRST;
}

static void compile(struct p5 *m, const struct x86_block *b, unsigned i, struct p5_op *op)
{
	const struct x86_insn *n = &b->insn[i];
	const uint32_t kinds = p5_kinds(m, n->mnemonic);
	const char *name = x86_mnemonic_name(n->mnemonic);
	const unsigned model = m->cpu->has_mmx != 0;
	const struct cat_timing *row;
	struct x86_facts f;
	unsigned parts;

	memset(op, 0, sizeof(*op));
	x86_insn_facts(b, i, &f);
	row = row_of(n, &f, &parts);
	op->clk = (uint16_t)(row->clk[model] * parts);
	op->per_item = row->per_item;
	op->over_int = row->over_int;
	op->over_fp = row->over_fp;
	op->pair = row->pair[model];
	op->flags = flags_of(n, kinds, &f, name);
	choose_source(m, op, n, &f, name);
	if (op->pair == CAT_PAIR_MMX_MUL)
		op->flags |= P5_OP_MMX_MUL;
	op->bytes = n->bytes;
	op->bare = f.bare_bytes;
	if (f.prefixes & X86_PFX_REX && f.map != X86_MAP_OTHER) {
		op->bytes--;
		op->flags |= P5_OP_REX;
	}
	op->reads = f.gpr_read;
	op->writes = f.gpr_written;
	op->address = (uint16_t)(f.gpr_address | (f.stack ? SP : 0));
	op->late = f.gpr_written;
	if (f.map == X86_MAP_ONE && (f.opcode & 0xfe) == 0xa2 &&
	    m->par[P5_PAR_CORE_PAIR_ACCUMULATOR])
		op->writes |= AX;
	if (f.stack) {
		const bool is_named = n->n_op && n->op[0].kind == X86_OP_GPR && n->op[0].reg == 4;

		if (!is_named && !(f.stack == X86_STACK_RET && f.imm_bytes))
			op->late &= (uint16_t)~SP;
		if (!is_named && (op->pair == CAT_PAIR_UV || op->pair == CAT_PAIR_V))
			op->stack = f.stack;
	}
	op->branch = branch_kind(b, i, kinds, &f);
	op->decode_clk = decode_clk(m, &f);
	op->x87 = f.x87;
	op->push = f.x87_push;
	op->st_read = f.st_read;
	op->st_written = f.st_written;
	op->mm_read = f.mmx_read;
	op->mm_written = f.mmx_written;
	operand_values(op, b, i, &f, name);
	references(op, b, i);
	pairing(m, op, &f);
}

/* References of all instructions, and what cannot be done by them alone. */
static void compile_references(struct p5 *m, const struct x86_block *b, struct p5_code *c)
{
	for (unsigned i = 0, k = 0; i < b->n_insn; i++) {
		struct p5_op *op = &c->op[i];
		bool has_order = b->insn[i].flags & (X86_I_REP | X86_I_SETS_DF | X86_I_CLEARS_DF);

		op->first_ref = c->n_ref;
		for (; k < b->n_ref && b->ref[k].insn == i; k++) {
			has_order |= (b->ref[k].flags & (X86_REF_REP | X86_REF_PARTS)) != 0;
			if (!(b->ref[k].flags & X86_REF_PREFETCH))
				c->ref[c->n_ref++] = p5_compile_ref(m, b, &b->ref[k]);
		}
		op->flags |= has_order ? P5_OP_ORDER : 0;
		c->has_order |= has_order;
	}
}

struct p5_code *p5_code_new(struct p5 *m, const struct x86_block *b)
{
	const size_t align = _Alignof(struct p5_ref);
	const size_t refs =
	    (offsetof(struct p5_code, op) + b->n_insn * sizeof(struct p5_op) + align - 1) &
	    ~(align - 1);
	struct p5_code *c = malloc(refs + b->n_ref * sizeof(c->ref[0]));

	if (!c)
		return NULL;
	*c = (struct p5_code){.block = b, .ref = (struct p5_ref *)(void *)((uint8_t *)c + refs)};
	for (unsigned i = 0; i < b->n_insn; i++)
		compile(m, b, i, &c->op[i]);
	compile_references(m, b, c);
	return c;
}

struct p5_code *p5_code_of(struct p5 *m, const struct x86_block *b)
{
	struct p5_code **at = &m->time.code[b->id];

	for (unsigned k = 0; k < P5_N_KEPT; k++)
		if (m->time.kept_code[k] && m->time.kept_code[k]->block == b)
			return m->time.kept_code[k];
	if (!*at)
		*at = p5_code_new(m, b);
	if (b->id >= m->time.n_code)
		m->time.n_code = b->id + 1;
	return *at;
}

void p5_code_forget(struct p5 *m)
{
	for (uint32_t id = 0; m->time.code && id < m->time.n_code; id++) {
		free(m->time.code[id]);
		m->time.code[id] = NULL;
	}
	m->time.n_code = 0;
	for (unsigned k = 0; k < P5_N_KEPT; k++) {
		free(m->time.kept_code[k]);
		m->time.kept_code[k] = NULL;
	}
}
