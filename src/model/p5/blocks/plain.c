/* plain.c -- the machine in program order, instruction by instruction, without short cuts.
 *
 * Does what must be done in plain order anyway (partly executed blocks, REP, masked references),
 * and is the reference that the loop of feed.c is tested against (mdl_config.is_plain).
 */
#include "model/p5/p5.h"
#include "model/p5/blocks/plain.h"
#include "model/p5/blocks/ledger.h"
#include "model/p5/blocks/address.h"

static void reference(struct p5 *m, const struct x86_block *b, unsigned k, const uint8_t *slots)
{
	const struct x86_ref *r = &b->ref[k];
	const struct x86_insn *in = &b->insn[r->insn];

	if (r->flags & X86_REF_PARTS) {
		p5_masked_run(m, b, k, slots);
		return;
	}
	if (r->flags & (X86_REF_REP | X86_REF_PREFETCH))
		return;
	p5_dcache_ref(m, p5_address(m, b, k, slots),
		      &(struct p5_operand){
			  .bytes = r->bytes,
			  .access = (uint8_t)((r->flags & X86_REF_READ ? P5_READ : 0) |
					      (r->flags & X86_REF_WRITE ? P5_WRITE : 0)),
			  .is_locked = (in->flags & X86_I_LOCK) != 0,
			  .is_mmx = in->group == X86_GRP_MMX,
			  .is_fst = m->has_errata && p5_kinds(m, in->mnemonic) & P5_K_FST,
		      });
}

int p5_run_insn(struct p5 *m, const struct x86_block *b, const uint8_t *slots, unsigned i,
		bool has_fpmmx)
{
	const struct x86_insn *in = &b->insn[i];
	int rc;

	if (p5_int_is_due(&m->intr, m->time.data_clk, m->time.is_in_v))
		p5_int_accept(m);
	if (m->debug.has_execute)
		p5_debug_execute(m, b->pc + in->pc_off);
	if (has_fpmmx && in->group == X86_GRP_X87)
		p5_mmx_switch(m, P5_FPMMX_X87);
	if (has_fpmmx && in->group == X86_GRP_MMX)
		p5_mmx_switch(m, P5_FPMMX_MMX);
	if (in->flags & X86_I_REP) {
		rc = p5_string_run(m, b, i, slots);
		if (rc)
			return rc;
	}
	for (unsigned k = 0; k < b->n_ref && b->ref[k].insn <= i; k++)
		if (m->has_mem && b->ref[k].insn == i)
			reference(m, b, k, slots);
	if (in->flags & X86_I_SETS_DF)
		m->strings.df = true;
	if (in->flags & X86_I_CLEARS_DF)
		m->strings.df = false;
	p5_ledger_insn(m, b, i);
	return 0;
}

/* The data references of one instruction that nothing else stands in the way of. */
static void reference_fast(struct p5 *m, const struct p5_ref *r, uint64_t lin)
{
	const bool is_both = r->access == (P5_READ | P5_WRITE);
	const struct p5_operand operand = {r->bytes, r->access, r->is_locked, r->is_mmx, r->is_fst};

	if (!p5_look_fast(m, r, lin)) {
		p5_dcache_ref(m, lin, &operand);
		return;
	}
	if (!(r->access & P5_WRITE))
		return;
	m->time.data_clk += is_both ? m->par[P5_PAR_DCACHE_MODIFY_CLK] : 0; /* as p5_dcache_ref() */
	p5_wbuf_hit(m, r->is_mmx);
	m->time.data_clk -= is_both ? m->par[P5_PAR_DCACHE_MODIFY_CLK] : 0;
}

void p5_run_references(struct p5 *m, const struct p5_fly *f)
{
	const unsigned end = f->op->first_ref + f->op->n_ref;

	for (unsigned k = f->op->first_ref; k < end; k++) {
		const struct p5_ref *r = &f->code->ref[k];

		m->time.tape.ref = k;
		reference_fast(m, r, p5_ref_address(m, r, f->slots));
	}
}

int p5_run_op(struct p5 *m, const struct p5_fly *f)
{
	const struct p5_op *op = f->op;

	if (op->flags & P5_OP_ORDER)
		return p5_run_insn(m, f->block, f->slots, f->insn, true);
	if (p5_int_is_due(&m->intr, m->time.data_clk, m->time.is_in_v))
		p5_int_accept(m);
	if (m->debug.has_execute)
		p5_debug_execute(m, f->pc);
	if (op->flags & (P5_OP_X87 | P5_OP_MMX))
		p5_mmx_switch(m, op->flags & P5_OP_X87 ? P5_FPMMX_X87 : P5_FPMMX_MMX);
	p5_run_references(m, f);
	return 0;
}

int p5_run_plain(struct p5 *m, const struct x86_block *b, const uint8_t *slots, unsigned n,
		 bool has_fpmmx)
{
	for (unsigned i = 0; i < n; i++) {
		const int rc = p5_run_insn(m, b, slots, i, has_fpmmx);

		if (rc)
			return rc;
	}
	return 0;
}

/* What the tally has is counted, and it is empty again. */
static void count_tally(struct p5 *m)
{
	struct tally *t = &m->tally;

	for (unsigned k = 0; k < t->n_touched; k++) {
		m->dyn[t->touched[k]] += t->n[t->touched[k]];
		t->n[t->touched[k]] = 0;
	}
	t->n_touched = 0;
}

void p5_count_now(struct p5 *m, const struct x86_block *b, unsigned from, unsigned to)
{
	for (unsigned i = from; i < to; i++) {
		p5_count_insn(m, b, i, &m->tally);
		if (m->ledger) {
			count_tally(m);
			p5_ledger_insn(m, b, i);
		}
	}
	count_tally(m);
}
