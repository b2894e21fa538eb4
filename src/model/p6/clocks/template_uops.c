/* template_uops.c -- the micro-ops of one instruction: what each needs, makes, and which ports it
 * takes.
 *
 * COUNTING RULES   as many micro-ops as retire counts (retire_uops.c), in the order load, compute,
 *                  store data, store address; a stack instruction updates the stack pointer in one
 *                  of its own.
 * MODELLED         the split over ports of catalog/p6/uops.tsv; where a row has none (microcode),
 *                  micro-ops that depend on each other, on ports 0 and 1. The micro-ops of one
 *                  instruction that compute follow each other; halves of vectors do not. Latency
 *                  and interval from timing.tsv. RDTSC, RDPMC, RDMSR, WRMSR, CPUID and writes of
 *                  control registers take what was measured (params.tsv), one behind the other;
 *                  RDMSR and WRMSR of an event select register theirs, when the block itself loads
 *                  ECX.
 * NOT MODELLED     which micro-op of several makes which result: the last makes all, but in LOOP
 *                  and its like the first one makes the new count (else a loop of LODSD, NEG, STOSD
 *                  and LOOP takes more than the 6 to 7 clocks that were measured).
 * SOURCES          Agner Fog 2000 ch. 29 (order); catalog/p6.
 */
#include "model/p6/clocks/template_draft.h"
#include "model/p6/units/retire.h"

#include <string.h>

#include "catalog/p6_msr.h"

#define CX 2u

/* Add reg to a list of at most `most`, unless it is there. */
static void push(uint8_t *list, uint8_t *n, unsigned most, unsigned reg)
{
	for (unsigned k = 0; k < *n; k++)
		if (list[k] == reg)
			return;
	if (*n < most)
		list[(*n)++] = (uint8_t)reg;
}

static struct p6_uop *add(struct p6_draft *d, enum p6_uop_kind kind, unsigned ports)
{
	struct p6_uop *u = d->n < d->room ? &d->uop[d->n] : &d->spare;

	memset(u, 0, sizeof(*u));
	u->kind = (uint8_t)kind;
	u->ports = (uint8_t)ports;
	u->latency = u->interval = 1;
	d->last_ref = u == &d->spare ? &d->spare_ref : &d->ref[d->n];
	*d->last_ref = P6_NO_REF;
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
static void after(const struct p6_draft *d, struct p6_uop *u, unsigned at)
{
	const unsigned back = d->n - at;

	if (!at || back > 255 || back == 0)
		return;
	u->after[u->after[0] != 0] = (uint8_t)back;
}

/* ---- operands -------------------------------------------------------------------------------- */

static void note_dst(struct p6_draft *d, unsigned reg)
{
	push(d->dst, &d->n_dst, P6_U_DST, reg);
}

static bool is_own_stack(const struct p6_draft *d, const struct x86_reg_part *p)
{
	return d->facts.stack && p->reg == 4 && !(d->facts.gpr_address & 1u << 4);
}

static void note_registers(struct p6_draft *d)
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
	if (!strcmp(d->name, "fnstsw"))
		push(d->data, &d->n_data, P6_U_SRC, P6_R_FSW);
}

/* Vector registers of half `half`; scalar and other instructions on them use the lower one. */
static void vector_sources(const struct p6_draft *d, struct p6_uop *u, unsigned half)
{
	for (unsigned k = 0; k < 16; k++)
		if (d->regs.vector_read >> k & 1)
			source(u, P6_R_XMM + 16 * half + k);
}

static void vector_results(const struct p6_draft *d, struct p6_uop *u, unsigned half)
{
	for (unsigned k = 0; k < 16; k++)
		if (d->regs.vector_written >> k & 1)
			push(u->dst, &u->n_dst, P6_U_DST, P6_R_XMM + 16 * half + k);
}

static void results(const struct p6_draft *d, struct p6_uop *u)
{
	for (unsigned k = 0; k < d->n_dst; k++)
		push(u->dst, &u->n_dst, P6_U_DST, d->dst[k]);
	vector_results(d, u, 0);
}

/* ---- references ------------------------------------------------------------------------------ */

/* The n-th reference of the instruction that reads or writes, or the last of them. */
static uint8_t reference(const struct p6_draft *d, unsigned n, unsigned access)
{
	uint8_t last = P6_NO_REF;

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

bool p6_draft_prefetches(const struct p6_draft *d)
{
	for (unsigned k = 0; k < d->b->n_ref; k++)
		if (d->b->ref[k].insn == d->i && d->b->ref[k].flags & X86_REF_PREFETCH)
			return true;
	return false;
}

/* ---- micro-ops ------------------------------------------------------------------------------- */

static void add_loads(struct p6_draft *d, unsigned n)
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
bool p6_draft_is_x87_divide(const struct p6_draft *d)
{
	return d->in->group == X86_GRP_X87 && d->kinds & P6_K_DIV;
}

/* LOOP, LOOPE and LOOPNE: they branch, and write the register that they read. */
static bool is_loop(const struct p6_draft *d)
{
	return d->code->is_branch && d->facts.gpr_written && !d->facts.stack;
}

/* How many of the registers does the first of n micro-ops that compute read? No micro-op reads more
 * than two (Agner Fog 2000, 16.2): the second reads the flags that an instruction of two operands
 * reads besides, as the carry of ADC, and a third register. A flow whose first micro-op takes
 * longer reads them all by it. */
static unsigned first_sources(const struct p6_draft *d, unsigned n, unsigned lead)
{
	const unsigned most = d->m->time.par.uop_sources, loads = d->last_load != 0;
	unsigned regs = 0;

	if (!most || n < 2 || lead > 1)
		return d->n_data;
	while (regs < d->n_data && d->data[regs] != P6_R_CF && d->data[regs] != P6_R_FLAGS)
		regs++;
	if (loads + regs > most)
		return most - loads;
	return d->in->n_op < 2 ? d->n_data : regs;
}

/* Micro-op k of n that compute. */
static struct p6_uop *add_exec(struct p6_draft *d, unsigned ports, unsigned k, unsigned n)
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
		sources(u, d->data, first_sources(d, n, lead));
		if (!d->last_load)
			sources(u, d->address, d->n_address); /* LEA */
		after(d, u, d->last_load);
		u->latency = (uint8_t)lead;
		u->interval = d->timing.interval;
		u->unit = d->timing.unit;
		u->flags |= p6_draft_is_x87_divide(d) ? P6_U_X87_DIVIDE : 0;
	} else {
		after(d, u, d->last_exec);
		if (k == 1)
			for (unsigned i = first_sources(d, n, lead); i < d->n_data; i++)
				source(u, d->data[i]);
	}
	d->last_exec = d->n;
	if (k == (is_loop(d) ? 0 : n - 1) && !has_halves)
		results(d, u);
	return u;
}

/* Does the instruction store to the stack by itself? */
static bool is_stack_store(const struct p6_draft *d)
{
	return d->facts.stack == X86_STACK_PUSH || d->facts.stack == X86_STACK_CALL ||
	       d->facts.stack == X86_STACK_FRAME;
}

/* The data of store k of n. */
static void add_store_data(struct p6_draft *d, unsigned k, unsigned n)
{
	struct p6_uop *u = add(d, P6_U_STD, 1u << 4);

	*d->last_ref = reference(d, k, X86_REF_WRITE);
	if (d->last_exec && !is_stack_store(d)) {
		after(d, u, d->last_exec);
	} else if (d->last_load) {
		after(d, u, d->last_load);
	} else if (d->facts.stack != X86_STACK_CALL) {
		sources(u, d->data, d->n_data);
		vector_sources(d, u, n > 1 ? k & 1 : 0);
	}
}

static void add_store_address(struct p6_draft *d, unsigned k)
{
	struct p6_uop *u = add(d, P6_U_STA, 1u << 3);

	*d->last_ref = reference(d, k, X86_REF_WRITE);
	sources(u, d->address, d->n_address);
	if (is_stack_store(d))
		source(u, 4);
}

static void add_stores(struct p6_draft *d, unsigned n)
{
	const bool is_first = d->m->time.par.address_first;

	for (unsigned k = 0; k < n; k++) {
		if (is_first)
			add_store_address(d, k);
		add_store_data(d, k, n);
		if (!is_first)
			add_store_address(d, k);
	}
	d->step->n_store = (uint8_t)n;
}

/* The micro-op that moves the stack pointer. */
static void add_stack_move(struct p6_draft *d)
{
	struct p6_uop *u = add(d, P6_U_EXEC, 3);

	source(u, 4);
	push(u->dst, &u->n_dst, P6_U_DST, 4);
}

/* The branch itself, on port 1: what it depends on. */
static void add_branch(struct p6_draft *d)
{
	struct p6_uop *u = add(d, P6_U_EXEC, 2);

	u->flags |= P6_U_BRANCH;
	sources(u, d->data, d->n_data);
	if (d->last_load)
		after(d, u, d->last_load);
	if (is_loop(d) && d->last_exec)
		after(d, u, d->last_exec);
}

static void draft_rows(struct p6_draft *d)
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

/* ---- instructions ---------------------------------------------------------------------------- */

/* Does the block itself say that instruction i finds the number of an event select register in
 * ECX? */
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

/* Clocks of a flow of microcode that was measured as a whole; 0: the instruction is none. */
static unsigned system_clk(const struct p6_draft *d)
{
	const struct p6_params *par = &d->m->time.par;
	const struct {
		const char *name;
		unsigned clk, select_clk;
	} flow[] = {{"rdtsc", par->rdtsc_clk, 0},
		    {"rdpmc", par->rdpmc_clk, 0},
		    {"rdmsr", par->rdmsr_clk, par->rdmsr_select_clk},
		    {"wrmsr", par->wrmsr_clk, par->wrmsr_select_clk},
		    {"cpuid", par->cpuid_clk, 0}};

	if (d->in->n_op && d->in->op[0].kind == X86_OP_CR)
		return par->write_cr_clk;
	for (size_t k = 0; k < sizeof(flow) / sizeof(flow[0]); k++)
		if (!strcmp(d->name, flow[k].name))
			return flow[k].select_clk && is_event_select(d->b, d->i)
				   ? flow[k].select_clk
				   : flow[k].clk;
	return 0;
}

/* XADD, CMPXCHG and CMPXCHG8B have rows that say nothing of ports: with memory, which they read
 * and write, one micro-op loads, two store, and the rest go to ports 0 and 1. */
static void split_by_reference(struct p6_draft *d)
{
	const unsigned both = X86_REF_READ | X86_REF_WRITE;
	unsigned n = 0, flags = 0;

	for (unsigned k = 0; k < d->b->n_ref; k++) {
		n += d->b->ref[k].insn == d->i;
		flags |= d->b->ref[k].insn == d->i ? d->b->ref[k].flags : 0;
	}
	if (n != 1 || (flags & (both | X86_REF_REP | X86_REF_PARTS)) != both || d->split.uops < 4 ||
	    d->facts.stack)
		return;
	d->split.is_known = true;
	d->split.p2 = d->split.p3 = d->split.p4 = 1;
	d->split.p01 = (uint16_t)(d->split.uops - 3);
}

void p6_draft_insn(struct p6_draft *d)
{
	const struct p6_mnemonic *mn = p6_mnemonic(d->m, d->in->mnemonic);
	unsigned clk;

	d->name = mn ? mn->name : "";
	d->kinds = mn ? mn->kinds : 0;
	x86_insn_facts(d->b, d->i, &d->facts);
	x86_insn_registers(d->b, d->i, &d->regs);
	p6_uops_split(d->m, d->in, &d->split, &d->timing);
	clk = system_clk(d);
	if (clk) {
		d->timing.latency = d->timing.interval = (uint8_t)(clk < 255 ? clk : 255);
		d->timing.unit = CAT_P6_SYSTEM;
	}
	p6_draft_step(d);
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
	d->code->is_simple = !d->code->is_microcoded && d->n <= d->m->time.par.simple_uops &&
			     d->code->bytes <= d->m->time.par.simple_bytes;
	d->code->has_store = d->step->n_store != 0;
	d->step->n_read_uop = d->step->reads_counter ? d->code->n_uop : 0;
}
