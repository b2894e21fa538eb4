/* template.c -- block facts to micro-op templates, once per block.
 *
 * COUNTING RULES   as many micro-ops as retire counts (retire_uops.c), in the order load, compute, store data, store
 *                  address; a stack instruction updates the stack pointer in one of its own.
 * MODELLED         the split over ports of catalog/p6/uops.tsv; where a row has none (microcode), micro-ops that
 *                  depend on each other, on ports 0 and 1. The micro-ops of one instruction that compute
 *                  follow each other; halves of vectors do not. Latency and interval from timing.tsv.
 *                  RDTSC, RDPMC, RDMSR, WRMSR, CPUID and writes of control registers take what was measured (params.tsv), one
 *                  behind the other; RDMSR and WRMSR of an event select register theirs, when the block itself loads ECX.
 * NOT MODELLED     which micro-op of several makes which result: the last makes all.
 * SOURCES          Agner Fog 2000 ch. 29 (order); catalog/p6.
 */
#include "model/p6/p6.h"

#include <stdlib.h>
#include <string.h>

#include "catalog/p6_msr.h"
#include "model/p6/clocks/book.h"
#include "trace/record.h"
#include "x86/facts.h"
#include "x86/registers.h"

#define NO_REF 0xff
#define CX 2u
#define STATUS_FLAGS 0x8d5u

/* An instruction while its micro-ops are written. */
struct draft {
	struct p6 *m;
	const struct x86_block *b;
	const struct x86_insn *in;
	unsigned i;
	uint64_t bogus; /* p6_bogus_of() */
	struct x86_facts facts;
	struct x86_registers regs;
	struct p6_split split;
	struct cat_p6_timing timing;
	struct p6_code *code;
	struct p6_step *step;
	struct p6_uop *uop; /* of this instruction, */
	uint8_t *ref;	    /* and their references */
	unsigned n, room;
	struct p6_uop spare; /* beyond the room */
	uint8_t spare_ref, *last_ref; /* of the micro-op added last */
	uint8_t address[P6_U_SRC], n_address; /* sources */
	uint8_t data[P6_U_SRC], n_data;
	uint8_t dst[P6_U_DST], n_dst;
	unsigned last_load, last_exec; /* position + 1; 0: none */
};

/* Add reg to a list of at most `most`, unless it is there. */
static void push(uint8_t *list, uint8_t *n, unsigned most, unsigned reg)
{
	for (unsigned k = 0; k < *n; k++)
		if (list[k] == reg)
			return;
	if (*n < most)
		list[(*n)++] = (uint8_t)reg;
}

static struct p6_uop *add(struct draft *d, enum p6_uop_kind kind, unsigned ports)
{
	struct p6_uop *u = d->n < d->room ? &d->uop[d->n] : &d->spare;

	memset(u, 0, sizeof(*u));
	u->kind = (uint8_t)kind;
	u->ports = (uint8_t)ports;
	u->latency = u->interval = 1;
	d->last_ref = u == &d->spare ? &d->spare_ref : &d->ref[d->n];
	*d->last_ref = NO_REF;
	d->n += u != &d->spare;
	return u;
}

static void source(struct p6_uop *u, unsigned reg)
{
	push(u->src, &u->n_src, P6_U_SRC, reg);
}

static void sources(struct p6_uop *u, const uint8_t *reg, unsigned n)
{
	for (unsigned k = 0; k < n; k++)
		source(u, reg[k]);
}

/* u, the micro-op added last, needs the one at position at - 1. */
static void after(const struct draft *d, struct p6_uop *u, unsigned at)
{
	const unsigned back = d->n - at;

	if (!at || back > 255 || back == 0)
		return;
	u->after[u->after[0] != 0] = (uint8_t)back;
}

/* ---- operands -------------------------------------------------------------------------------------- */

static void note_dst(struct draft *d, unsigned reg)
{
	push(d->dst, &d->n_dst, P6_U_DST, reg);
}

static bool is_own_stack(const struct draft *d, const struct x86_reg_part *p)
{
	return d->facts.stack && p->reg == 4 && !(d->facts.gpr_address & 1u << 4);
}

static void note_registers(struct draft *d)
{
	for (unsigned k = 0; k < d->regs.n_part; k++) {
		const struct x86_reg_part *p = &d->regs.part[k];

		if (is_own_stack(d, p))
			continue;
		if (p->is_address)
			push(d->address, &d->n_address, 4, p->reg);
		else if (p->is_read)
			push(d->data, &d->n_data, P6_U_SRC, p->reg);
		if (p->is_written)
			note_dst(d, p->reg);
	}
	if (d->facts.flags_read & 1)
		push(d->data, &d->n_data, P6_U_SRC, P6_R_CF);
	if (d->facts.flags_read & ~1u)
		push(d->data, &d->n_data, P6_U_SRC, P6_R_FLAGS);
	for (unsigned k = 0; k < 8; k++) {
		if (d->facts.mmx_read >> k & 1)
			push(d->data, &d->n_data, P6_U_SRC, P6_R_X87 + k);
		if (d->facts.mmx_written >> k & 1)
			note_dst(d, P6_R_X87 + k);
		if (d->facts.st_read >> k & 1)
			push(d->data, &d->n_data, P6_U_SRC, P6_R_X87 + k);
		if (d->facts.st_written >> k & 1 && d->facts.x87 != X86_X87_EXCHANGE)
			note_dst(d, P6_R_X87 + k);
	}
	if (d->facts.flags_written & ~1u)
		note_dst(d, P6_R_FLAGS);
	if (d->facts.flags_written & 1)
		note_dst(d, P6_R_CF);
	if (d->facts.x87 == X86_X87_COMPARE)
		note_dst(d, P6_R_FSW);
	if (!strcmp(x86_mnemonic_name(d->in->mnemonic), "fnstsw"))
		push(d->data, &d->n_data, P6_U_SRC, P6_R_FSW);
}

/* Vector registers of half `half`; scalar and other instructions on them use the lower one. */
static void vector_sources(const struct draft *d, struct p6_uop *u, unsigned half)
{
	for (unsigned k = 0; k < 16; k++)
		if (d->regs.vector_read >> k & 1)
			source(u, P6_R_XMM + 16 * half + k);
}

static void vector_results(const struct draft *d, struct p6_uop *u, unsigned half)
{
	for (unsigned k = 0; k < 16; k++)
		if (d->regs.vector_written >> k & 1)
			push(u->dst, &u->n_dst, P6_U_DST, P6_R_XMM + 16 * half + k);
}

static void results(const struct draft *d, struct p6_uop *u)
{
	for (unsigned k = 0; k < d->n_dst; k++)
		push(u->dst, &u->n_dst, P6_U_DST, d->dst[k]);
	vector_results(d, u, 0);
}

/* ---- references ------------------------------------------------------------------------------------ */

/* The n-th reference of the instruction that reads or writes, or the last of them. */
static uint8_t reference(const struct draft *d, unsigned n, unsigned access)
{
	uint8_t last = NO_REF;

	for (unsigned k = 0; k < d->b->n_ref; k++) {
		const struct x86_ref *r = &d->b->ref[k];

		if (r->insn != d->i || !(r->flags & (access | X86_REF_PREFETCH)))
			continue;
		last = (uint8_t)k;
		if (!n--)
			break;
	}
	return last;
}

static bool prefetches(const struct draft *d)
{
	for (unsigned k = 0; k < d->b->n_ref; k++)
		if (d->b->ref[k].insn == d->i && d->b->ref[k].flags & X86_REF_PREFETCH)
			return true;
	return false;
}

/* ---- micro-ops ------------------------------------------------------------------------------------- */

static void add_loads(struct draft *d, unsigned n)
{
	const bool is_stack = d->facts.stack == X86_STACK_POP || d->facts.stack == X86_STACK_RET ||
			      d->facts.stack == X86_STACK_FRAME;

	for (unsigned k = 0; k < n; k++) {
		struct p6_uop *u = add(d, P6_U_LOAD, 1u << 2);

		*d->last_ref = reference(d, k, X86_REF_READ);
		sources(u, d->address, d->n_address);
		if (is_stack)
			source(u, 4);
		d->last_load = d->n;
	}
}

/* FDIV, FDIVR, FIDIV and so on. */
static bool is_x87_divide(const struct x86_insn *n)
{
	return n->group == X86_GRP_X87 && p6_kinds_of(x86_mnemonic_name(n->mnemonic)) & P6_K_DIV;
}

/* Micro-op k of n that compute. */
static struct p6_uop *add_exec(struct draft *d, unsigned ports, unsigned k, unsigned n)
{
	const bool has_halves = d->regs.vector_bytes >= 16 && n >= 2 && n % 2 == 0;
	const unsigned lead = d->timing.latency > n ? d->timing.latency - n + 1u : 1u;
	struct p6_uop *u = add(d, P6_U_EXEC, ports);

	if (has_halves) {
		vector_sources(d, u, k & 1);
		sources(u, d->data, d->n_data);
		after(d, u, d->last_load);
		u->latency = d->timing.latency;
		u->interval = d->timing.interval;
		u->unit = d->timing.unit;
		vector_results(d, u, k & 1);
	} else if (k == 0) {
		vector_sources(d, u, 0);
		sources(u, d->data, d->n_data);
		if (!d->last_load)
			sources(u, d->address, d->n_address); /* LEA */
		after(d, u, d->last_load);
		u->latency = (uint8_t)lead;
		u->interval = d->timing.interval;
		u->unit = d->timing.unit;
		u->flags |= is_x87_divide(d->in) ? P6_U_X87_DIVIDE : 0;
	} else {
		after(d, u, d->last_exec);
	}
	d->last_exec = d->n;
	if (k + 1 == n && !has_halves)
		results(d, u);
	return u;
}

static void add_stores(struct draft *d, unsigned n)
{
	const bool is_stack = d->facts.stack == X86_STACK_PUSH || d->facts.stack == X86_STACK_CALL ||
			      d->facts.stack == X86_STACK_FRAME;

	for (unsigned k = 0; k < n; k++) {
		struct p6_uop *u = add(d, P6_U_STD, 1u << 4);

		*d->last_ref = reference(d, k, X86_REF_WRITE);
		if (d->last_exec && !is_stack) {
			after(d, u, d->last_exec);
		} else if (d->last_load) {
			after(d, u, d->last_load);
		} else if (d->facts.stack != X86_STACK_CALL) {
			sources(u, d->data, d->n_data);
			vector_sources(d, u, n > 1 ? k & 1 : 0);
		}
		u = add(d, P6_U_STA, 1u << 3);
		*d->last_ref = reference(d, k, X86_REF_WRITE);
		sources(u, d->address, d->n_address);
		if (is_stack)
			source(u, 4);
	}
	d->step->n_store = (uint8_t)n;
}

/* The micro-op that moves the stack pointer. */
static void add_stack_move(struct draft *d)
{
	struct p6_uop *u = add(d, P6_U_EXEC, 3);

	source(u, 4);
	push(u->dst, &u->n_dst, P6_U_DST, 4);
}

/* The branch itself, on port 1: what it depends on. */
static void add_branch(struct draft *d)
{
	struct p6_uop *u = add(d, P6_U_EXEC, 2);

	u->flags |= P6_U_BRANCH;
	sources(u, d->data, d->n_data);
	if (d->last_load)
		after(d, u, d->last_load);
	if (d->facts.gpr_written && !d->facts.stack && d->last_exec)
		after(d, u, d->last_exec); /* LOOP, JCXZ */
}

static void draft_rows(struct draft *d)
{
	const struct p6_split *s = &d->split;
	const bool moves_stack = d->facts.stack && d->facts.stack != X86_STACK_FRAME;
	const bool is_branch = d->code->is_branch && s->p1;
	unsigned p0 = s->p0, p1 = s->p1 - (is_branch && s->p1), p01 = s->p01, n, k = 0;

	if (d->facts.x87 == X86_X87_EXCHANGE) {
		add(d, P6_U_RENAME, 0);
		return;
	}
	if (moves_stack && p01)
		p01--;
	n = p0 + p1 + p01;
	add_loads(d, s->p2);
	if (!n && d->last_load && !s->p4 && d->n) { /* the load gives the result */
		for (unsigned i = 0; i < d->n; i++)
			if (d->n >= 2 && d->regs.vector_bytes >= 16)
				vector_results(d, &d->uop[i], i & 1);
		if (!d->uop[d->n - 1].n_dst)
			results(d, &d->uop[d->n - 1]);
	}
	for (unsigned i = 0; i < p0; i++)
		add_exec(d, 1, k++, n);
	for (unsigned i = 0; i < p1; i++)
		add_exec(d, 2, k++, n);
	for (unsigned i = 0; i < p01; i++)
		add_exec(d, 3, k++, n);
	add_stores(d, s->p4 < s->p3 ? s->p3 : s->p4);
	if (moves_stack)
		add_stack_move(d);
	if (is_branch)
		add_branch(d);
}

/* ---- what rename must know ----------------------------------------------------------------------------- */

static void step_parts(struct draft *d)
{
	/* outside 16-bit code FNSTSW AX reads and writes all of EAX (Agner Fog 2000, 19.1) */
	const bool is_merged = !strcmp(x86_mnemonic_name(d->in->mnemonic), "fnstsw");
	struct p6_step *s = d->step;

	for (unsigned k = 0; k < d->regs.n_part; k++) {
		const struct x86_reg_part *p = &d->regs.part[k];
		const bool is_whole = p->bytes > 4 || (is_merged && p->is_written);
		const struct p6_part part = {p->reg, is_whole ? 4 : p->bytes, p->is_high};
		const bool is_read = p->is_read && s->known_zero != P6_ZERO_ALL; /* whose result does not depend on what was there */

		if ((is_read || (is_merged && p->is_written)) && s->n_read < 4)
			s->read[s->n_read++] = part;
		if (p->is_written && s->n_write < 2)
			s->write[s->n_write++] = part;
	}
}

static uint8_t flag_bits(unsigned eflags)
{
	return (uint8_t)((eflags & 1 ? P6_F_CF : 0) | (eflags & 0x8c4 ? P6_F_REST : 0) |
			 (eflags & 0x10 ? P6_F_AF : 0));
}

/* A shift whose count is not the short form's 1. */
static bool is_slow_shift(const struct draft *d)
{
	const struct x86_facts *f = &d->facts;

	if (f->map == X86_MAP_ONE)
		return f->opcode == 0xc0 || f->opcode == 0xc1 || f->opcode == 0xd2 || f->opcode == 0xd3;
	return f->map == X86_MAP_0F && (f->opcode == 0xa4 || f->opcode == 0xa5 || f->opcode == 0xac ||
					f->opcode == 0xad);
}

/* AND, OR and XOR write AF, too, which they leave undefined; TEST, shifts, multiplies and others do not. */
static bool is_logic(const struct draft *d)
{
	const char *name = x86_mnemonic_name(d->in->mnemonic);

	return !strcmp(name, "and") || !strcmp(name, "or") || !strcmp(name, "xor");
}

/* 31H, 30H, 29H, 28H and their other direction: XOR and SUB. Of a register with itself they make known to be 0 what lies above
 * the low part: all of it in the form over the whole register, AH and the like in theirs. The forms over AL and AX are
 * ordinary writes. */
static uint8_t known_zero(const struct draft *d)
{
	const struct x86_facts *f = &d->facts;
	const struct x86_reg_part *p = d->regs.part;

	if (!d->regs.is_same_source || f->map != X86_MAP_ONE || ((f->opcode & 0xfc) != 0x30 && (f->opcode & 0xfc) != 0x28))
		return 0;
	return p->bytes >= 4 ? P6_ZERO_ALL : p->is_high ? P6_ZERO_HIGH_BYTE : 0;
}

static void step_facts(struct draft *d)
{
	struct p6_step *s = d->step;
	struct p6_code *c = d->code;
	const struct x86_facts *f = &d->facts;
	unsigned written = f->flags_written;

	c->bytes = d->in->bytes;
	c->is_branch = (d->in->flags & X86_I_BRANCH) != 0;
	c->is_transfer = p6_is_transfer(d->in, p6_kinds_of(x86_mnemonic_name(d->in->mnemonic)));
	s->is_serializing = (d->in->flags & X86_I_SERIALIZE) != 0;
	s->reads_counter = d->b->emulate == X86_EMU_RDPMC && d->in == &d->b->insn[d->b->n_insn - 1];
	s->is_locked = (d->in->flags & X86_I_LOCK) != 0;
	s->is_prefetch = prefetches(d);
	s->x87_push = (int8_t)-f->x87_push;
	s->known_zero = known_zero(d);
	if (d->in->flags & X86_I_SEG_LOAD)
		s->seg_wire = p6_seg_wire(d->m, d->in, p6_kinds_of(x86_mnemonic_name(d->in->mnemonic)));
	c->may_be_bogus = d->bogus >> d->i & 1;
	c->control_slot = 0xff;
	for (unsigned k = 0; k < d->b->n_slot && is_x87_divide(d->in); k++)
		if (d->b->slot[k].insn == d->i && (d->b->slot[k].kind == X86_SLOT_X87_CONTROL ||
						     d->b->slot[k].kind == X86_SLOT_X87))
			c->control_slot = (uint8_t)k;
	if (f->x87 == X86_X87_EXCHANGE)
		for (unsigned k = 1; k < 8; k++)
			if (f->st_read >> k & 1)
				s->x87_swap = (uint8_t)k;
	if ((f->prefixes & X86_PFX_66 && f->imm_bytes == 2 && f->map == X86_MAP_ONE) ||
	    (f->prefixes & X86_PFX_67 && f->has_memory))
		c->lcp_clk = (uint8_t)d->m->time.par.lcp_clk;
	c->prefix_clk = f->n_prefix > 1 ? (uint8_t)(f->n_prefix - 1) : 0;
	if (f->prefixes & X86_PFX_REX && c->prefix_clk)
		c->prefix_clk--; /* no P6 has it: it is free */
	step_parts(d);
	s->flags_read = flag_bits(f->flags_read);
	if (is_logic(d))
		written |= 0x10;
	s->flags_written = flag_bits(written);
	if (written & STATUS_FLAGS)
		s->flags_written |= is_slow_shift(d) ? P6_F_SLOW : 0;
}

/* Does the block itself say that instruction i finds the number of an event select register in ECX? */
static bool is_event_select(const struct x86_block *b, unsigned i)
{
	while (i--) {
		const uint8_t *code = b->code + b->insn[i].pc_off;
		struct x86_facts f;
		uint32_t msr;

		x86_insn_facts(b, i, &f);
		if (!(f.gpr_written & CX))
			continue;
		if (b->insn[i].bytes != 5 || *code != 0xb9) /* MOV ECX, imm32 */
			return false;
		memcpy(&msr, code + 1, sizeof(msr));
		return msr == P6_MSR_PERFEVTSEL0 || msr == P6_MSR_PERFEVTSEL1;
	}
	return false;
}

/* Clocks of a flow of microcode that was measured as a whole; 0: instruction i of b is none. */
static unsigned system_clk(const struct p6_params *par, const struct x86_block *b, unsigned i)
{
	const struct x86_insn *n = &b->insn[i];
	const struct {
		const char *name;
		unsigned clk, select_clk;
	} flow[] = {{"rdtsc", par->rdtsc_clk, 0}, {"rdpmc", par->rdpmc_clk, 0},
		    {"rdmsr", par->rdmsr_clk, par->rdmsr_select_clk},
		    {"wrmsr", par->wrmsr_clk, par->wrmsr_select_clk}, {"cpuid", par->cpuid_clk, 0}};
	const char *name = x86_mnemonic_name(n->mnemonic);

	if (n->n_op && n->op[0].kind == X86_OP_CR)
		return par->write_cr_clk;
	for (size_t k = 0; k < sizeof(flow) / sizeof(flow[0]); k++)
		if (!strcmp(name, flow[k].name))
			return flow[k].select_clk && is_event_select(b, i) ? flow[k].select_clk : flow[k].clk;
	return 0;
}

/* XADD, CMPXCHG and CMPXCHG8B have rows that say nothing of ports: with memory, which they read and write, one micro-op loads, two
 * store, and the rest go to ports 0 and 1. */
static void split_by_reference(struct draft *d)
{
	const unsigned both = X86_REF_READ | X86_REF_WRITE;
	unsigned n = 0, flags = 0;

	for (unsigned k = 0; k < d->b->n_ref; k++) {
		n += d->b->ref[k].insn == d->i;
		flags |= d->b->ref[k].insn == d->i ? d->b->ref[k].flags : 0;
	}
	if (n != 1 || (flags & (both | X86_REF_REP | X86_REF_PARTS)) != both || d->split.uops < 4 || d->facts.stack)
		return;
	d->split.is_known = true;
	d->split.p2 = d->split.p3 = d->split.p4 = 1;
	d->split.p01 = (uint16_t)(d->split.uops - 3);
}

static void draft_insn(struct draft *d)
{
	unsigned clk;

	x86_insn_facts(d->b, d->i, &d->facts);
	x86_insn_registers(d->b, d->i, &d->regs);
	p6_uops_split(d->m, d->in, &d->split, &d->timing);
	clk = system_clk(&d->m->time.par, d->b, d->i);
	if (clk) {
		d->timing.latency = d->timing.interval = (uint8_t)(clk < 255 ? clk : 255);
		d->timing.unit = CAT_P6_SYSTEM;
	}
	step_facts(d);
	note_registers(d);
	if (!d->split.is_known)
		split_by_reference(d);
	if (d->split.is_known || d->facts.x87 == X86_X87_EXCHANGE)
		draft_rows(d);
	/* what the row does not say, and micro-ops beyond it */
	while (d->n < d->split.uops && d->n < d->room)
		add_exec(d, 3, d->n, d->split.uops);
	if (d->n > d->split.uops && d->split.uops)
		d->n = d->split.uops;
	if (!d->n)
		add(d, P6_U_EXEC, 3);
	for (unsigned k = 0; d->in->group == X86_GRP_MMX && k < d->n; k++)
		d->uop[k].flags |= d->uop[k].kind == P6_U_STD ? 0 : P6_U_MMX;
	d->uop[0].flags |= P6_U_FIRST;
	d->uop[d->n - 1].flags |= P6_U_LAST;
	d->code->n_uop = (uint8_t)d->n;
	d->code->is_microcoded = d->n > d->m->time.par.complex_uops;
	d->code->is_simple = !d->code->is_microcoded && d->n <= d->m->time.par.simple_uops && d->code->bytes <= d->m->time.par.simple_bytes;
	d->code->has_store = d->step->n_store != 0;
	d->step->n_read_uop = d->step->reads_counter ? d->code->n_uop : 0;
}

/* ---- blocks ------------------------------------------------------------------------------------------ */

/* A block while its templates are made. */
struct draft_block {
	struct p6_code code[X86_MAX_INSNS];
	struct p6_step step[X86_MAX_INSNS];
	struct p6_uop *uop;
	uint8_t *ref; /* behind them */
	unsigned n, room;
};

/* What each reference is to the buffers; an instruction that stores has one entry, of the last address. */
static void note_roles(struct p6_tblk *t, const struct x86_block *b, const struct draft_block *d)
{
	for (unsigned i = 0; i < t->n_step; i++) {
		struct p6_code *c = &t->code[i];
		uint8_t address = NO_REF;

		for (unsigned k = c->first_uop; k < c->first_uop + c->n_uop; k++) {
			if (d->uop[k].kind == P6_U_LOAD && d->ref[k] != NO_REF)
				t->role[d->ref[k]] |= P6_ROLE_LOAD;
			if (d->uop[k].kind == P6_U_STA)
				address = d->ref[k];
		}
		c->store_ref = address;
		if (c->has_store && address != NO_REF)
			t->role[address] |= P6_ROLE_STORE;
		t->has_divide |= c->control_slot != 0xff;
		t->reads_counter |= d->step[i].reads_counter;
		t->is_odd |= (c->has_store && address == NO_REF) || c->may_be_bogus || b->insn[i].flags & X86_I_REP;
		t->is_usual &= !c->may_be_bogus && !(b->insn[i].flags & X86_I_REP);
	}
}

/* Which reference each micro-op of an instruction performs: with the last one its store goes on its way. */
static void note_places(struct p6_place *place, const struct p6_code *c, const struct p6_uop *uop, const uint8_t *ref)
{
	uint8_t seen = NO_REF;

	for (unsigned k = 0; k < c->n_uop; k++) {
		place[k].ref = uop[k].flags & P6_U_LAST && c->has_store ? c->store_ref : ref[k];
		place[k].is_again = place[k].ref != NO_REF && place[k].ref == seen;
		seen = uop[k].kind == P6_U_LOAD ? ref[k] : seen;
	}
}

/* Room for the micro-ops of one more instruction. */
static bool make_room(struct draft_block *d)
{
	const unsigned room = 2 * d->room + 2 * P6_MAX_UOPS;
	struct p6_uop *uop;
	uint8_t *ref;

	if (d->n + P6_MAX_UOPS <= d->room)
		return true;
	uop = realloc(d->uop, room * sizeof(*uop));
	d->uop = uop ? uop : d->uop;
	ref = realloc(d->ref, room);
	d->ref = ref ? ref : d->ref;
	d->room = uop && ref ? room : d->room;
	return uop && ref;
}

/* All in one piece. Contents have their numbers when it returns, unless one of them is 0: there was no room. */
static struct p6_tblk *put_together(const struct x86_block *b, const struct draft_block *d, p6_number *number, void *ctx)
{
	const size_t uop_bytes = d->n * sizeof(struct p6_place), code_bytes = b->n_insn * sizeof(*d->code);
	struct p6_tblk *t = calloc(1, sizeof(*t) + uop_bytes + code_bytes + b->n_ref);

	if (!t)
		return NULL;
	t->n_step = b->n_insn;
	t->n_uop = (uint16_t)d->n;
	t->is_usual = true;
	t->uop = (struct p6_place *)(void *)(t + 1);
	t->code = (struct p6_code *)(void *)(t->uop + d->n);
	t->role = (uint8_t *)(t->code + b->n_insn);
	memcpy(t->code, d->code, code_bytes);
	for (unsigned i = 0; i < t->n_step; i++)
		for (unsigned k = d->code[i].first_uop; k < d->code[i].first_uop + d->code[i].n_uop; k++) {
			const uint32_t content = number(ctx, &d->uop[k], &d->step[i]);

			if (!content) {
				free(t);
				return NULL;
			}
			t->uop[k].content = content & ((1u << P6_CONTENT_BITS) - 1);
		}
	note_roles(t, b, d);
	for (unsigned i = 0; i < t->n_step; i++)
		note_places(t->uop + t->code[i].first_uop, &t->code[i], d->uop + t->code[i].first_uop, d->ref + t->code[i].first_uop);
	p6_zero_facts(t, d->step);
	t->is_odd |= t->n_zero > P6_MAX_ZERO_ASKED;
	return t;
}

struct p6_tblk *p6_template_make(struct p6 *m, const struct x86_block *b, uint64_t bogus, p6_number *number, void *ctx)
{
	struct draft_block *all = calloc(1, sizeof(*all));
	struct p6_tblk *t = NULL;

	for (unsigned i = 0; all && i < b->n_insn; i++) {
		struct draft d = {.m = m, .b = b, .in = &b->insn[i], .i = i, .bogus = bogus, .room = UINT8_MAX};

		if (!make_room(all))
			goto out;
		d.code = &all->code[i];
		d.step = &all->step[i];
		d.uop = all->uop + all->n;
		d.ref = all->ref + all->n;
		draft_insn(&d);
		d.code->first_uop = (uint16_t)all->n;
		all->n += d.n;
	}
	t = all ? put_together(b, all, number, ctx) : NULL;
	if (!t)
		goto out;
	t->pc = b->pc;
	t->target = b->target;
	t->fall = b->fall;
	t->term = b->term;
	t->id = b->id;
	t->bogus = bogus;
	t->more = m->time.wrong_mode == MDL_WRONG_LOADS ? p6_wrong_facts(b) : NULL;
out:
	if (all) {
		free(all->uop);
		free(all->ref);
	}
	free(all);
	return t;
}

void p6_template_free(struct p6_tblk *t)
{
	free(t->more);
	free(t);
}

const struct p6_tblk *p6_template(struct p6 *m, const struct x86_block *b)
{
	if (b->id >> TRC_ID_BITS)
		return NULL;
	return m->time.tblk[b->id] ? m->time.tblk[b->id] : p6_template_of(m, b, p6_bogus_of(m, b));
}

/* m meets the block of templates t. */
static void meet(struct p6 *m, struct p6_tblk *t)
{
	for (unsigned i = 0; i < t->n_step && t->reads_counter; i++)
		if (p6_book_step(m->time.book, t, i)->reads_counter)
			p6_reading_begin(m, t->code[i].n_uop);
	p6_wrong_learn(m, t);
}

const struct p6_tblk *p6_template_of(struct p6 *m, const struct x86_block *b, uint64_t bogus)
{
	struct p6_tblk **t;

	if (b->id >> TRC_ID_BITS)
		return NULL;
	t = &m->time.tblk[b->id];
	if (!*t) {
		*t = p6_book_get(m, b, bogus);
		if (*t)
			meet(m, *t);
	}
	if (b->id >= m->time.n_tblk)
		m->time.n_tblk = b->id + 1;
	return *t;
}
