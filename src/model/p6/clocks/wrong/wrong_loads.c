/* wrong_loads.c -- --wrong-path loads: what is executed behind a mispredicted branch until that is
 * executed.
 *
 * COUNTING RULES   as on the right path, for what counts requests, lines, transactions and
 *                  executions: DATA_MEM_REFS, the events of caches, TLBs and bus, 10H, 12H, 13H,
 *                  B0H to B3H. Nothing retires.
 * MODELLED         code that L1I or the ITLB does not have is fetched. A load goes to the caches
 *                  when its micro-op can be renamed and dispatched before the branch is executed
 *                  and its address is known: absolute, or from registers that records told and
 *                  nobody wrote since, on either path. Operations are executed that can be
 *                  dispatched by then.
 * NOT MODELLED     what depends on operands that are not there in time; the divider's clocks (14H);
 *                  stores, which wait for their retirement; pages that were never touched (a walk
 *                  that fails); memory that is not cacheable; masked, repeated and prefetching
 *                  instructions.
 * SOURCES          Intel 242816-003 table 7-2 (executed events include wrong paths); the rest is
 *                  chosen.
 */
#include "model/p6/clocks/fill.h"
#include "model/p6/clocks/ports.h"
#include "model/p6/clocks/time_access.h"
#include "model/p6/clocks/wrong/wrong_blocks.h"
#include "model/p6/clocks/wrong/wrong_facts.h"
#include "model/p6/units/bus.h"
#include "model/p6/units/fpu.h"
#include "model/p6/units/ifu.h"
#include "model/p6/units/mmx.h"
#include "model/p6/units/retire.h"

#include <string.h>

static void know(struct p6_known *k, unsigned reg, uint64_t value)
{
	k->value[reg & 15] = value;
	k->has |= (uint16_t)(1u << (reg & 15));
}

void p6_wrong_know(struct p6 *m, const struct x86_block *b, const uint8_t *slots, unsigned n)
{
	struct p6_known *k = &m->time.known;
	const struct p6_tblk *w = p6_wrong_find(m, b->pc);

	if (!w || !w->more || w->n_step != b->n_insn || b->term >= X86_TERM_SYSCALL) {
		k->has = 0;
		return;
	}
	for (unsigned i = 0; i < n; i++) {
		for (unsigned s = 0; s < b->n_slot; s++)
			if (b->slot[s].kind == X86_SLOT_REG && b->slot[s].insn == i)
				know(k, b->slot[s].reg, reader_slot(slots, s));
		k->has &= (uint16_t)~w->more->written[i];
		for (unsigned s = 0; s < b->n_slot; s++)
			if (b->slot[s].kind == X86_SLOT_REG_AFTER && b->slot[s].insn == i)
				know(k, b->slot[s].reg, reader_slot(slots, s));
	}
}

uint64_t p6_wrong_fetch(struct p6 *m, const struct p6_code *s, uint64_t pc, uint64_t clk)
{
	struct p6_effect code;
	uint64_t there;

	if (p6_ifu_has(m, pc) && p6_ifu_has(m, pc + s->bytes - 1))
		return clk;
	code = p6_time_access(m, pc, s->bytes, true);
	there = p6_fill_code(m, &code, clk);
	P6_RAISE(m, IFU_MEM_STALL, there - clk);
	return there;
}

static bool is_known(const struct p6_known *k, unsigned reg)
{
	return reg == P6_NO_REG || k->has >> (reg & 15) & 1;
}

static void load(struct p6 *m, const struct p6_wrong_load *l, uint64_t clk)
{
	const struct p6_known *k = &m->time.known;
	struct p6_effect x;
	uint64_t lin = l->disp + (l->is_fs ? m->seg.fs_base : 0);

	if (!is_known(k, l->reg) || !is_known(k, l->reg2))
		return;
	lin += l->reg == P6_NO_REG ? 0 : k->value[l->reg & 15];
	lin += l->reg2 == P6_NO_REG ? 0 : k->value[l->reg2 & 15] * l->scale;
	lin &= P6_LIN_MASK;
	if (!pages_has(&m->system->pages, lin >> PAGE_LOG2) ||
	    !pages_has(&m->system->pages, (lin + l->bytes - 1u) >> PAGE_LOG2) ||
	    (m->bus.uncached.n && p6_ranges_have(m, &m->bus.uncached, lin)))
		return;
	P6_RAISE(m, DCU_REF, p6_pieces(l->bytes));
	x = p6_time_access(m, lin, l->bytes, false);
	if (x.lines | x.walks)
		p6_fill_data(m, &x, p6_port_take(m, 2, clk));
}

/* Wires that count executions, whether they retire or not. */
static bool counts_executions(unsigned wire)
{
	return wire == WIRE_P6_FPU_OP_EXEC || wire == WIRE_P6_FPU_MUL || wire == WIRE_P6_FPU_DIV ||
	       (wire >= WIRE_P6_MMX_EXEC && wire <= WIRE_P6_MMX_TYPE_ARITH);
}

static void count(struct p6 *m, const struct x86_insn *n)
{
	const struct p6_mnemonic *mn = p6_mnemonic(m, n->mnemonic);
	struct tally *t = &m->blocks.tally;
	unsigned p0123;

	if (!mn || n->flags & X86_I_REP)
		return;
	p6_uops(m, n, &p0123);
	p6_fpu_count(n, mn->kinds, t);
	p6_mmx_count(n, mn->kinds, p0123, t);
	for (unsigned k = 0; k < t->n_touched; k++) {
		if (counts_executions(t->touched[k]))
			m->dyn[t->touched[k]] += t->n[t->touched[k]];
		t->n[t->touched[k]] = 0;
	}
	t->n_touched = 0;
}

void p6_wrong_execute(struct p6 *m, const struct p6_tblk *b, unsigned i, uint64_t clk,
		      uint64_t before_clk)
{
	const struct p6_wrong_more *w = b->more;
	const uint64_t dispatch_clk =
	    clk + m->time.par.decode_to_rename_clk + m->time.par.rename_to_dispatch_clk;

	if (dispatch_clk < before_clk) {
		for (unsigned k = 0; k < w->n_load; k++)
			if (w->load[k].insn == i)
				load(m, &w->load[k], dispatch_clk);
		count(m, &w->insn[i]);
	}
	m->time.known.has &= (uint16_t)~w->written[i];
}
